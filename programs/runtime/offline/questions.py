"""Writing a question of a given kind about one clause; each is checked by answering it from the document."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from summq.programs.runtime.offline.composing import plain
from summq.programs.runtime.offline.examining import answer_from
from summq.programs.runtime.offline.task import Task
from summq.programs.text.facts import Fact, facts_of
from summq.programs.text.reading import Reading, ending, plain_words
from summq.programs.text.standing import main_clause
from summq.programs.text.statements import claim, gap_question, speaker_question
from summq.programs.text.stems import Sentence, length_of, stems_of
from summq.programs.text.words import count_words
from summq.signatures import OPTIONS, Question, QuestionKind, SheetItem

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


LEAST_CONTEXT = 4
LONGEST_EVIDENCE = 480
HARD = 1.0  # the worth of facts that are always asked for first
_TITLED = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|Professor|Prof|Sir|Lady|Lord|Dame|Captain|Senator|President|Chair)\b")
MOST_TERMS, MOST_CHANGES, MOST_LIKELY = 3, 3, 12


class QuestionWriter:
    """Writes questions about the clauses of one document."""

    def __init__(self, task: Task) -> None:
        self.reading = task.document
        self.dice = task.dice
        self.error_rate = task.rates.generator

    def write(self, unit: Unit, kind: QuestionKind, *, true: bool) -> Question | None:
        """A question of this kind that the document answers as its key says; None if the clause yields none.

        A statement to be called true or false is `true`, or has one fact changed.
        """
        drafts = self._claims(unit, true) if kind == "true_false" else self._openings(unit, kind)
        for question in drafts:
            item = SheetItem(number=1, kind=kind, question=question.question, options=list(question.options))
            if answer_from(self.reading, item) == question.answer:
                return self._spoilt(question)
        return None

    def _openings(self, unit: Unit, kind: QuestionKind) -> Iterator[Question]:
        """Asks for figures first, then for the speaker or for names, then for a plain word."""
        facts = sorted(unit.facts, key=lambda fact: -WORTH[fact.kind])
        hard = [fact for fact in facts if WORTH[fact.kind] >= HARD]
        soft = [fact for fact in facts if WORTH[fact.kind] < HARD]
        middle = [self._gaps(unit, kind, soft), self._speakers(unit, kind)]
        if self.dice.draw(unit.clause) < 0.5:
            middle.reverse()
        return chain(self._gaps(unit, kind, hard), *middle, self._gaps(unit, kind, self._terms(unit)))

    def _gaps(self, unit: Unit, kind: QuestionKind, facts: Iterable[Fact]) -> Iterator[Question]:
        for fact in facts:
            context = unit.clause[: fact.start] + unit.clause[fact.end :]
            if stems_of(fact.text) <= stems_of(context) or len(stems_of(context) - stems_of(fact.text)) < LEAST_CONTEXT:
                continue
            text = gap_question(unit.clause, fact.start, fact.end, fact.kind, unit.sentence.speaker)
            yield from self._questions_about(unit, kind, text, fact.text, self._others(unit, fact))

    def _speakers(self, unit: Unit, kind: QuestionKind) -> Iterator[Question]:
        sentence = unit.sentence
        if sentence.speaker and sentence.opens and sentence.end - sentence.turn <= LONGEST_EVIDENCE:
            others = self._other_speakers(unit)
            yield from self._questions_about(
                unit, kind, speaker_question(unit.clause), sentence.speaker, others, sentence.turn
            )

    def _questions_about(
        self, unit: Unit, kind: QuestionKind, text: str, answer: str, others: list[str], proof: int | None = None
    ) -> Iterator[Question]:
        answer = " ".join(answer.split())
        options = sorted([answer, *others[: OPTIONS - 1]], key=lambda o: self.dice.draw(f"{unit.clause}\n{o}"))
        if kind == "short_answer":
            yield self._question(unit, kind, text, answer, [], proof)
        elif len(options) == OPTIONS:
            yield self._question(unit, kind, text, answer, options, proof)

    def _claims(self, unit: Unit, true: bool) -> Iterator[Question]:
        speaker = unit.sentence.speaker
        if true:
            yield self._question(unit, "true_false", claim(unit.clause, speaker), "true", [])
            return
        for fact in [*unit.facts, *self._terms(unit)]:
            for other in self._others(unit, fact)[:MOST_CHANGES]:
                changed = unit.clause[: fact.start] + other + unit.clause[fact.end :]
                yield self._question(unit, "true_false", claim(changed, speaker), "false", [])

    def _question(
        self, unit: Unit, kind: QuestionKind, text: str, answer: str, options: list[str], proof: int | None = None
    ) -> Question:
        sentence = unit.sentence
        evidence = self.reading.text[sentence.start if proof is None else proof : sentence.end]
        return Question(
            kind=kind, question=" ".join(text.split()), options=tuple(options), answer=answer, evidence=evidence
        )

    def _others(self, unit: Unit, fact: Fact) -> list[str]:
        """Other facts of the kind, none of them in the sentence or akin to this one; those that look like it first."""
        kinds = self.reading.terms if fact.kind == "term" else self.reading.facts_by_kind
        pool = kinds.get(ending(fact.text) if fact.kind == "term" else fact.kind, [])
        sentence, stems = unit.sentence.text.lower(), stems_of(fact.text)
        others = [other for other in pool if other.lower() not in sentence and not stems & stems_of(other)]
        likely = sorted(others, key=lambda other: _unlikeness(other, fact.text))[:MOST_LIKELY]
        shuffled = sorted(likely, key=lambda other: (_unlikeness(other, fact.text), self._shuffle(unit, other)))
        return [other.lower() if fact.kind == "number" and fact.text.islower() else other for other in shuffled]

    def _other_speakers(self, unit: Unit) -> list[str]:
        named = unit.sentence.text.lower()
        others = [name for name in self.reading.speakers if name != unit.sentence.speaker and name.lower() not in named]
        return sorted(others, key=lambda other: self._shuffle(unit, other))

    def _shuffle(self, unit: Unit, item: str) -> float:
        return self.dice.draw(f"{unit.clause}\n{item}\nwrong")

    def _terms(self, unit: Unit) -> list[Fact]:
        """Plain words of the clause that the document uses more than once, the longest first."""
        found = [Fact("term", word.text, word.start) for word in plain_words(unit.clause)]
        known = [fact for fact in found if fact.text in self.reading.terms.get(ending(fact.text), ())]
        return sorted(known, key=lambda fact: -len(fact.text))[:MOST_TERMS]

    def _spoilt(self, question: Question) -> Question:
        """The question, with a wrong key if the dice say that this writer errs."""
        if not self.dice.errs(self.error_rate, question.question):
            return question
        wrong = {"true": "false", "false": "true"}.get(question.answer)
        pool = question.options or self.reading.facts_by_kind.get("name", [])
        answer = wrong or next((other for other in pool if other != question.answer), "nobody")
        return question.model_copy(update={"answer": answer})


def _unlikeness(first: str, second: str) -> int:
    """How unlike two facts look: figures or words, with a title or without, and how many words."""
    digits = any(c.isdigit() for c in first) != any(c.isdigit() for c in second)
    titled = bool(_TITLED.match(first)) != bool(_TITLED.match(second))
    return 10 * digits + 5 * titled + abs(count_words(first) - count_words(second))


__all__ = ["QuestionWriter", "Unit", "units_of"]
