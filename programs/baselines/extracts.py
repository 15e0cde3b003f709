"""Trivial rows: a stretch of the document itself, without a language model. A system has to beat all of them."""

import random
import re
from abc import abstractmethod
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from summq.programs.baselines.base import TARGET_WORDS, Baseline
from summq.programs.text.sentences import Span, sentence_spans
from summq.programs.text.words import count_words
from summq.signatures import Document

Unit = Literal["sentences", "words"]


class Extract(Baseline):
    """As many sentences (or words) in a row as the wanted length holds, at least one of them; word for word."""

    def __init__(self, target_words: int = TARGET_WORDS, unit: Unit = "sentences") -> None:
        super().__init__(target_words)
        self.unit = unit

    def summarized(self, document: Document) -> str:
        """A stretch of whole units of the document, as close to the length as it gets."""
        pieces = _pieces(document.text, self.unit)
        sizes = [count_words(document.text[piece.start : piece.end]) for piece in pieces]
        last_start = len(pieces) - self._fitting(sizes[::-1])
        start = self.start(last_start, document)
        end = start + self._fitting(sizes[start:])
        return document.text[pieces[start].start : pieces[end - 1].end]

    @abstractmethod
    def start(self, last_start: int, document: Document) -> int:
        """The piece to begin with; from `last_start` on, all that is left fits."""

    def _fitting(self, sizes: Sequence[int]) -> int:
        """How many of the pieces the wanted length holds."""
        return max(1, sum(total <= self.target_words for total in accumulate(sizes)))


class Lead(Extract):
    """The beginning of the document."""

    def start(self, last_start: int, document: Document) -> int:
        """The first unit."""
        return 0


class Tail(Extract):
    """The end of the document."""

    def start(self, last_start: int, document: Document) -> int:
        """The last unit at which there is enough left."""
        return last_start


class RandomSpan(Extract):
    """A stretch from anywhere in the document: the same one for the same seed and text."""

    def __init__(self, target_words: int = TARGET_WORDS, unit: Unit = "sentences", seed: int = 1) -> None:
        super().__init__(target_words, unit)
        self.seed = seed

    def start(self, last_start: int, document: Document) -> int:
        """A random unit, always the same for a document and a seed."""
        return random.Random(f"{self.seed} {document.key}").randint(0, last_start)


def _pieces(text: str, unit: Unit) -> list[Span]:
    if unit == "sentences":
        return list(sentence_spans(text))
    return [Span(*word.span()) for word in re.finditer(r"\S+", text)]


__all__ = ["Extract", "Lead", "RandomSpan", "Tail"]
