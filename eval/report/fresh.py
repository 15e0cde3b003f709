"""Exam accuracy on fresh questions: those that no system under test asked in a quiz of its own.

A system that quizzes itself drafts towards its own questions. Where the kept quiz asks about the same sentence of the
document, that is an advantage which says nothing about other readers; here such questions are left out, for all systems
alike.
"""

from statistics import fmean

from pydantic import BaseModel, TypeAdapter

from summq.eval.archive import Cells, Outcome
from summq.eval.metrics import Column
from summq.programs.text.quotes import same_text

COLUMN = Column(key="exam_fresh", heading="exam, fresh questions")


class Answered(BaseModel):
    """What the details of an exam say of one question."""

    evidence: str
    correct: bool | None


def with_fresh_exam(cells: Cells) -> Cells:
    """The outcomes of exams with the column `exam_fresh`, 0 to 1; None where no question of the exam is fresh."""
    own = own_evidence(cells)

    def added(outcome: Outcome) -> Outcome:
        if "exam" not in outcome.metrics:
            return outcome
        accuracy = _accuracy(answers_of(outcome), own[outcome.id])
        return outcome.model_copy(update={"metrics": {**outcome.metrics, COLUMN.key: accuracy}})

    return {key: added(outcome) for key, outcome in cells.items()}


def own_evidence(cells: Cells) -> dict[str, set[str]]:
    """For each document the sentences that any system asked about in a quiz of its own."""
    own: dict[str, set[str]] = {outcome.id: set() for outcome in cells.values()}
    for outcome in cells.values():
        own[outcome.id].update(map(same_text, outcome.asked))
    return own


def answers_of(outcome: Outcome) -> list[Answered]:
    """The exam of one summary, question by question."""
    return TypeAdapter(list[Answered]).validate_python(outcome.details.get("exam", {}).get("answers", []))


def freshness(cells: Cells) -> str:
    """How many of the questions are fresh, in words."""
    own = own_evidence(cells)
    exams = {outcome.id: answers for outcome in cells.values() if (answers := answers_of(outcome))}
    fresh = sum(same_text(a.evidence) not in own[row_id] for row_id, answers in exams.items() for a in answers)
    return f"{fresh} of {sum(map(len, exams.values()))} questions are about what no system asked in a quiz of its own"


def _accuracy(answers: list[Answered], own: set[str]) -> float | None:
    fresh = [a.correct for a in answers if a.correct is not None and same_text(a.evidence) not in own]
    return fmean(fresh) if fresh else None


__all__ = ["COLUMN", "freshness", "with_fresh_exam"]
