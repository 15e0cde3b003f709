"""One role's request, ready to be worked on: typed inputs, the document as read, the view, the chances of error."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from summq.programs.runtime.offline.rates import Dice, Rates
from summq.programs.runtime.offline.reading import Reading, read
from summq.programs.runtime.offline.views import View


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
        """The document, as read."""
        return read(self.inputs["document"].text)

    @cached_property
    def view(self) -> View:
        """What the instructions of this agent attend to."""
        return View.of(self.instructions)

    @cached_property
    def scores(self) -> list[float]:
        """How much each sentence of the document matters to this agent."""
        return self.view.scores(self.document)


__all__ = ["Task"]
