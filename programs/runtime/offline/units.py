"""The clauses of a document that a question may be about, and how much each is worth asking."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from summq.programs.runtime.offline.composing import clauses
from summq.programs.text.facts import Fact
from summq.programs.text.reading import Reading
from summq.programs.text.stems import Sentence, length_of, stems_of

SHORTEST, LONGEST = 7, 22
WORTH = {"date": 1.0, "money": 1.0, "percent": 1.0, "number": 0.95, "name": 0.95, "quote": 0.8, "term": 0.7}
LEANING, TORN = 0.6, 0.5

_STANDS = re.compile(
    r"[^\W_a-z]|[\"“]|(?:the|a|an|its|their|his|her|our|my|all|most|many|some|several|each|every|both|no)\b"
)
_UNREADABLE = re.compile(r"https?:|www\.|[|\\<>{}]|\.{4}|_{2}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A clause that one question may be about, with its facts (placed within the clause)."""

    sentence: Sentence
    clause: str
    facts: tuple[Fact, ...]
    worth: float

    @property
    def stems(self) -> frozenset[str]:
        """What the clause is about."""
        return stems_of(self.clause)

    def sort_key(self) -> tuple[float, int]:
        """The worthiest first, then the earliest."""
        return -self.worth, self.sentence.index


def units_of(reading: Reading, scores: list[float], sentence: Sentence) -> Iterator[Unit]:
    """The clauses of one sentence that can be understood and asked about."""
    if not sentence.prose or scores[sentence.index] <= 0:
        return
    for start, clause in windows(sentence.text):
        if SHORTEST <= length_of(clause) <= LONGEST and not _UNREADABLE.search(clause):
            facts = tuple(_within(reading.facts[sentence.index], start, start + len(clause)))
            best = max((WORTH[fact.kind] for fact in facts), default=WORTH["term"])
            whole = reading.topicality(sentence.stems) or 1.0
            share = reading.topicality(stems_of(clause)) / whole
            worth = scores[sentence.index] * share * best * _soundness(clause, start)
            yield Unit(sentence, clause, facts, worth)


def windows(sentence: str) -> Iterator[tuple[int, str]]:
    """The stretches of a sentence that fit into one question: whole clauses, each with the offset where it begins."""
    if length_of(sentence) <= LONGEST:
        yield 0, sentence.rstrip(" .;:,")
        return
    begin = end = 0
    for clause in clauses(sentence):
        start = sentence.index(clause, end)
        if end and length_of(sentence[begin : start + len(clause)]) > LONGEST:
            yield begin, sentence[begin:end]
            begin = start
        end = start + len(clause)
    yield begin, sentence[begin:end].rstrip(" .;:,")


def _within(facts: tuple[Fact, ...], start: int, end: int) -> Iterator[Fact]:
    for fact in facts:
        if start <= fact.start and fact.end <= end:
            yield Fact(fact.kind, fact.text, fact.start - start)


def _soundness(clause: str, start: int) -> float:
    """Less for a clause that leans on what stands before it, or whose quotation marks or brackets do not pair."""
    factor = LEANING if start and not _STANDS.match(clause) else 1.0
    torn = clause.count('"') % 2 or any(clause.count(a) != clause.count(b) for a, b in ("()", "[]", "“”"))
    return factor * (TORN if torn else 1.0)


__all__ = ["WORTH", "Unit", "units_of", "windows"]
