"""What Algorithm 1 carries along: the run so far, the record of one iteration, and the ending."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from summq.programs.digest import Reading
from summq.programs.examine import Sitting
from summq.programs.feedback import for_the_quiz, for_the_summary
from summq.signatures import (
    Exam,
    Generation,
    Iteration,
    LostMember,
    Question,
    Quiz,
    ReviewRecord,
    StopReason,
)


@dataclass(frozen=True)
class Run:
    """What Algorithm 1 carries from one iteration to the next."""

    reading: Reading
    iterations: list[Iteration] = field(default_factory=list)
    verified: dict[Question, bool] = field(default_factory=dict)
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
    lost: list[LostMember] = field(default_factory=list)

    def examined(self, sitting: Sitting) -> "Ending":
        """With its exam."""
        return replace(self, exam=sitting.exam, lost=[*self.lost, *sitting.lost])


def recorded(
    summary: Generation[str],
    summary_review: ReviewRecord,
    quiz: Generation[Quiz] | None = None,
    quiz_review: ReviewRecord | None = None,
    exam: Exam | None = None,
    lost: Sequence[LostMember] = (),
) -> Iteration:
    """The iteration with its feedback: what reviewers hold, and what the examinee failed, split by who is to blame."""
    quiz_issues = quiz_review.issues if quiz_review else []
    failures = for_the_summary(exam, quiz.chosen) if exam and quiz else []
    return Iteration(
        summary=summary.chosen,
        quiz=quiz.chosen if quiz else None,
        summary_generation=summary,
        quiz_generation=quiz,
        summary_review=summary_review,
        quiz_review=quiz_review,
        exam=exam,
        summary_feedback=[*summary_review.issues, *failures],
        quiz_feedback=[*quiz_issues, *(for_the_quiz(exam, quiz.chosen, quiz_issues) if exam and quiz else [])],
        lost=list(lost),
    )


def kept(previous: Any, agents: int) -> Generation[Any]:
    """A generation that was not needed: nobody criticised the previous artifact."""
    calls = agents if agents == 1 else 2 * agents + 2
    return Generation(drafts=[], decided_by="kept", chosen=previous, saved={"keep_uncriticised": calls})


def saved_calls(iterations: Sequence[Iteration]) -> dict[str, int]:
    """Calls not made, by the rule that saved them."""
    saved: Counter[str] = Counter()
    for i in iterations:
        for record in (i.summary_generation, i.quiz_generation, i.summary_review, i.quiz_review):
            saved.update(record.saved if record else {})
    return dict(saved)


__all__ = ["Ending", "Run", "kept", "recorded", "saved_calls"]
