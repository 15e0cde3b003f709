"""What Algorithm 1 carries from one iteration to the next, what it records of each, and what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from summq.programs.digest import Reading
from summq.programs.examine import ExamOutcome
from summq.programs.feedback import (
    about_a_quiz,
    about_a_summary,
    alternating,
    for_the_quiz,
    for_the_summary,
    points,
    ranked,
    trivial,
)
from summq.signatures import (
    Exam,
    Generation,
    Issue,
    Iteration,
    LostAgent,
    Question,
    Quiz,
    ReviewRecord,
    StopReason,
)


@dataclass(frozen=True)
class Run:
    """What Algorithm 1 carries from one iteration to the next.

    Args:
        verified: Which questions were answered as their keys say with the document at hand.
        known: Which questions were answered as their keys say without any text.
        written: The summary of the first iteration as soon as it is there, for a budget that ends before the iteration.
    """

    reading: Reading
    iterations: list[Iteration] = field(default_factory=list)
    verified: dict[Question, bool] = field(default_factory=dict)
    known: dict[Question, bool] = field(default_factory=dict)
    written: list[Generation[str]] = field(default_factory=list)
    stop_reason: StopReason = "max_iterations"

    @property
    def last(self) -> Iteration | None:
        """The iteration before this one."""
        return self.iterations[-1] if self.iterations else None


@dataclass(frozen=True)
class Ending:
    """The summary that a run returns, out of which iteration, its exam, and who was lost after the last iteration."""

    summary: str
    exam: Exam | None
    returned: int
    rewritten: bool = False
    lost: list[LostAgent] = field(default_factory=list)

    def examined(self, outcome: ExamOutcome) -> "Ending":
        """With its exam."""
        return replace(self, exam=outcome.exam, lost=[*self.lost, *outcome.lost])


def iteration_record(
    run: Run,
    words: int,
    summary: Generation[str],
    summary_review: ReviewRecord,
    quiz: Generation[Quiz] | None = None,
    quiz_review: ReviewRecord | None = None,
    exam: Exam | None = None,
    lost: Sequence[LostAgent] = (),
) -> Iteration:
    """The iteration with its feedback: what reviewers hold, and what the examinee failed, split by who is to blame.

    Args:
        words: Wanted length of the summary, which limits how much feedback a revision can meet.
    """
    failures = for_the_summary(exam, quiz.chosen) if exam and quiz else []
    feedback = ranked(alternating(summary_review.issues, failures), about_a_summary)
    return Iteration(
        summary=summary.chosen,
        quiz=quiz.chosen if quiz else None,
        summary_generation=summary,
        quiz_generation=quiz,
        summary_review=summary_review,
        quiz_review=quiz_review,
        exam=exam,
        summary_feedback=feedback[: points(words)],
        quiz_feedback=_for_quiz_writers(run, quiz.chosen, quiz_review, exam) if quiz and quiz_review and exam else [],
        unused_feedback=feedback[points(words) :],
        lost=list(lost),
    )


def _for_quiz_writers(run: Run, quiz: Quiz, review: ReviewRecord, exam: Exam) -> list[Issue]:
    failed_open_book = [question for question, holds in run.verified.items() if not holds]
    issues = [*review.issues, *for_the_quiz(exam, quiz, failed_open_book), *trivial(exam)]
    return ranked(issues, about_a_quiz(quiz))


def carried_over(previous: Any) -> Generation[Any]:
    """A generation that was not needed: nobody criticised the previous artifact."""
    return Generation(drafts=[], decided_by="kept", chosen=previous)


__all__ = ["Ending", "Run", "carried_over", "iteration_record"]
