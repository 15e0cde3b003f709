"""What evaluation needs of a system."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import dspy
from pydantic import JsonValue

from summq.eval.data import Row
from summq.programs.runtime.backbones import Backbone

Identity = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Written:
    """A summary, and the evidence of all questions that the system asked about the document on its own way to it."""

    summary: str
    asked: tuple[str, ...] = ()


class System(Protocol):
    """Anything that has a summary for each row of a data set. `identity` is what decides about its summaries."""

    name: str
    identity: Identity

    def summarize(self, row: Row, words: int) -> Written:
        """The summary of a row's document, of about `words` words where the system can help it.

        Raises `SummQError` or DSPy's `LMError` when there is none.
        """


def fingerprint(text: str) -> str:
    """Sixteen hex digits that stand for a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@contextmanager
def kept_apart(purpose: str, backbone: Backbone | None = None) -> Iterator[None]:
    """A context in which calls share replies only with calls of the same purpose, now and when a run is continued.

    Without it a system would pay less for what another one happened to ask before, and two systems would not draft
    independently.

    Args:
        backbone: Plays every role, in place of the backbones of the session.
    """
    lm = backbone or dspy.settings.lm
    settings: dict[str, Any] = {} if lm is None else {"lm": lm.copy(rollout_id=purpose)}
    if backbone:
        settings["role_lms"] = {}
    with dspy.context(**settings):
        yield


__all__ = ["Identity", "System", "Written", "fingerprint", "kept_apart"]
