"""The sentences of a document that a question may be about, and how much each is worth asking."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from summq.programs.runtime.offline.composing import plain
from summq.programs.text.facts import Fact, facts_of
from summq.programs.text.reading import Reading
from summq.programs.text.standing import main_clause
from summq.programs.text.stems import Sentence, length_of, stems_of

SHORTEST, LONGEST = 7, 38
WORTH = {"date": 1.0, "money": 1.0, "percent": 1.0, "number": 0.95, "name": 0.95, "quote": 0.8, "term": 0.7}
_UNREADABLE = re.compile(r"https?:|www\.|[|\\<>{}]|\.{4}|_{2}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or its main clause, that one question may be about, with its facts (placed within the clause)."""

    sentence: Sentence
    clause: str
    facts: tuple[Fact, ...]
    worth: float
    alone: bool = True  # can be understood by itself

    @property
    def stems(self) -> frozenset[str]:
        """What the clause is about."""
        return stems_of(self.clause)

    def sort_key(self) -> tuple[float, int]:
        """The worthiest first, then the earliest."""
        return -self.worth, self.sentence.index


def units_of(reading: Reading, scores: list[float], sentence: Sentence) -> Iterator[Unit]:
    """The sentence, or its main clause where it is long, if it can be asked about."""
    if not sentence.prose or scores[sentence.index] <= 0:
        return
    asked = sentence.text if length_of(sentence.text) <= LONGEST else main_clause(sentence.text)
    clause = plain(asked).rstrip(" .;:,")
    if SHORTEST <= length_of(clause) <= LONGEST and not _UNREADABLE.search(clause):
        facts = facts_of(clause, reading.names)
        best = max((WORTH[fact.kind] for fact in facts), default=WORTH["term"])
        yield Unit(sentence, clause, facts, scores[sentence.index] * best, reading.stretch(sentence) == [sentence])


__all__ = ["WORTH", "Unit", "units_of"]
