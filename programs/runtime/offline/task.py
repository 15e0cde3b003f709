"""One role's request, ready to be worked on: typed inputs, the document as read, the view, the chances of error."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from summq.programs.runtime.offline.rates import Dice, Rates
from summq.programs.runtime.offline.views import View
from summq.programs.text.reading import Reading, read
from summq.signatures import Question, Quiz

COMPARED = ("candidates", "first", "second")


@dataclass(frozen=True)
class Task:
    """What a rule needs to answer a request."""

    instructions: str
    inputs: Mapping[str, Any]
    rates: Rates
    dice: Dice

    def __getitem__(self, field: str) -> Any:
        """An input by its field name, in the type that the signature gives it."""
        return self.inputs[field]

    @cached_property
    def document(self) -> Reading:
        """The document, as read; for who compares without it, all that is compared stands for it."""
        if self.sees_document:
            return read(self.inputs["document"].text)
        return read("\n\n".join(_texts([self.inputs.get(name) for name in COMPARED])))

    @property
    def sees_document(self) -> bool:
        """Whether the document is shown."""
        return "document" in self.inputs

    @cached_property
    def view(self) -> View:
        """What the instructions of this agent attend to."""
        return View.of(self.instructions)

    @cached_property
    def scores(self) -> list[float]:
        """How much each sentence of the document matters to this agent."""
        return self.view.scores(self.document)


def _texts(value: Any) -> Iterator[str]:
    """What summaries and exams say about their document: their text, the evidence of their questions."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Question):
        yield value.evidence
    elif isinstance(value, Quiz):
        yield from _texts(value.questions)
    elif value:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


__all__ = ["Task"]
