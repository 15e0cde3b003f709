"""What each sentence of a summary claims, held against the document: no call, no reference.

A sentence is about the passage of the document that holds most of its words. Its names and figures should stand in that
passage, and it should not deny what the document asserts.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from summq.eval.metrics.examinee.embeddings import KEPT_DOCUMENTS
from summq.programs.text.facts import Names, facts_of
from summq.programs.text.reading import Reading, read
from summq.programs.text.stems import Sentence, content_stems
from summq.signatures import Document

PASSAGE = 5  # sentences
CONTEXT = 3  # sentences: where the wording of a sentence points, its names and figures should stand
COPIED = 0.6  # of the words of a sentence, names and figures apart, that one sentence of the document holds
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Claim:
    """A sentence of a summary, held against the document.

    It has the stems of its names and figures, those that its passage lacks, the names and figures with such stems, and
    whether it is the contrary or a copy of the sentence of the document that comes nearest to its wording, or such a
    copy in which most names and figures are others.
    """

    text: str
    details: frozenset[str]
    unbacked: frozenset[str]
    strange: tuple[str, ...]
    reversed: bool
    copied: bool
    altered: bool


def claims_of(document: Document, summary: str) -> list[Claim]:
    """The claims of a summary; sentences of less than two meaningful words claim nothing."""
    passages, summarised = _passages(document.text), read(summary)
    names = _joined(passages.reading.names, summarised.names)
    return [_claim(sentence, passages, names) for sentence in summarised.sentences if len(sentence.stems) > 1]


def facts_in_context(document: Document, summary: str) -> float | None:
    """The share (0 to 1) of a summary's names and figures that stand where the rest of their sentence points.

    That is the run of `CONTEXT` sentences of the document that holds most of the sentence's other words: exchanged
    names still occur in the document, but no longer there. None for a summary without names and figures.
    """
    contexts, summarised = _contexts(document.text), read(summary)
    names = _joined(contexts.reading.names, summarised.names)
    marks: list[bool] = []
    for sentence in summarised.sentences:
        details = _details(sentence, names)
        if details:
            place = contexts.nearest(sentence.stems - details or sentence.stems)
            marks += [bool(contexts.holding(detail)[place]) for detail in sorted(details)]
    return sum(marks) / len(marks) if marks else None


class Passages:
    """The passages of a document: runs of so many sentences, one beginning with each sentence."""

    def __init__(self, reading: Reading, size: int) -> None:
        self.reading = reading
        self.size = size
        self._holding: dict[str, NDArray[np.bool_]] = {}

    def holding(self, stem: str) -> NDArray[np.bool_]:
        """Which passages hold a stem."""
        if stem not in self._holding:
            marks = np.zeros(len(self.reading.sentences), dtype=bool)
            for place in self.reading.postings.get(stem, ()):
                marks[max(0, place - self.size + 1) : place + 1] = True
            self._holding[stem] = marks
        return self._holding[stem]

    def nearest(self, stems: frozenset[str]) -> int:
        """The passage that holds most of the stems, rare ones counting more."""
        shares = sum(self.reading.rarity(stem) * self.holding(stem) for stem in sorted(stems))
        return int(np.argmax(shares))


@lru_cache(KEPT_DOCUMENTS)
def _passages(text: str) -> Passages:
    return Passages(read(text), PASSAGE)


@lru_cache(KEPT_DOCUMENTS)
def _contexts(text: str) -> Passages:
    return Passages(read(text), CONTEXT)


def _joined(one: Names, other: Names) -> Names:
    return Names(one.known | other.known, one.common | other.common)


def _details(sentence: Sentence, names: Names) -> frozenset[str]:
    """The stems of the names and figures of a sentence."""
    return frozenset(stem for fact in facts_of(sentence.text, names) for stem in content_stems(fact.text)) & (
        sentence.stems
    )


def _claim(sentence: Sentence, passages: Passages, names: Names) -> Claim:
    nearest = passages.nearest(sentence.stems)
    facts = facts_of(sentence.text, names)
    details = _details(sentence, names)
    wording = sentence.stems - details or sentence.stems
    hits = passages.reading.look_up(wording, limit=1)
    source = hits[0].sentence if hits else None
    unbacked = frozenset(stem for stem in details if not passages.holding(stem)[nearest])
    copied = source is not None and len(wording & source.stems) >= COPIED * len(wording)
    return Claim(
        text=sentence.text,
        details=details,
        unbacked=unbacked,
        strange=tuple(dict.fromkeys(fact.text for fact in facts if unbacked & set(content_stems(fact.text)))),
        reversed=source is not None and _denies(sentence.text) != _denies(source.text),
        copied=copied,
        altered=copied and source is not None and 2 * len(details - source.stems) > len(details),
    )


def _denies(sentence: str) -> bool:
    return _DENIAL.search(sentence) is not None


__all__ = ["Claim", "claims_of", "facts_in_context"]
