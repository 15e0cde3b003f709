"""Writing exams out of the facts of a document, and choosing among questions that others wrote."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from summq.programs.runtime.offline.composing import clauses
from summq.programs.runtime.offline.examining import answer_from
from summq.programs.runtime.offline.facts import Fact
from summq.programs.runtime.offline.statements import claim, gap_question, speaker_question
from summq.programs.runtime.offline.task import Task
from summq.programs.runtime.offline.text import Sentence, content_stems, word_count
from summq.signatures import KINDS, OPTIONS, PartQuota, Question, QuestionCounts, QuestionKind, Quiz, SheetItem

SHORTEST, LONGEST = 7, 20
LEAST_CONTEXT = 4
LONGEST_EVIDENCE = 480
SAME_QUESTION = 0.6
WORTH = {"date": 1.0, "money": 1.0, "percent": 1.0, "number": 0.9, "name": 0.9, "quote": 0.7, "term": 0.4}


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
        return frozenset(content_stems(self.clause))


def draft(task: Task) -> dict[str, Any]:
    """As many questions of each kind and about each part as wanted; fewer if the document does not yield them."""
    writer = _Writer(task)
    return {"quiz": Quiz(questions=writer.write(task["wanted"], task["spread"]))}


def aggregate(task: Task) -> dict[str, Any]:
    """The labels of questions about what matters most, as many of each kind as wanted, no two the same."""
    wanted: QuestionCounts = task["wanted"]
    worth = {label: question_worth(task, question) for label, question in task["candidates"].items()}
    chosen: list[str] = []
    for label in sorted(worth, key=lambda label: -worth[label]):
        question = task["candidates"][label]
        others = [task["candidates"][other] for other in chosen]
        full = sum(other.kind == question.kind for other in others) >= wanted.of(question.kind)
        if not full and not any(same_question(question.question, other.question) for other in others):
            chosen.append(label)
    return {"chosen": chosen}


def question_worth(task: Task, question: Question) -> float:
    """How much a question is worth asking: the salience of what it is about; 0 if its evidence is not there."""
    hit = task.document.find(question.evidence)
    if hit is None or hit.share < 0.95 or question.faults():
        return 0.0
    return task.scores[hit.sentence.index]


def same_question(first: str, second: str) -> bool:
    """Whether two questions ask the same thing."""
    ours, theirs = set(content_stems(first)), set(content_stems(second))
    return len(ours & theirs) >= 0.8 * max(1, min(len(ours), len(theirs)))


class _Writer:
    """Writes questions about one document, each checked by answering it from the document."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.reading = task.document
        self.used: list[frozenset[str]] = [frozenset(content_stems(question)) for question in task["present"]]
        self.questions: list[Question] = []
        self.parts = max([quota.of for quota in task["spread"]], default=5)
        self.units = self._units()

    def write(self, wanted: QuestionCounts, spread: list[PartQuota]) -> list[Question]:
        """The questions, in the order of the document."""
        missing: Counter[QuestionKind] = Counter({kind: wanted.of(kind) for kind in KINDS})
        for part, kind in _slots(missing, spread):
            self._add(part, kind, missing)
        for kind in KINDS:
            for part in self._parts_least_asked():
                while missing[kind] and self._add(part, kind, missing):
                    pass
        return self.questions

    def _add(self, part: int, kind: QuestionKind, missing: Counter[QuestionKind]) -> bool:
        for unit in list(self.units[part]):
            if any(_overlaps(unit.stems, stems) for stems in self.used):
                self.units[part].remove(unit)
                continue
            question = self._question(unit, kind)
            if question is not None:
                self.units[part].remove(unit)
                self.used.append(unit.stems)
                self.questions.append(question.model_copy(update={"section": f"part {part} of {self.parts}"}))
                missing[kind] -= 1
                return True
        return False

    def _parts_least_asked(self) -> list[int]:
        asked = Counter(question.section for question in self.questions)
        return sorted(range(1, self.parts + 1), key=lambda part: asked[f"part {part} of {self.parts}"])

    def _units(self) -> dict[int, list[Unit]]:
        """The clauses of each part, those about what matters most first."""
        units: dict[int, list[Unit]] = defaultdict(list)
        length = max(1, len(self.reading.text))
        for sentence in self.reading.sentences:
            if sentence.prose and self.task.scores[sentence.index] > 0:
                part = min(self.parts, 1 + sentence.start * self.parts // length)
                units[part].extend(self._clauses(sentence))
        for part in units:
            units[part].sort(key=lambda unit: (-unit.worth, unit.sentence.index))
        return units

    def _clauses(self, sentence: Sentence) -> Iterator[Unit]:
        facts = self.reading.facts[sentence.index]
        for start, clause in windows(sentence.text):
            if SHORTEST <= word_count(clause) <= LONGEST:
                inside = tuple(
                    Fact(fact.kind, fact.text, fact.start - start)
                    for fact in facts
                    if start <= fact.start and fact.end <= start + len(clause)
                )
                best = max((WORTH[fact.kind] for fact in inside), default=WORTH["term"])
                yield Unit(sentence, clause, inside, best * self._importance(sentence, clause))

    def _importance(self, sentence: Sentence, clause: str) -> float:
        """The importance of the sentence, in proportion to what the clause has of its topic."""
        whole = self.reading.topicality(sentence.stems)
        own = self.reading.topicality(frozenset(content_stems(clause)))
        return self.task.scores[sentence.index] * own / whole if whole else 0.0

    def _question(self, unit: Unit, kind: QuestionKind) -> Question | None:
        drafts = self._claims(unit) if kind == "true_false" else self._gaps(unit, kind)
        for question in drafts:
            item = SheetItem(number=1, kind=kind, question=question.question, options=list(question.options))
            if answer_from(self.reading, item) == question.answer:
                return self._spoilt(question)
        return None

    def _gaps(self, unit: Unit, kind: QuestionKind) -> Iterator[Question]:
        """Questions for the facts of the clause, then for who says it, then for a plain word of it."""
        yield from self._gaps_at(unit, kind, sorted(unit.facts, key=lambda fact: -WORTH[fact.kind]))
        if unit.sentence.speaker and unit.sentence.opens:
            options = self._shuffled(unit, unit.sentence.speaker, self.reading.speakers)
            if kind == "short_answer" or len(options) == OPTIONS:
                text = speaker_question(unit.clause)
                yield self._made(unit, kind, text, unit.sentence.speaker, options, with_label=True)
        yield from self._gaps_at(unit, kind, self._terms(unit))

    def _gaps_at(self, unit: Unit, kind: QuestionKind, facts: Iterable[Fact]) -> Iterator[Question]:
        for fact in facts:
            if len(unit.stems - set(content_stems(fact.text))) < LEAST_CONTEXT:
                continue
            options = self._options(unit, fact) if kind == "multiple_choice" else []
            if kind == "short_answer" or len(options) == OPTIONS:
                text = gap_question(unit.clause, fact.start, fact.end, fact.kind, unit.sentence.speaker)
                yield self._made(unit, kind, text, fact.text, options)

    def _claims(self, unit: Unit) -> Iterator[Question]:
        asked = Counter(q.answer for q in self.questions if q.kind == "true_false")
        if asked["false"] < asked["true"]:
            for fact in [*unit.facts, *self._terms(unit)]:
                for other in self._others(unit, fact)[:3]:
                    changed = unit.clause[: fact.start] + other + unit.clause[fact.end :]
                    yield self._made(unit, "true_false", claim(changed, unit.sentence.speaker), "false", [])
        else:
            yield self._made(unit, "true_false", claim(unit.clause, unit.sentence.speaker), "true", [])

    def _made(
        self, unit: Unit, kind: QuestionKind, text: str, answer: str, options: list[str], with_label: bool = False
    ) -> Question:
        sentence = unit.sentence
        start = sentence.turn if with_label else sentence.start
        return Question(
            kind=kind,
            question=" ".join(text.split()),
            options=tuple(options) if kind == "multiple_choice" else (),
            answer=" ".join(answer.split()),
            evidence=self.reading.text[start : sentence.end],
        )

    def _options(self, unit: Unit, fact: Fact) -> list[str]:
        return self._shuffled(unit, " ".join(fact.text.split()), self._others(unit, fact))

    def _shuffled(self, unit: Unit, answer: str, others: Iterable[str]) -> list[str]:
        wrong = [other for other in others if other != answer][: OPTIONS - 1]
        return sorted([answer, *wrong], key=lambda option: self.task.dice.draw(f"{unit.clause}\n{option}"))

    def _others(self, unit: Unit, fact: Fact) -> list[str]:
        """Other facts of the same kind, none of them in the sentence or part of the fact, in a drawn order."""
        pool = self._like(fact.text) if fact.kind == "term" else self.reading.facts_by_kind.get(fact.kind, [])
        sentence = unit.sentence.text.lower()
        stems = set(content_stems(fact.text))
        others = [
            other
            for other in pool
            if other.lower() not in sentence and not stems & set(content_stems(other)) and _alike(other, fact.text)
        ]
        return sorted(others, key=lambda other: self.task.dice.draw(f"{unit.clause}\n{fact.text}\n{other}"))

    def _terms(self, unit: Unit) -> list[Fact]:
        """Plain words of the clause that the document uses more than once, the longest first."""
        found = [
            Fact("term", match[0], match.start())
            for match in re.finditer(r"(?<![\w’'-])[a-z]{5,}(?![\w’'-])", unit.clause)
            if len(self.reading.postings.get((content_stems(match[0]) or [""])[0], ())) > 1
        ]
        return sorted(found, key=lambda fact: -len(fact.text))[:3]

    def _like(self, word: str) -> list[str]:
        """Words of the document with the same ending, as a likeness of the part of speech."""
        return [other for other in self.reading.terms if other[-2:] == word[-2:] and other != word]

    def _spoilt(self, question: Question) -> Question:
        """The question, with a wrong key if the dice say that this writer errs."""
        if not self.task.dice.errs(self.task.rates.generator, question.question):
            return question
        wrong = {"true": "false", "false": "true"}.get(question.answer)
        if wrong is None:
            pool = question.options or self.reading.facts_by_kind.get("name", ["nobody"])
            wrong = next((option for option in pool if option != question.answer), "nobody")
        return question.model_copy(update={"answer": wrong})


def windows(sentence: str) -> Iterator[tuple[int, str]]:
    """The stretches of a sentence that fit into one question: whole clauses, each with the offset where it begins."""
    if word_count(sentence) <= LONGEST:
        yield 0, sentence.rstrip(" .;:,")
        return
    position = 0
    begin, held = 0, ""
    for clause in clauses(sentence):
        start = sentence.index(clause, position)
        position = start + len(clause)
        joined = sentence[begin:position] if held else clause
        if held and word_count(joined) > LONGEST:
            yield begin, held
            joined = clause
        if joined == clause:
            begin = start
        held = joined
    if held:
        yield begin, held.rstrip(" .;:,")


def _slots(missing: Counter[QuestionKind], spread: list[PartQuota]) -> Iterator[tuple[int, QuestionKind]]:
    """Which kind is asked about which part: kinds take turns, parts have as many questions as their quota."""
    turns = [kind for number in range(max(missing.values(), default=0)) for kind in KINDS if missing[kind] > number]
    places = [quota.part for quota in spread for _ in range(quota.questions)]
    return zip(places, turns, strict=False)


def _overlaps(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return len(ours & theirs) >= SAME_QUESTION * max(1, min(len(ours), len(theirs)))


def _alike(first: str, second: str) -> bool:
    """Whether two facts look alike: both with digits or both without."""
    return any(c.isdigit() for c in first) == any(c.isdigit() for c in second)


__all__ = ["aggregate", "draft", "question_worth", "same_question", "windows"]
