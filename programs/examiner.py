"""The exam as a measure: a pool of questions about each document, made once, kept in a folder, for any summary.

The fewer questions a writer may ask, the more obvious they are. So the pool has the same size however many questions an
exam asks, and every question of it has the same chance of being asked: scores do not depend on the number of questions.

The examiner drafts with a brief of its own, so that no system under test asks the same questions, and checks them with
the document at hand and without any text: a question that fails with the document, whose evidence is not in it, or that
is answered right without any text, is dropped.
"""

import random
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import dspy
from pydantic import BaseModel, ConfigDict, Field

from summq.programs.coverage import part_of
from summq.programs.digest import ContextWindow
from summq.programs.examine import Examinee
from summq.programs.quiz_craft import QUIZ, QuizBrief, shortage
from summq.programs.runtime.files import make_folder, read_model, sole_user, write_model
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.prefix import Primer
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.runtime.usage import Meter
from summq.signatures import KINDS, Document, DraftQuiz, Question, QuestionCounts, Quiz, fingerprint

A_KIND = 15
POOL = QuestionCounts(**dict.fromkeys(KINDS, A_KIND))
CRAFT = replace(QUIZ, at_once=A_KIND)  # a call a kind, where a reply has tokens for so many


class DrawnQuiz(BaseModel):
    """The questions of one exam, what was wanted of them, and how many had to be dropped from their pool."""

    model_config = ConfigDict(frozen=True)

    quiz: Quiz
    wanted: QuestionCounts
    dropped: int = 0
    known: int = 0
    blind_rate: float | None = None

    @classmethod
    def of(cls, quiz: Quiz) -> "DrawnQuiz":
        """A quiz that is there already, and lacks nothing."""
        counts = Counter(question.kind for question in quiz.questions)
        return cls(quiz=quiz, wanted=QuestionCounts(**{kind: counts[kind] for kind in KINDS}))

    @property
    def missing(self) -> QuestionCounts:
        """How many of the wanted questions the quiz lacks."""
        return self.wanted.lacking(self.quiz.questions)

    @property
    def shortage(self) -> str:
        """What the quiz lacks and why, in half a line; empty if it lacks nothing."""
        return shortage(self.quiz, self.wanted, self.dropped, self.known)


class QuestionPool(BaseModel):
    """Checked questions as they lie in the folder: about which document, who made them, and what did not hold."""

    model_config = ConfigDict(frozen=True)

    document: str
    title: str
    made_by: list[str]
    wanted: QuestionCounts
    questions: list[Question]
    dropped: list[Question] = Field(description="what failed with the document at hand")
    known: list[Question] = Field(default=[], description="what was answered right without any text")
    blind_rate: float | None = Field(default=None, description="share of `known` in what holds; None: not tried")

    def draw(self, wanted: QuestionCounts, seed: int = 0) -> DrawnQuiz:
        """As many of the questions as are wanted, by chance and spread over the document."""
        questions = [
            question
            for kind in KINDS
            for question in _systematic_sample(
                [q for q in self.questions if q.kind == kind], wanted.of(kind), f"{seed}/{self.document}/{kind}"
            )
        ]
        return DrawnQuiz(
            quiz=Quiz(questions=questions),
            wanted=wanted,
            dropped=len(self.dropped),
            known=len(self.known),
            blind_rate=self.blind_rate,
        )


def _systematic_sample(questions: Sequence[Question], number: int, seed: str) -> list[Question]:
    """So many of the questions, in their order: a systematic sample along the document, all chances the same."""
    if not 0 < number < len(questions):
        return list(questions[:number])
    generator = random.Random(seed)
    along = sorted(generator.sample(range(len(questions)), len(questions)), key=lambda n: part_of(questions[n]))
    start, step = generator.random(), len(questions) / number
    return [questions[n] for n in sorted(along[int((start + place) * step)] for place in range(number))]


class Examiner(dspy.Module):
    """Makes the pool of questions about a document.

    Args:
        wanted: How many questions of each kind.
        edition: Another number asks for another pool.
        side_by_side: Whether the kinds are drafted at once, each by a call of its own.
    """

    def __init__(self, wanted: QuestionCounts = POOL, edition: int = 0, *, side_by_side: bool = True) -> None:
        super().__init__()
        self.wanted = wanted
        self.side_by_side = side_by_side
        brief = f"Other exams about the document exist that you don't know. This is exam number {edition + 1}."
        self.draft = Role(DraftQuiz, "examiner", angle=brief)
        self.examinee = Examinee(edition)

    @property
    def fingerprint(self) -> str:
        """A short hash of what decides about a pool besides its document: backbones, prompts and counts."""
        roles = (self.draft, self.examinee.open_book, self.examinee.blind, self.examinee.grade)
        asked = [(role.played_by.model, role.dump_state()) for role in roles]
        return fingerprint(repr((asked, self.wanted, self.side_by_side)), 12)

    def forward(self, document: Document) -> QuestionPool:
        """The questions, less what does not hold or needs no text.

        Raises:
            UnusableReply: No question is left.
        """
        meter = Meter(parent=dspy.settings.get("meter"))
        with dspy.context(meter=meter, document_key=document.key, primer=Primer()):
            windows = ContextWindow.of_backbones().windows(document)
            briefs = [QuizBrief(document, wanted, windows) for wanted in self._shares]
            questions = [question for batch in parallel(self._draft_batch, briefs) for question in batch]
            verified, blind = self.examinee.check(questions, windows)
        dropped = [q for q in questions if verified.holds.get(q) is False or not q.section]
        sound = [q for q in questions if q not in dropped]
        known = [q for q in sound if blind.holds.get(q)]
        if not questions:
            raise UnusableReply("examiner: no sound question")
        if len(known) == len(sound):
            reasons = f"{len(dropped)} fail with the document at hand, {len(known)} need no text to be answered"
            raise UnusableReply(f"examiner: no question is left: of {len(questions)}, {reasons}")
        return QuestionPool(
            document=document.key,
            title=document.title,
            made_by=sorted({record.model for record in meter.records}),
            wanted=self.wanted,
            questions=[q for q in sound if q not in known],
            dropped=dropped,
            known=known,
            blind_rate=len(known) / len(sound) if blind.holds else None,
        )

    def _draft_batch(self, brief: QuizBrief) -> list[Question]:
        """The questions of one call; none where the document yields no sound one of these kinds."""
        try:
            return CRAFT.first_draft(self.draft, brief).questions
        except UnusableReply:
            return []

    @property
    def _shares(self) -> list[QuestionCounts]:
        if not self.side_by_side:
            return [self.wanted]
        none = dict.fromkeys(KINDS, 0)
        return [QuestionCounts(**{**none, kind: self.wanted.of(kind)}) for kind in KINDS if self.wanted.of(kind)]


def pool_for(wanted: QuestionCounts) -> QuestionCounts:
    """The size of the pool from which so many questions are drawn: `POOL`, or more where more are wanted."""
    return QuestionCounts(**{kind: max(POOL.of(kind), wanted.of(kind)) for kind in KINDS})


class QuizShelf:
    """Keeps the question pools of an examiner in a folder: the same text and examiner, the same pool.

    Without a folder they are kept in memory.

    Safe to use from many threads and processes: the first that asks for a pool makes it, the others wait.
    """

    def __init__(self, folder: Path | None, examiner: Examiner) -> None:
        """Make the folder. Raises InputError when that can't be done."""
        self.folder = make_folder(folder) if folder else None
        self.examiner = examiner
        self._at_hand: dict[str, QuestionPool] = {}
        self._lock = threading.Lock()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def pool_about(self, document: Document) -> QuestionPool:
        """The questions about a document, made if they are not there.

        Raises:
            DataError: What lies there is no pool.
        """
        name = f"{document.key}-{self.examiner.fingerprint}"
        with self._lock:
            making = self._locks[name]
        with making:
            if name not in self._at_hand:
                self._at_hand[name] = self._read_or_make(document, name)
            return self._at_hand[name]

    def _read_or_make(self, document: Document, name: str) -> QuestionPool:
        if self.folder is None:
            return self._make(document)
        path = self.folder / f"{name}.json"
        with sole_user(self.folder / f".{name}.lock", f"the quiz {path}"):
            if path.exists():
                return read_model(path, QuestionPool, "a pool of questions", "remove it and it will be made again")
            pool = self._make(document)
            write_model(path, pool)
        return pool

    def _make(self, document: Document) -> QuestionPool:
        pool: QuestionPool = self.examiner(document)
        return pool


__all__ = ["POOL", "DrawnQuiz", "Examiner", "QuestionPool", "QuizShelf", "pool_for"]
