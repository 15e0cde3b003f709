"""What evaluation needs of a system."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from summq.eval.data import Row

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


__all__ = ["Identity", "System", "Written", "fingerprint"]
