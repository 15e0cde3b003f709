"""What each sentence of a summary claims, held against the document: no call, no reference.

A sentence is about the passage of the document that holds most of its words. Its names and figures should stand in that
passage, and it should not deny what the document asserts.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from summq.programs.text.facts import Names, facts_of
from summq.programs.text.reading import Reading, read
from summq.programs.text.stems import Sentence, content_stems
from summq.signatures import Document

PASSAGE = 5  # sentences
COPIED = 0.6  # of the words of a sentence, names and figures apart, that one sentence of the document holds
KEPT_DOCUMENTS = 64
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Claim:
    """A sentence of a summary, held against the document.

    It has the stems of its names and figures, those that its passage lacks, the names and figures with such stems, and
    whether it is the contrary or a copy of the sentence of the document that comes nearest to its wording.
    """

    text: str
    details: frozenset[str]
    unbacked: frozenset[str]
    strange: tuple[str, ...]
    reversed: bool
    copied: bool


def claims_of(document: Document, summary: str) -> list[Claim]:
    """The claims of a summary; sentences of less than two meaningful words claim nothing."""
    passages, told = _passages(document.text), read(summary)
    theirs, ours = passages.reading.names, told.names
    names = Names(theirs.known | ours.known, theirs.common | ours.common)
    return [_claim(sentence, passages, names) for sentence in told.sentences if len(sentence.stems) > 1]


class Passages:
    """The passages of a document: runs of `PASSAGE` sentences, one beginning with each sentence."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._holding: dict[str, NDArray[np.bool_]] = {}

    def holding(self, stem: str) -> NDArray[np.bool_]:
        """Which passages hold a stem."""
        if stem not in self._holding:
            marks = np.zeros(len(self.reading.sentences), dtype=bool)
            for place in self.reading.postings.get(stem, ()):
                marks[max(0, place - PASSAGE + 1) : place + 1] = True
            self._holding[stem] = marks
        return self._holding[stem]

    def nearest(self, stems: frozenset[str]) -> int:
        """The passage that holds most of the stems, rare ones counting more."""
        shares = sum(self.reading.rarity(stem) * self.holding(stem) for stem in sorted(stems))
        return int(np.argmax(shares))


@lru_cache(KEPT_DOCUMENTS)
def _passages(text: str) -> Passages:
    return Passages(read(text))


def _claim(sentence: Sentence, passages: Passages, names: Names) -> Claim:
    nearest = passages.nearest(sentence.stems)
    facts = facts_of(sentence.text, names)
    details = frozenset(stem for fact in facts for stem in content_stems(fact.text)) & sentence.stems
    wording = sentence.stems - details or sentence.stems
    hits = passages.reading.look_up(wording, limit=1)
    source = hits[0].sentence if hits else None
    unbacked = frozenset(stem for stem in details if not passages.holding(stem)[nearest])
    return Claim(
        text=sentence.text,
        details=details,
        unbacked=unbacked,
        strange=tuple(dict.fromkeys(fact.text for fact in facts if unbacked & set(content_stems(fact.text)))),
        reversed=source is not None and _denies(sentence.text) != _denies(source.text),
        copied=source is not None and len(wording & source.stems) >= COPIED * len(wording),
    )


def _denies(sentence: str) -> bool:
    return _DENIAL.search(sentence) is not None


__all__ = ["KEPT_DOCUMENTS", "Claim", "claims_of"]
