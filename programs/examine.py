"""TAKEQUIZ of Algorithm 1: an examinee who has read only the summary takes the quiz, and the answers are graded."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import dspy

from summq.programs.runtime.parallel import parallel, together
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import Role
from summq.programs.runtime.specs import parse_spec
from summq.programs.text.quotes import same_text
from summq.signatures import (
    Answer,
    Document,
    Exam,
    Grade,
    GradeAnswers,
    GradedAnswer,
    KeyedAnswer,
    LostAgent,
    Question,
    Quiz,
    SheetItem,
    TakeQuiz,
    TakeQuizBlind,
    TakeQuizOpenBook,
    option_named,
)

ASKED = 2  # how often what is missing of answers and grades is asked for
GRADED_AT_ONCE = 50
TRUTHS = frozenset({"true", "false"})
HEDGES = frozenset(
    [
        "not",
        "no",
        "never",
        "neither",
        "nor",
        "or",
        "cannot",
        "isn",
        "doesn",
        "wrong",
        "partly",
        "partially",
        "mostly",
        "half",
        "unless",
    ]
)
"""What makes it doubtful that an answer means the option, or the truth value, that it names."""
ARTICLES = frozenset({"a", "an", "the"})
NOT_TOLD = re.compile(r"not (given |stated |mentioned |told |said )?in the (summary|document|text)|not known\b")

# Numbers with sign and fraction, words, and signs that make a difference (5 % is not 5), but no punctuation.
TOKEN = re.compile(r"(?<!\w)[+-]?\d+(?:\.\d+)?|\w+|[^\w\s.,;:!?'\"“”‘’()\[\]–—-]")


def grade_by_comparison(number: int, question: Question, given: str | None, shown: Sequence[str]) -> GradedAnswer:
    """The answer graded; `correct` is None where comparison does not decide, or where there is no answer.

    Args:
        shown: The options in the order in which the examinee saw them.
    """
    record = GradedAnswer(number=number, kind=question.kind, question=question.question, given=given, correct=None)
    if given is None:
        return record
    named = option_named(given, tuple(shown))
    option = named if named in shown else _option_in(given, shown)
    if option is not None:
        return record.model_copy(update={"correct": option == question.answer})
    if not_told(given):
        return record.model_copy(update={"correct": False, "not_in_summary": True})
    return record.model_copy(update={"correct": _agrees(question, given)})


def not_told(answer: str) -> bool:
    """Whether an examinee says that the text does not tell."""
    return NOT_TOLD.match(same_text(answer)) is not None


def normal(answer: str) -> str:
    """An answer without case, punctuation, articles and thousands separators, for comparison."""
    joined = re.sub(r"(?<=\d),(?=\d{3}\b)", "", answer.casefold())
    return " ".join(token for token in TOKEN.findall(joined) if token not in ARTICLES)


def _agrees(question: Question, given: str) -> bool | None:
    """Whether an answer is the key; None when it is no option, neither true nor false, or not literally the key."""
    answer, key = normal(given), normal(question.answer)
    if question.kind == "multiple_choice":
        return answer == key if [normal(option) for option in question.options].count(answer) == 1 else None
    if question.kind == "true_false":
        truth = _truth_in(answer)
        return truth == key if truth else None
    return True if answer and answer == key else None


def _truth_in(answer: str) -> str | None:
    """The one of true and false that a normal answer begins with, or the only one that it names and does not deny."""
    words = [word for word in answer.split() if word.isalnum()]
    if words in (["t"], ["f"]):
        return {"t": "true", "f": "false"}[words[0]]
    if words and words[0] in TRUTHS and not {"or", "and", *TRUTHS}.intersection(words[1:2]):
        return words[0]
    named = [word for word in sorted(TRUTHS) if word in words]
    return named[0] if len(named) == 1 and not HEDGES.intersection(words) else None


def _option_in(answer: str, shown: Sequence[str]) -> str | None:
    """The only option whose words an answer has, beside others that neither deny it nor name another by its letter."""
    text = f" {normal(answer)} "
    named = [option for option in shown if normal(option) and f" {normal(option)} " in text]
    if len(named) != 1:
        return None
    others = text.replace(f" {normal(named[0])} ", " ").split()
    letters = re.findall(r"\boption \(?([a-z])\b", answer, re.IGNORECASE)
    agrees = all(option_named(letter, tuple(shown)) == named[0] for letter in letters)
    return named[0] if agrees and not HEDGES.intersection(others) else None


def recognises(spec: str) -> str | None:
    """What the examinee of a backbone recognises, where it does not understand what it reads; None for a model."""
    return "copied sentences" if parse_spec(spec).kind == "offline" else None


@dataclass(frozen=True)
class ExamOutcome:
    """The exam of a quiz that was taken, and the agents whose replies were lost."""

    exam: Exam
    lost: list[LostAgent]


@dataclass(frozen=True)
class Verification:
    """Which questions an examinee with the document at hand, or without any text, answers as their keys say.

    `holds` lacks the questions that could not be scored.
    """

    holds: dict[Question, bool]
    lost: list[LostAgent]


class Examinee(dspy.Module):
    """Answers and grades quizzes.

    The closed-book call holds the summary and the questions without their keys, and nothing else; the open-book call
    holds the document in place of the summary, the blind call neither.

    Args:
        seed: Of the order in which options are shown.
        open_book: Whether the examinee can also be asked with the document at hand.
        blind: Whether the examinee can also be asked without any text.
    """

    def __init__(self, seed: int = 0, *, open_book: bool = True, blind: bool = True) -> None:
        super().__init__()
        self.seed = seed
        self.closed_book = Role(TakeQuiz, "examinee")
        if open_book:
            self.open_book = Role(TakeQuizOpenBook, "examinee.open_book")
        if blind:
            self.blind = Role(TakeQuizBlind, "examinee.blind")
        self.grade = Role(GradeAnswers, "grader")

    def forward(self, quiz: Quiz, summary: str) -> ExamOutcome:
        """Take the quiz from the summary. Where no readable reply was to be had all answers are unscored."""
        return self.all_of([(quiz, summary)])[0]

    def all_of(self, exams: Sequence[tuple[Quiz, str]]) -> list[ExamOutcome]:
        """Take several quizzes, each from its summary; their open answers are graded together, in one call."""
        sheets = parallel(lambda exam: self._take(self.closed_book, exam[0], {"summary": exam[1]}), exams)
        return self._grade_sheets(sheets)

    def with_document(self, quiz: Quiz, document: Document) -> ExamOutcome:
        """Take the quiz with the document at hand: what fails here is the quiz's fault."""
        return self._grade_sheets([self._take(self.open_book, quiz, {"document": document})])[0]

    def verify(self, questions: Sequence[Question], windows: Sequence[Document]) -> Verification:
        """Which questions are answered with the key by who reads their evidence, or else the document.

        What its evidence bears out holds, however weak a reader of documents the examinee is; so only what else there
        is is tried with the document at hand, in those windows of it that have the evidence.
        """
        return self._verified([self._with_document(questions, windows)])[0]

    def without_text(self, questions: Sequence[Question]) -> Verification:
        """Try each question without any text: what is answered right is known, or can be guessed."""
        return self._verified([[self._without_text(questions)]])[0]

    def check(self, questions: Sequence[Question], windows: Sequence[Document]) -> tuple[Verification, Verification]:
        """`verify` and `without_text` side by side; all their open answers are graded together, in one call."""
        sheets = together(lambda: self._with_document(questions, windows), lambda: [self._without_text(questions)])
        with_document, without_text = self._verified(sheets)
        return with_document, without_text

    def _verified(self, groups: "Sequence[Sequence[Sheet]]") -> list[Verification]:
        """What the sheets of each group tell: a question holds if any of its answers is right."""
        outcomes = iter(self._grade_sheets([sheet for sheets in groups for sheet in sheets]))
        return [_verification([(sheet, next(outcomes)) for sheet in sheets]) for sheets in groups]

    def _with_document(self, questions: Sequence[Question], windows: Sequence[Document]) -> "list[Sheet]":
        """The answers from the evidence alone, and those from each window to what is not right yet."""
        from_evidence = self._with_evidence([question for question in questions if question.section])
        right = {question for question, answer in from_evidence.answers if answer.correct}

        def read(window: Document) -> Sheet:
            here = [q for q in questions if q not in right and (len(windows) == 1 or q.evidence in window.text)]
            return self._take(self.open_book, Quiz(questions=here), {"document": window})

        return [from_evidence, *parallel(read, windows)]

    def _with_evidence(self, questions: Sequence[Question]) -> "Sheet":
        """The quiz taken with the evidence of its questions in place of the document."""
        evidence = Document(text="\n\n".join(dict.fromkeys(question.evidence for question in questions)))
        with dspy.context(primer=None):  # so little needs no primer
            return self._take(self.open_book, Quiz(questions=list(questions)), {"document": evidence})

    def _without_text(self, questions: Sequence[Question]) -> "Sheet":
        return self._take(self.blind, Quiz(questions=list(questions)), {})

    def _take(self, role: Role, quiz: Quiz, reading: Mapping[str, object]) -> "Sheet":
        """The answers as far as comparison grades them; what is missing after the first reply is asked for again."""
        sheet = [_shuffled(item, self.seed) for item in quiz.sheet()]
        given: dict[int, str] = {}
        lost: list[LostAgent] = []
        for time in range(ASKED):
            left = [item for item in sheet if item.number not in given]
            if not left:
                break
            answers, lost = _attempted(role.role, partial(_answers, role, attempt=time, **reading, questions=left))
            given |= {answer.number: answer.answer for answer in answers if answer.answer}
        graded = [
            grade_by_comparison(item.number, question, given.get(item.number), item.options)
            for item, question in zip(sheet, quiz.questions, strict=True)
        ]
        return Sheet(quiz, graded, lost)

    def _grade_sheets(self, sheets: "Sequence[Sheet]") -> list[ExamOutcome]:
        """The grader decides on short answers that are not literally the key; what it leaves out stays unscored."""
        starts = [sum(len(sheet.graded) for sheet in sheets[:place]) for place in range(len(sheets))]
        keyed = [
            KeyedAnswer(number=start + a.number, question=a.question, key=sheet.key_of(a), given=a.given)
            for start, sheet in zip(starts, sheets, strict=True)
            for a in sheet.graded
            if a.kind == "short_answer" and a.correct is None and a.given is not None
        ]
        batches = [keyed[first : first + GRADED_AT_ONCE] for first in range(0, len(keyed), GRADED_AT_ONCE)]
        marks: dict[int, bool] = {}
        lost: list[LostAgent] = []
        for grades, missed in parallel(self._marks, batches):
            marks |= grades
            lost += missed

        def decided(start: int, answer: GradedAnswer) -> GradedAnswer:
            is_open = answer.kind == "short_answer" and answer.correct is None
            return answer.model_copy(update={"correct": marks.get(start + answer.number)}) if is_open else answer

        return [
            ExamOutcome(Exam(answers=[decided(start, a) for a in sheet.graded]), [*sheet.lost, *lost])
            for start, sheet in zip(starts, sheets, strict=True)
        ]

    def _marks(self, keyed: Sequence[KeyedAnswer]) -> tuple[dict[int, bool], list[LostAgent]]:
        marks: dict[int, bool] = {}
        lost: list[LostAgent] = []
        for time in range(ASKED):
            left = [item for item in keyed if item.number not in marks]
            if not left:
                break
            grades, lost = _attempted(self.grade.role, partial(_grades, self.grade, attempt=time, given=left))
            numbers = {item.number for item in left}
            marks |= {grade.number: grade.correct for grade in grades if grade.number in numbers}
        return marks, lost


@dataclass(frozen=True)
class Sheet:
    """A quiz with the answers to it, graded as far as comparison goes, and the agents that were lost."""

    quiz: Quiz
    graded: list[GradedAnswer]
    lost: list[LostAgent]

    @property
    def answers(self) -> list[tuple[Question, GradedAnswer]]:
        """Each question with its answer."""
        return list(zip(self.quiz.questions, self.graded, strict=True))

    def key_of(self, answer: GradedAnswer) -> str:
        """The right answer."""
        return self.quiz.questions[answer.number - 1].answer


def _verification(outcomes: Sequence[tuple[Sheet, ExamOutcome]]) -> Verification:
    """Which questions any of the exams answers right, of those that any of them scores."""
    holds: dict[Question, bool] = {}
    for sheet, outcome in outcomes:
        for question, answer in zip(sheet.quiz.questions, outcome.exam.answers, strict=True):
            if answer.correct is not None:
                holds[question] = holds.get(question, False) or answer.correct
    return Verification(holds, list(dict.fromkeys(agent for _, outcome in outcomes for agent in outcome.lost)))


def _answers(role: Role, attempt: int, **inputs: object) -> list[Answer]:
    answers: list[Answer] = role(attempt=attempt, **inputs).sheet.answers
    return answers


def _grades(role: Role, attempt: int, **inputs: object) -> list[Grade]:
    grades: list[Grade] = role(attempt=attempt, **inputs).marks.grades
    return grades


Item = TypeVar("Item")


def _attempted(role: str, call: Callable[[], list[Item]]) -> tuple[list[Item], list[LostAgent]]:
    """The items of a reply; none, and the agent, if it was lost."""
    items = attempt(role, call)
    return ([], [items]) if isinstance(items, LostAgent) else (items, [])


def _shuffled(item: SheetItem, seed: int) -> SheetItem:
    """The question with its options in an order that the seed and the question determine."""
    order = list(item.options)
    random.Random(f"{seed}/{item.question}").shuffle(order)
    return item.model_copy(update={"options": order})


__all__ = ["ExamOutcome", "Examinee", "Verification", "grade_by_comparison", "normal", "not_told", "recognises"]
