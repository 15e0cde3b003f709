"""Who is to blame for a failed question, and what the writers are told about it (DESIGN 5.4).

Feedback names the question and what is missing, never the answer: neither the key, nor the answer given, nor whether it
was a wrong one or none.
"""

from collections.abc import Collection, Sequence

from summq.programs.quizzes import named_questions
from summq.signatures import Exam, GradedAnswer, Issue, Quiz


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


__all__ = ["blamed", "for_the_quiz", "for_the_summary"]
