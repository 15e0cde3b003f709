"""What evaluation needs of a system."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import dspy
from pydantic import JsonValue

from summq.eval.data import Row
from summq.programs.forecast import Forecast
from summq.programs.runtime.backbones import Backbone

Identity = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Written:
    """A summary, and the evidence of all questions that the system asked about the document while it wrote it.

    `words_wanted` is the length that it wrote to, where that is one of its own.
    """

    summary: str
    questions: tuple[str, ...] = ()
    words_wanted: int | None = None


@runtime_checkable
class Foreseeable(Protocol):
    """A system that can tell before it runs what it will take."""

    def foreseen(self, row: Row, words: int) -> Forecast | None:
        """Calls, tokens and cost for one row, from a least to a most; None where they can't be told."""


class System(Protocol):
    """Anything that has a summary for each row of a data set. `identity` is everything its summaries depend on."""

    name: str
    identity: Identity

    def summarize(self, row: Row, words: int) -> Written:
        """The summary of a row's document, of about `words` words where the system can control the length.

        Raises `SummQError` or DSPy's `LMError` when there is none.
        """


@contextmanager
def separate_cache(purpose: str, backbone: Backbone | None = None) -> Iterator[None]:
    """A context in which calls share cached replies only with calls of the same purpose, in later runs too.

    Without it a system would cost less where another one happened to make the same call before, and two systems would
    not draft independently.

    Args:
        purpose: The part of the cache key that calls have in common.
        backbone: Plays every role, in place of the backbones of the session.
    """
    lm = backbone or dspy.settings.lm
    settings: dict[str, Any] = {} if lm is None else {"lm": lm.copy(rollout_id=purpose)}
    if backbone:
        settings["role_lms"] = {}
    with dspy.context(**settings):
        yield


__all__ = ["Foreseeable", "Identity", "System", "Written", "separate_cache"]
