"""Writing quizzes: what is asked about, how kinds and parts get their share; choosing among others' questions."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

from summq.programs.runtime.offline.questions import QuestionWriter, Unit, units_of
from summq.programs.runtime.offline.task import Task
from summq.programs.text.stems import stems_of
from summq.signatures import KINDS, PARTS, PartQuota, Question, QuestionCounts, QuestionKind, Quiz

SAME_CLAUSE = 0.6
SAME_QUESTION = 0.8
VERBATIM = 0.95


def draft(task: Task) -> dict[str, Any]:
    """As many questions of each kind and about each part as wanted; fewer if the document does not yield them."""
    return {"quiz": Quiz(questions=_Drafting(task).run(task["wanted"], task["spread"]))}


def aggregate(task: Task) -> dict[str, Any]:
    """The labels of questions about what matters most, as many of each kind as wanted, no two the same."""
    wanted: QuestionCounts = task["wanted"]
    worth = {label: question_worth(task, question) for label, question in task["candidates"].items()}
    selection: dict[str, Question] = {}
    for label in sorted(worth, key=lambda label: -worth[label]):
        question = task["candidates"][label]
        full = sum(other.kind == question.kind for other in selection.values()) >= wanted.of(question.kind)
        if not full and not any(same_question(question.question, other.question) for other in selection.values()):
            selection[label] = question
    return {"chosen": list(selection)}


def question_worth(task: Task, question: Question) -> float:
    """How much a question is worth asking: the salience of what it is about; 0 if its evidence is not there."""
    hit = task.document.find(question.evidence)
    if hit is None or hit.share < VERBATIM or question.faults():
        return 0.0
    return task.scores[hit.sentence.index]


def same_question(first: str, second: str) -> bool:
    """Whether two questions ask the same thing."""
    return _overlap(stems_of(first), stems_of(second)) >= SAME_QUESTION


class _Drafting:
    """One quiz in the making."""

    def __init__(self, task: Task) -> None:
        self.writer = QuestionWriter(task)
        self.parts = max([quota.of for quota in task["spread"]], default=PARTS)
        self.units = _by_part(task, self.parts)
        earlier = [*task["present"], *task.inputs.get("stays", {}).values()]
        self.used: list[frozenset[str]] = [stems_of(question) for question in earlier]
        self.questions: list[Question] = []

    def run(self, wanted: QuestionCounts, spread: list[PartQuota]) -> list[Question]:
        """Every part gets its share, the kinds taking turns; then what is missing is taken where it can be had.

        Sentences that can't be understood by themselves are asked about last.

        Who is asked for one kind alone begins with a third of the clauses, so that others who are asked for the other
        kinds at the same time don't ask the same.
        """
        kinds = [kind for kind in KINDS if wanted.of(kind)]
        if len(kinds) == 1:
            for units in self.units.values():
                units.sort(key=lambda unit: _turn(unit) != KINDS.index(kinds[0]))
        missing: Counter[QuestionKind] = Counter({kind: wanted.of(kind) for kind in KINDS})
        for part, kind in _slots(missing, spread):
            if missing[kind]:
                self._add(part, kind, missing)
        for alone, kind in product((True, False), KINDS):
            for part in self._least_asked_first():
                while missing[kind] and self._add(part, kind, missing, alone=alone):
                    pass
        return self.questions

    def _add(self, part: int, kind: QuestionKind, missing: Counter[QuestionKind], *, alone: bool = True) -> bool:
        """Ask about the worthiest sentence of a part that yields a question of this kind, if there is one."""
        for unit in self.units[part]:
            if unit.alone != alone or self._is_used(unit):
                continue
            question = self.writer.write(unit, kind, true=self._true_is_due())
            if question is not None:
                self.used.append(unit.stems)
                self.questions.append(question.model_copy(update={"section": self._section(part)}))
                missing[kind] -= 1
                return True
        return False

    def _is_used(self, unit: Unit) -> bool:
        return any(_overlap(unit.stems, stems) >= SAME_CLAUSE for stems in self.used)

    def _true_is_due(self) -> bool:
        answers = Counter(question.answer for question in self.questions if question.kind == "true_false")
        return answers["true"] <= answers["false"]

    def _section(self, part: int) -> str:
        return f"part {part} of {self.parts}"

    def _least_asked_first(self) -> list[int]:
        counts = Counter(question.section for question in self.questions)
        return sorted(range(1, self.parts + 1), key=lambda part: counts[self._section(part)])


def _turn(unit: Unit) -> int:
    """Which kind a clause is asked about first, where kinds are asked for by different calls."""
    return unit.sentence.index % len(KINDS)


def _by_part(task: Task, parts: int) -> dict[int, list[Unit]]:
    """The clauses of each part, those about what matters most first."""
    units: dict[int, list[Unit]] = defaultdict(list)
    for sentence in task.document.sentences:
        units[task.document.part_of(sentence, parts)].extend(units_of(task.document, task.scores, sentence))
    for clauses in units.values():
        clauses.sort(key=Unit.sort_key)
    return units


def _slots(missing: Counter[QuestionKind], spread: list[PartQuota]) -> Iterator[tuple[int, QuestionKind]]:
    """Which kind is asked about which part: kinds take turns, parts have as many questions as their quota."""
    turns = [kind for number in range(max(missing.values(), default=0)) for kind in KINDS if missing[kind] > number]
    places = [quota.part for quota in spread for _ in range(quota.questions)]
    return zip(places, turns, strict=False)


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """The share of the smaller of two sets that the other has as well."""
    return len(ours & theirs) / max(1, min(len(ours), len(theirs)))


__all__ = ["aggregate", "draft", "question_worth", "same_question"]
