"""`ExamineeMetric`: a score for a summary without any reference, learned from examples (DESIGN section 11).

A summary takes the quiz of its document; how that went, and what the summary says about the document and how, is
weighed as fitted on a training split, so that summaries are ordered as ROUGE-1 + BERTScore (or people) order them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import dspy

from summq.eval.data import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.eval.metrics.examinee.claims import claims_of
from summq.eval.metrics.examinee.features import FEATURES, Features, features_of, remarks_on
from summq.eval.metrics.examinee.learned import Learned
from summq.programs.errors import DataError
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.files import make_folder, read_model, write_text
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import UnusableReply
from summq.signatures import Document, Exam, LostAgent, QuestionCounts, Quiz, fingerprint


@dataclass(frozen=True)
class Observation:
    """What was seen of one summary."""

    document: Document
    summary: str
    quiz: Quiz
    exam: Exam
    features: Features

    def remarks(self) -> list[str]:
        """What to mend, as lines of feedback. Questions are named, keys are not (DESIGN 5.4)."""
        failed = [
            f"Somebody who has read only this summary can't answer: {answer.question}"
            for answer in self.exam.scored
            if not answer.correct
        ]
        return [*remarks_on(claims_of(self.document, self.summary)), *failed]


class Observer:
    """Makes the quiz of each document once and lets any summary of it take the same one.

    Args:
        questions: How many questions of each kind.
        seed: Another seed makes another quiz.
        usual_words: The length from which a summary is short or long; None: no length is.
        quizzes: The folder in which quizzes are kept; in memory if not given.
        examinee: One with compiled prompts (`SummQ.from_artifact(DIR).examinee`); an ordinary one if not given.
    """

    def __init__(
        self,
        questions: QuestionCounts,
        seed: int,
        usual_words: float | None,
        quizzes: Path | None = None,
        examinee: Examinee | None = None,
    ) -> None:
        self.questions = questions
        self.seed = seed
        self.usual_words = usual_words
        self.examinee = examinee or Examinee(seed, open_book=False, blind=False)
        self._shelf = QuizShelf(quizzes, Examiner(questions, seed, side_by_side=False))

    def observe(self, document: Document, summary: str) -> Observation:
        """See a summary that is not empty.

        Raises:
            UnusableReply: There is no quiz, or none of the answers could be scored.
        """
        quiz = Quiz(questions=self._shelf.pool_about(document).questions)
        exam: Exam = self.examinee(quiz=quiz, summary=summary).exam
        if not exam.scored:
            raise UnusableReply("examinee: no answer could be scored")
        return Observation(document, summary, quiz, exam, features_of(document, quiz, summary, exam, self.usual_words))


FILE = "metric.json"
SHIPPED = Path(__file__).parent / "shipped"
REMARKS_TOLD, FEATURES_TOLD = 8, 3
NOTICEABLE = 0.05
"""Of log-odds: what costs less is not mentioned."""


@dataclass(frozen=True)
class Rating:
    """A score from 0 to 1, and what it comes from.

    0.5 is the average of the summaries learned from; one standard deviation above it is 0.73.
    """

    score: float
    observation: Observation | None
    shares: Mapping[str, float]
    """What each feature adds to the log-odds of the score."""

    @property
    def feedback(self) -> str:
        """What would raise the score, in words."""
        if self.observation is None:
            return "The summary is empty."
        seen = self.observation.features
        costs = sorted((share, name) for name, share in self.shares.items() if share < -NOTICEABLE)
        told = [f"Below the usual: {FEATURES[name]} ({seen[name]:.2f})." for _, name in costs[:FEATURES_TOLD]]
        return "\n".join((f"Score {self.score:.3f} of 1.", *told, *self.observation.remarks()[:REMARKS_TOLD]))


class ExamineeMetric:
    """Scores summaries without references, by what was learned from references.

    It is a metric of `eval`, and a DSPy metric of examples with `document` and replies with `summary`. It runs on the
    backbones of the session: the roles are `examiner`, `examinee` and `grader`.

    Args:
        learned: The weights and all that belongs to them.
        quizzes: The folder in which quizzes are kept, by document; in memory if not given.
        examinee: One with compiled prompts, where the weights were fitted with it.
    """

    name = "examinee"
    columns = (Column(key="examinee", heading="examinee", main=True),)

    def __init__(self, learned: Learned, quizzes: Path | None = None, examinee: Examinee | None = None) -> None:
        self.learned = learned
        self.quizzes = quizzes
        self.observer = Observer(
            learned.questions, learned.seed, learned.usual_words, quizzes, examinee or learned.examinee()
        )

    @property
    def fingerprint(self) -> str:
        """What tells this metric from others."""
        return fingerprint(self.learned.model_dump_json())

    def rate(self, document: Document, summary: str) -> Rating:
        """Rate one summary; an empty one scores 0 without an exam.

        Raises:
            UnusableReply: There is no quiz, or none of the answers could be scored.
        """
        if not summary.strip():
            return Rating(0.0, None, {})
        observation = self.observer.observe(document, summary)
        features = observation.features
        return Rating(self.learned.score(features), observation, self.learned.shares(features))

    def value(self, document: Document, summary: str) -> float:
        """The score alone; as `SummQ.scorer` it chooses the iteration that is returned."""
        return self.rate(document, summary).score

    def for_length(self, words: float | None) -> Self:
        """The same metric for summaries of another usual length in words; with None it does not judge by length."""
        return type(self)(self.learned.model_copy(update={"usual_words": words}), self.quizzes)

    def __call__(
        self, gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> Any:
        """What a DSPy optimizer wants to know.

        For a named predictor (GEPA) a score with feedback, else with a trace (bootstrapping) whether the summary is
        good enough to learn from, else the score.
        """
        with dspy.context(trace=None):
            rating = self.rate(Document.of(gold.document), pred.summary)
        if pred_name is not None:
            return dspy.Prediction(score=rating.score, feedback=rating.feedback)
        return rating.score if trace is None else rating.score >= self.learned.accept

    def score(self, prediction: str, row: Row) -> Score:
        """As a metric of `eval`; unscored where no quiz or no readable answer was to be had."""
        rating = attempt("examinee", lambda: self.rate(row.document, prediction))
        if isinstance(rating, LostAgent):
            return unscored(self.columns, rating.error)
        return Score({"examinee": rating.score}, dict(rating.observation.features) if rating.observation else {})

    def describe(self) -> Mapping[str, str | float]:
        """What the weights were fitted on, and what they reach."""
        return {
            "fitted on": self.learned.fitted_on,
            "as": self.learned.target,
            "seed": self.learned.seed,
            **{f"tau-b, {a.name}": a.line(self.name) for a in self.learned.agreement},
        }

    def save(self, folder: Path) -> None:
        """Write the metric to a folder, as JSON. Quizzes are not part of it."""
        write_text(make_folder(folder) / FILE, self.learned.model_dump_json(indent=2, by_alias=True) + "\n")

    @classmethod
    def load(cls, folder: Path | None = None, quizzes: Path | None = None) -> Self:
        """The metric in a folder; without one, or by the name `shipped`, the one that comes with SummQ.

        Raises:
            DataError: There is no metric, or one of another version.
        """
        path = (SHIPPED if folder in (None, Path("shipped")) else folder) / FILE
        learned = read_model(path, Learned, "a learned metric", "name a folder with one, or fit the metric again")
        if set(learned.weights) != set(FEATURES):
            raise DataError(f"{path}: fitted on other features by another version of SummQ; fit the metric again")
        return cls(learned, quizzes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: optimizers copy programs, and all copies are to share the quizzes."""
        return self


__all__ = ["FILE", "SHIPPED", "ExamineeMetric", "Observation", "Observer", "Rating"]
