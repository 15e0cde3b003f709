"""One role's request, ready to be worked on: typed inputs, the document as read, the view, the chances of error."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from summq.programs.errors import BackboneError, there_are
from summq.programs.runtime.offline.views import View
from summq.programs.text.reading import Reading, read
from summq.signatures import Question, Quiz


@dataclass(frozen=True)
class Rates:
    """The chance, 0 to 1, that an agent of a kind errs in one item of its reply.

    A generator plants a wrong fact or key; a reviewer misses a true issue, and as often invents one; a voter (ranker,
    judge) takes the worse; an examinee answers wrong; a grader marks the wrong way.
    """

    generator: float = 0.0
    reviewer: float = 0.0
    voter: float = 0.0
    examinee: float = 0.0
    grader: float = 0.0

    @classmethod
    def of(cls, given: dict[str, float]) -> "Rates":
        """Rates by the kind of agent.

        Raises:
            BackboneError: For an unknown kind, or a rate that is not from 0 to 1.
        """
        kinds = [field.name for field in fields(cls)]
        for kind, rate in given.items():
            if kind not in kinds:
                raise BackboneError(f"offline: no error rate for {kind!r}: {there_are(kinds, kind)}")
            if not 0 <= rate <= 1:
                raise BackboneError(f"offline: the error rate of {kind} is {rate}; it must be from 0 to 1")
        return cls(**given)


@dataclass(frozen=True)
class Dice:
    """Chances that depend on nothing but the seed, the request and the item: no order, no threads, no state."""

    seed: int
    request: bytes

    @classmethod
    def of(cls, seed: int, request: str) -> "Dice":
        """The dice of one request."""
        return cls(seed, hashlib.blake2b(request.encode("utf-8", "surrogatepass"), digest_size=16).digest())

    def draw(self, item: str) -> float:
        """A number from 0 up to 1 for this item."""
        text = f"{self.seed}\n{item}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(text + self.request, digest_size=8).digest(), "big") / 2**64

    def errs(self, rate: float, item: str) -> bool:
        """Whether an agent with this error rate errs in this item."""
        return rate > 0 and self.draw(item) < rate


CANDIDATE_FIELDS = ("candidates", "first", "second", "shared")


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
        """The document as read; where a role compares without seeing it, everything that it compares, as one text."""
        if self.sees_document:
            return read(self.inputs["document"].text)
        return read("\n\n".join(_texts([self.inputs.get(name) for name in CANDIDATE_FIELDS])))

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
    """What summaries and quizzes say about their document: their text, the evidence of their questions."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Question):
        yield value.evidence
    elif isinstance(value, Quiz):
        yield from _texts(value.questions)
    elif value:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


__all__ = ["CANDIDATE_FIELDS", "Dice", "Rates", "Task"]
