"""What Algorithm 1 carries from one iteration to the next, what it records of each, and what it returns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from summq.programs.digest import Reading
from summq.programs.examine import ExamOutcome
from summq.programs.quiz_craft import named_questions
from summq.signatures import (
    Exam,
    Generation,
    GradedAnswer,
    Issue,
    Iteration,
    LostAgent,
    Question,
    Quiz,
    ReviewRecord,
    StopReason,
)


def blamed(exam: Exam, quiz: Quiz, quiz_issues: Sequence[Issue], failed_open_book: Collection[int]) -> Exam:
    """The exam with every failed question blamed on the quiz or on the summary.

    The quiz is at fault if a kept quiz issue names the question, or if an examinee with the document at hand fails it.
    """
    named = named_questions(quiz_issues, quiz) | set(failed_open_book)

    def blame(answer: GradedAnswer) -> GradedAnswer:
        at_fault = "quiz" if answer.number in named else "summary"
        return answer.model_copy(update={"blame": at_fault}) if answer.correct is False else answer

    return Exam(answers=[blame(answer) for answer in exam.answers])


def for_the_summary(exam: Exam, quiz: Quiz) -> list[Issue]:
    """What the summary fails to tell, as issues for its generators."""
    return [
        Issue(
            kind="omission",
            target=answer.question,
            explanation="Somebody who had read only the summary could not answer this exam question correctly from it.",
            fix=f"State what the question asks for{_where(quiz, answer.number)}.",
        )
        for answer in exam.answers
        if answer.blame == "summary"
    ]


def for_the_quiz(exam: Exam, quiz: Quiz, quiz_issues: Sequence[Issue]) -> list[Issue]:
    """Questions that failed through their own fault and that no reviewer has named, as issues for their writers."""
    named = named_questions(quiz_issues, quiz)
    return [
        Issue(
            kind="unanswerable",
            target=str(answer.number),
            explanation="Even with the document at hand this question could not be answered as its key says.",
            fix="Write another question, with one certain answer in the document.",
        )
        for answer in exam.answers
        if answer.blame == "quiz" and answer.number not in named
    ]


def _where(quiz: Quiz, number: int) -> str:
    section = quiz.questions[number - 1].section
    return f"; see {section} of the document" if section else ""


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
    lost: list[LostAgent] = field(default_factory=list)

    def examined(self, outcome: ExamOutcome) -> "Ending":
        """With its exam."""
        return replace(self, exam=outcome.exam, lost=[*self.lost, *outcome.lost])


def recorded(
    summary: Generation[str],
    summary_review: ReviewRecord,
    quiz: Generation[Quiz] | None = None,
    quiz_review: ReviewRecord | None = None,
    exam: Exam | None = None,
    lost: Sequence[LostAgent] = (),
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


def kept(previous: Any) -> Generation[Any]:
    """A generation that was not needed: nobody criticised the previous artifact."""
    return Generation(drafts=[], decided_by="kept", chosen=previous)


__all__ = ["Ending", "Run", "blamed", "kept", "recorded"]
