"""TAKEQUIZ of Algorithm 1: an examinee who has read only the summary sits the quiz, and its answers are graded."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import dspy

from summq.programs.grading import compared
from summq.programs.runtime.fan_out import fan_out
from summq.programs.runtime.members import call_roll
from summq.programs.runtime.role import Role
from summq.signatures import (
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


@dataclass(frozen=True)
class Sitting:
    """An exam and the agents that were lost over it."""

    exam: Exam
    lost: list[LostMember]


@dataclass(frozen=True)
class Verification:
    """Whether questions hold with the document at hand, as far as that could be told, and who was lost over it."""

    holds: dict[Question, bool]
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

    def verify(self, questions: Sequence[Question], windows: Sequence[Document]) -> Verification:
        """Try each question with those windows of the document at hand that have its evidence."""
        holds: dict[Question, bool] = {}
        lost: list[LostMember] = []
        for window in windows:
            here = [q for q in questions if len(windows) == 1 or q.evidence in window.text]
            sitting = self.with_document(Quiz(questions=here), window)
            lost += sitting.lost
            for question, answer in zip(here, sitting.exam.answers, strict=True):
                if answer.correct is not None:
                    holds[question] = holds.get(question, False) or answer.correct
        return Verification(holds, lost)

    def _sit(self, role: Role, quiz: Quiz, reading: Mapping[str, object]) -> Sitting:
        if not quiz.questions:
            return Sitting(Exam(answers=[]), lost=[])
        sheet = [_shuffled(item, self.seed) for item in quiz.sheet()]
        roll = call_roll(role.role, fan_out([lambda: role(**reading, questions=sheet).sheet.answers]))
        given = {answer.number: answer.answer for answer in roll.replies.get(0, []) if answer.answer}
        graded = [
            compared(item.number, question, given.get(item.number), item.options)
            for item, question in zip(sheet, quiz.questions, strict=True)
        ]
        sitting = self._graded_by_call(quiz, graded)
        return replace(sitting, lost=[*roll.lost, *sitting.lost])

    def _graded_by_call(self, quiz: Quiz, graded: Sequence[GradedAnswer]) -> Sitting:
        """The grader decides on short answers that are not literally the key; what it leaves out stays unscored."""
        keyed = [
            KeyedAnswer(number=a.number, question=a.question, key=quiz.questions[a.number - 1].answer, given=a.given)
            for a in graded
            if a.kind == "short_answer" and a.correct is None and a.given is not None
        ]
        if not keyed:
            return Sitting(Exam(answers=list(graded)), lost=[])
        roll = call_roll(self.grade.role, fan_out([lambda: self.grade(given=keyed).marks.grades]))
        marks = {grade.number: grade.correct for grade in roll.replies.get(0, [])}
        asked = {item.number for item in keyed}
        decided = [a.model_copy(update={"correct": marks.get(a.number)}) if a.number in asked else a for a in graded]
        return Sitting(Exam(answers=decided), roll.lost)


def _shuffled(item: SheetItem, seed: int) -> SheetItem:
    """The question with its options in an order that the seed and the question determine."""
    order = list(item.options)
    random.Random(f"{seed}/{item.question}").shuffle(order)
    return item.model_copy(update={"options": order})


__all__ = ["Examinee", "Sitting", "Verification"]
