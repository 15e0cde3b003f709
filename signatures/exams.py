"""TAKEQUIZ of Algorithm 1: what examinee and grader are asked, answers and grades, and the exam that they add up to."""

import re
from typing import Any, Literal

import dspy
from pydantic import BaseModel, ConfigDict, Field, computed_field, model_serializer, model_validator

from summq.signatures.document import Document
from summq.signatures.parsing import Listing, Number, Text
from summq.signatures.questions import KINDS, OPTIONS, SheetItem

NOT_IN_SUMMARY = "not in the summary"
NOT_KNOWN = "not known"
Blame = Literal["summary", "quiz", "both"]
NUMBERED = re.compile(r"(?is)\W{0,3}(?:q|question|no|number)?\W{0,3}(\d{1,4})\s*[.:)\]-]+[*_]*\s+(.+)")
CHANCE = {"multiple_choice": 1 / OPTIONS, "true_false": 1 / 2, "short_answer": 0.0}


class Answer(BaseModel):
    """An examinee's answer to one question, written as `12. true`; an object with both fields is understood as well."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: Number
    answer: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: Any) -> Any:
        match = NUMBERED.fullmatch(value) if isinstance(value, str) else None
        return {"number": match[1], "answer": match[2]} if match else value

    @model_serializer
    def _as_text(self) -> str:
        return f"{self.number}. {self.answer}"

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "description": "<number of the question>. <the answer>"}


class Answers(Listing):
    """An examinee's answers, by the numbers of the questions."""

    answers: list[Answer] = Field(json_schema_extra={"maxItems": 60})


class KeyedAnswer(BaseModel):
    """A short answer beside its key, for the grader."""

    model_config = ConfigDict(frozen=True)

    number: int
    question: str
    key: str
    given: str


class Grade(BaseModel):
    """Whether a short answer says what the key says."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: Number
    correct: bool


class Grades(Listing):
    """The grader's decisions, by the numbers of the questions."""

    grades: list[Grade] = Field(json_schema_extra={"maxItems": 60})


class GradedAnswer(BaseModel):
    """What the examinee answered to one question and what came of it."""

    model_config = ConfigDict(frozen=True)

    number: int
    kind: str
    question: str
    given: str | None = Field(description="None: the examinee's reply held no answer to this question")
    correct: bool | None = Field(description="None: unscored, neither right nor wrong")
    not_in_summary: bool = False
    known: bool | None = Field(
        default=None, description="whether the question was answered right without any text, too; None: not tried"
    )
    blame: Blame | None = Field(
        default=None, description="who is at fault when the answer is not correct; both: the summary or the quiz"
    )


class Exam(BaseModel):
    """A quiz taken by an examinee who read only the summary.

    Neither unscored answers count, nor those to questions that were answered right without any text, too.
    """

    model_config = ConfigDict(frozen=True)

    answers: list[GradedAnswer]

    def __repr__(self) -> str:
        right = sum(bool(answer.correct) for answer in self.scored)
        return f"Exam({right} of {len(self.scored)} right, {self.unscored} unscored)"

    __str__ = __repr__

    @property
    def scored(self) -> list[GradedAnswer]:
        """The answers that count: those that could be graded, to questions that need the text."""
        return [a for a in self.answers if a.correct is not None and not a.known]

    @computed_field
    @property
    def unscored(self) -> int:
        """How many answers could not be graded."""
        return sum(a.correct is None for a in self.answers)

    @computed_field
    @property
    def blind_rate(self) -> float | None:
        """The share of questions that were answered right without any text; None where none was tried so."""
        tried = [a.known for a in self.answers if a.known is not None]
        return sum(tried) / len(tried) if tried else None

    @computed_field
    @property
    def accuracy(self) -> float | None:
        """The share of scored answers that are right, from 0 to 1; None when nothing could be scored."""
        return _share(self.scored)

    @computed_field
    @property
    def accuracy_by_kind(self) -> dict[str, float | None]:
        """The accuracy for each kind of question that was asked."""
        return {kind: _share([a for a in self.scored if a.kind == kind]) for kind in self._kinds()}

    @property
    def score(self) -> float | None:
        """Mean of the accuracies by kind, 0 to 1: the same however many questions of each kind are asked."""
        return _mean(self.accuracy_by_kind)

    @property
    def score_corrected(self) -> float | None:
        """Mean of the chance-corrected accuracies by kind, at most 1; 0 is guessing."""
        return _mean(self.chance_corrected_by_kind)

    @computed_field
    @property
    def chance_corrected(self) -> float | None:
        """Mean over scored answers of (right - chance) / (1 - chance) by kind: 0 is guessing, 1 is all right.

        "Not in the summary" is no guess: it counts as 0, a wrong guess as -chance / (1 - chance).
        """
        scores = [_corrected(a) for a in self.scored]
        return sum(scores) / len(scores) if scores else None

    @computed_field
    @property
    def chance_corrected_by_kind(self) -> dict[str, float | None]:
        """The chance-corrected accuracy for each kind of question that was asked."""
        by_kind = {kind: [_corrected(a) for a in self.scored if a.kind == kind] for kind in self._kinds()}
        return {kind: sum(scores) / len(scores) if scores else None for kind, scores in by_kind.items()}

    def _kinds(self) -> list[str]:
        return [kind for kind in KINDS if any(a.kind == kind for a in self.answers)]


def _mean(by_kind: dict[str, float | None]) -> float | None:
    known = [value for value in by_kind.values() if value is not None]
    return sum(known) / len(known) if known else None


def _share(answers: list[GradedAnswer]) -> float | None:
    return sum(bool(a.correct) for a in answers) / len(answers) if answers else None


def _corrected(answer: GradedAnswer) -> float:
    chance = CHANCE[answer.kind]
    if answer.correct:
        return 1.0
    return 0.0 if answer.not_in_summary else -chance / (1 - chance)


class TakeQuiz(dspy.Signature):
    """Answer the questions of a quiz from the text below.

    Use what the text says and nothing else that you may know. To a multiple_choice question give the right option, word
    for word; to a true_false statement give true or false; to a short_answer question give a name, a figure, a date or
    a few words. If the text does not tell, answer: not in the summary.
    """

    summary: str = dspy.InputField(desc="the text, which is a summary")
    questions: list[SheetItem] = dspy.InputField(desc="the questions, by number")
    sheet: Answers = dspy.OutputField(desc="one answer for each question, by number")


class TakeQuizOpenBook(dspy.Signature):
    """Answer the questions of a quiz about the document, with the document at hand.

    Use what the document says and nothing else that you may know. To a multiple_choice question give the right option,
    word for word; to a true_false statement give true or false; to a short_answer question give a name, a figure, a
    date or a few words. If the document does not tell, answer: not in the document.
    """

    document: Document = dspy.InputField(desc="the document at hand")
    questions: list[SheetItem] = dspy.InputField(desc="the questions, by number")
    sheet: Answers = dspy.OutputField(desc="one answer for each question, by number")


class TakeQuizBlind(dspy.Signature):
    """Answer the questions of a quiz about a text that you have not read.

    Use what you know and what questions and options give away. To a multiple_choice question give the right option,
    word for word; to a true_false statement give true or false; to a short_answer question give a name, a figure, a
    date or a few words. If nothing tells you the answer, do not guess, but answer: not known.
    """

    questions: list[SheetItem] = dspy.InputField(desc="the questions, by number")
    sheet: Answers = dspy.OutputField(desc="one answer for each question, by number")


class GradeAnswers(dspy.Signature):
    """Grade the answers that somebody gave in a quiz against the key.

    An answer is correct when it says what the key says: other words, a longer or shorter form, or another way of
    writing a figure, a date or a name do not matter. It is wrong when it says something else, only part of what was
    asked, or nothing.
    """

    given: list[KeyedAnswer] = dspy.InputField(desc="each question with its key and the answer that was given")
    marks: Grades = dspy.OutputField(desc="one grade for each answer, by number")


__all__ = [
    "CHANCE",
    "NOT_IN_SUMMARY",
    "NOT_KNOWN",
    "Answer",
    "Answers",
    "Exam",
    "Grade",
    "GradeAnswers",
    "GradedAnswer",
    "Grades",
    "KeyedAnswer",
    "TakeQuiz",
    "TakeQuizBlind",
    "TakeQuizOpenBook",
]
