"""The exam as a measure: one quiz a document, made once, kept in a folder, for any summary of any system.

The examiner drafts with a brief of its own, so that no system under test makes the same quiz, and checks it with the
document at hand: a question that fails there, or whose evidence is not in the document, is dropped.
"""

import random
import threading
from collections import defaultdict
from pathlib import Path

import dspy
from pydantic import BaseModel, ConfigDict

from summq.programs.coverage import assemble
from summq.programs.digest import ContextWindow
from summq.programs.examine import Examinee
from summq.programs.quiz_craft import QUIZ, QuizBrief, shortage
from summq.programs.runtime.files import make_folder, read_model, write_text
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.runtime.usage import Meter
from summq.signatures import Document, DraftQuiz, Question, QuestionCounts, Quiz, fingerprint


class KeptQuiz(BaseModel):
    """A checked quiz as it lies in the folder: about which document, who made it, and what did not hold."""

    model_config = ConfigDict(frozen=True)

    document: str
    title: str
    made_by: list[str]
    seed: int
    wanted: QuestionCounts
    pool: int = 1
    quiz: Quiz
    dropped: list[Question]

    @property
    def missing(self) -> QuestionCounts:
        """How many of the wanted questions the quiz lacks."""
        return self.wanted.lacking(self.quiz.questions)

    @property
    def shortage(self) -> str:
        """What the quiz lacks and why, in half a line; empty if it lacks nothing."""
        return shortage(self.quiz, self.wanted, len(self.dropped))


class Examiner(dspy.Module):
    """Makes the quiz about a document.

    Args:
        wanted: How many questions of each kind.
        seed: Another seed makes another quiz.
        pool: How many times as many questions are drafted. The quiz is drawn from those that hold, so that it does not
            consist of the most obvious ones, which every quiz has.
    """

    def __init__(self, wanted: QuestionCounts, seed: int = 0, pool: int = 1) -> None:
        super().__init__()
        self.wanted = wanted
        self.seed = seed
        self.pool = pool
        brief = f"Other exams about the document exist that you don't know. This is exam number {seed + 1}."
        self.draft = Role(DraftQuiz, "examiner", angle=brief)
        self.examinee = Examinee(seed)

    @property
    def edition(self) -> str:
        """A short hash of what decides about a quiz besides its document: backbones, prompts, seed, counts and pool."""
        roles = (self.draft, self.examinee.open_book, self.examinee.grade)
        asked = [(role.played_by.model, role.dump_state()) for role in roles]
        return fingerprint(repr((asked, self.seed, self.wanted, self.pool)), 12)

    def forward(self, document: Document) -> KeptQuiz:
        """The quiz, less what does not hold.

        Raises:
            UnusableReply: No question holds.
        """
        meter = Meter(parent=dspy.settings.get("meter"))
        with dspy.context(meter=meter, document_key=document.key):
            windows = ContextWindow.of_backbones().windows(document)
            brief = QuizBrief(document, self.wanted.times(self.pool), windows)
            questions = QUIZ.drafted(self.draft, brief).questions
            holds = self.examinee.verify(questions, windows).holds
        dropped = [q for q in questions if holds.get(q) is False or not q.section]
        if len(dropped) == len(questions):
            raise UnusableReply("examiner: no question about the document holds with the document at hand")
        return KeptQuiz(
            document=document.key,
            title=document.title,
            made_by=sorted({record.model for record in meter.records}),
            seed=self.seed,
            wanted=self.wanted,
            pool=self.pool,
            quiz=self._drawn([q for q in questions if q not in dropped], document),
            dropped=dropped,
        )

    def _drawn(self, questions: list[Question], document: Document) -> Quiz:
        """As many of the questions as are wanted, spread over the document; all of them where there is no pool."""
        if self.pool == 1:
            return Quiz(questions=questions)
        order = random.Random(f"{self.seed}/{document.key}").sample(questions, len(questions))
        return assemble(order, self.wanted)


class QuizShelf:
    """Keeps the quizzes of an examiner in a folder: the same text and edition, the same quiz.

    Without a folder they are kept in memory.

    Safe to use from many threads: the first that asks for a quiz makes it, the others wait.
    """

    def __init__(self, folder: Path | None, examiner: Examiner) -> None:
        """Make the folder. Raises InputError when that can't be done."""
        self.folder = make_folder(folder) if folder else None
        self.examiner = examiner
        self._at_hand: dict[str, KeptQuiz] = {}
        self._lock = threading.Lock()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def quiz_for(self, document: Document) -> KeptQuiz:
        """The quiz about a document, made if it is not there.

        Raises:
            DataError: What lies there is no quiz.
        """
        name = f"{document.key}-{self.examiner.edition}"
        with self._lock:
            making = self._locks[name]
        with making:
            if name not in self._at_hand:
                self._at_hand[name] = self._read_or_make(document, name)
            return self._at_hand[name]

    def _read_or_make(self, document: Document, name: str) -> KeptQuiz:
        path = self.folder / f"{name}.json" if self.folder else None
        if path and path.exists():
            return read_model(path, KeptQuiz, "a quiz", "remove it and it will be made again")
        made: KeptQuiz = self.examiner(document)
        if path:
            write_text(path, made.model_dump_json(indent=2) + "\n")
        return made


__all__ = ["Examiner", "KeptQuiz", "QuizShelf"]
