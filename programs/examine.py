"""TAKEQUIZ of Algorithm 1: an examinee who has read only the summary sits the quiz, and its answers are graded."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dspy

from summq.programs.quotes import same_text
from summq.programs.runtime.fan_out import fan_out
from summq.programs.runtime.members import call_roll
from summq.programs.runtime.role import Role
from summq.signatures import (
    NOT_IN_SUMMARY,
    Document,
    Exam,
    GradeAnswers,
    GradedAnswer,
    KeyedAnswer,
    LostMember,
    Question,
    Quiz,
    SheetItem,
    TakeQuiz,
    TakeQuizOpenBook,
)

ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True)
class Sitting:
    """An exam and the agents that were lost over it."""

    exam: Exam
    lost: list[LostMember]


class Examinee(dspy.Module):
    """Answers and grades quizzes.

    The closed-book call holds the summary and the questions without their keys, and nothing else; the open-book call
    holds the document in place of the summary.

    Args:
        seed: Of the order in which options are shown.
        open_book: Whether the examinee can also be asked with the document at hand.
    """

    def __init__(self, seed: int = 0, *, open_book: bool = True) -> None:
        super().__init__()
        self.seed = seed
        self.closed_book = Role(TakeQuiz, "examinee")
        if open_book:
            self.open_book = Role(TakeQuizOpenBook, "examinee.open_book")
        self.grade = Role(GradeAnswers, "grader")

    def forward(self, quiz: Quiz, summary: str) -> Sitting:
        """Sit the quiz from the summary. Where no readable reply was to be had the answer is unscored."""
        return self._sit(self.closed_book, quiz, {"summary": summary})

    def with_document(self, quiz: Quiz, document: Document) -> Sitting:
        """Sit the quiz with the document at hand: what fails here is the quiz's fault."""
        return self._sit(self.open_book, quiz, {"document": document})

    def _sit(self, role: Role, quiz: Quiz, reading: Mapping[str, object]) -> Sitting:
        if not quiz.questions:
            return Sitting(exam=Exam(answers=[]), lost=[])
        sheet = [_shuffled(item, self.seed) for item in quiz.sheet()]
        roll = call_roll(role.role, fan_out([lambda: role(**reading, questions=sheet).sheet.answers]))
        given = {answer.number: answer.answer for answer in roll.replies.get(0, []) if answer.answer}
        graded = [_compared(n, q, given.get(n)) for n, q in enumerate(quiz.questions, 1)]
        decided, lost = self._graded_by_call(quiz, graded)
        return Sitting(exam=Exam(answers=decided), lost=[*roll.lost, *lost])

    def _graded_by_call(
        self, quiz: Quiz, graded: Sequence[GradedAnswer]
    ) -> tuple[list[GradedAnswer], list[LostMember]]:
        """The grader decides on short answers that are not literally the key; what it leaves out stays unscored."""
        keyed = [
            KeyedAnswer(number=a.number, question=a.question, key=quiz.questions[a.number - 1].answer, given=a.given)
            for a in graded
            if a.kind == "short_answer" and a.correct is None and a.given is not None
        ]
        if not keyed:
            return list(graded), []
        roll = call_roll(self.grade.role, fan_out([lambda: self.grade(given=keyed).marks.grades]))
        marks = {grade.number: grade.correct for grade in roll.replies.get(0, [])}
        asked = {item.number for item in keyed}
        decided = [a.model_copy(update={"correct": marks.get(a.number)}) if a.number in asked else a for a in graded]
        return decided, roll.lost


def _shuffled(item: SheetItem, seed: int) -> SheetItem:
    """The question with its options in an order that the seed and the question determine."""
    order = list(item.options)
    random.Random(f"{seed}/{item.question}").shuffle(order)
    return item.model_copy(update={"options": order})


def _compared(number: int, question: Question, given: str | None) -> GradedAnswer:
    """The answer graded by comparison; `correct` is None where that does not decide."""
    record = GradedAnswer(number=number, kind=question.kind, question=question.question, given=given, correct=None)
    if given is None:
        return record
    if not_told(given):
        return record.model_copy(update={"correct": False, "not_in_summary": True})
    return record.model_copy(update={"correct": _agrees(question, given)})


def _agrees(question: Question, given: str) -> bool | None:
    """Whether an answer is the key; None when it is no option, neither true nor false, or not literally the key."""
    said, key = normal(given), normal(question.answer)
    if question.kind == "multiple_choice":
        options = {normal(option) for option in question.options}
        return said == key if said in options else None
    if question.kind == "true_false":
        word = said.split()[0] if said else ""
        return word == key if word in ("true", "false") else None
    return True if said == key else None


def not_told(answer: str) -> bool:
    """Whether an examinee says that the text does not tell."""
    said = r"not (given |stated |mentioned |told |said )?in the (summary|document|text)"
    return re.match(said, same_text(answer)) is not None


def normal(answer: str) -> str:
    """An answer without case, punctuation, articles and thousands separators, for comparison."""
    joined = re.sub(r"(?<=\d),(?=\d{3})", "", answer)
    return " ".join(word for word in same_text(joined).split() if word not in ARTICLES)


__all__ = ["NOT_IN_SUMMARY", "Examinee", "Sitting", "normal", "not_told"]
