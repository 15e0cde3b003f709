"""Exam accuracy on fresh questions: those that no system under test asked in a quiz of its own.

A system that quizzes itself drafts towards its own questions. Where the kept quiz asks about the same sentence of the
document, that is an advantage which says nothing about other readers; here such questions are left out, for all systems
alike.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean

from pydantic import BaseModel

from summq.eval.archive import Outcome
from summq.eval.metrics import Column
from summq.programs.text.quotes import same_text

COLUMN = Column(key="exam_fresh", heading="exam, fresh questions")


class Answered(BaseModel):
    """What the details of an exam say of one question."""

    evidence: str
    correct: bool | None


def with_fresh_exam(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of one document, those with an exam with the column `exam_fresh`.

    It is 0 to 1; None where no question of the exam is fresh.
    """
    own = own_evidence(outcomes)

    def added(outcome: Outcome) -> Outcome:
        if "exam" not in outcome.metrics:
            return outcome
        accuracy = _accuracy(answers_of(outcome), own)
        return outcome.model_copy(update={"metrics": {**outcome.metrics, COLUMN.key: accuracy}})

    return list(map(added, outcomes))


def own_evidence(outcomes: Iterable[Outcome]) -> set[str]:
    """The sentences of one document that any system asked about in a quiz of its own."""
    return {same_text(sentence) for outcome in outcomes for sentence in outcome.asked}


def answers_of(outcome: Outcome) -> list[Answered]:
    """The exam of one summary, question by question."""
    answers = outcome.details.get("exam", {}).get("answers")
    return [Answered.model_validate(answer) for answer in answers] if isinstance(answers, list) else []


def freshness(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How many of the questions about one document are fresh, and how many there are."""
    own = own_evidence(outcomes)
    answers = next((answers for outcome in reversed(outcomes) if (answers := answers_of(outcome))), [])
    return sum(same_text(answer.evidence) not in own for answer in answers), len(answers)


def _accuracy(answers: list[Answered], own: set[str]) -> float | None:
    fresh = [a.correct for a in answers if a.correct is not None and same_text(a.evidence) not in own]
    return fmean(fresh) if fresh else None


__all__ = ["COLUMN", "freshness", "with_fresh_exam"]
