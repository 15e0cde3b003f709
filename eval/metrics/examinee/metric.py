"""`ExamineeMetric`: a learned score for a summary, with or without references.

What a summary says about its document and how, and (where the metric was learned with it) how an examinee who has read
only the summary does in the quiz of the document, is weighed as fitted, so that summaries are ordered as people, or
ROUGE-1 + BERTScore, order them. Features count up to what human summaries reach: more of one can't pay for another.
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import dspy

from summq.eval.data import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.eval.metrics.examinee.claims import claims_of
from summq.eval.metrics.examinee.features import (
    EXAM_FEATURES,
    FEATURES,
    Features,
    RatedSummary,
    features_of,
    remarks_on,
)
from summq.eval.metrics.examinee.learned import Learned
from summq.programs.errors import ConfigError, DataError, did_you_mean
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.files import make_folder, read_model, write_model
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import UnusableReply
from summq.signatures import Document, Exam, LostAgent, QuestionCounts, Quiz, fingerprint


@dataclass(frozen=True)
class Observation:
    """The features of one summary and what they were computed from."""

    rated: RatedSummary
    features: Features

    @property
    def exam(self) -> Exam | None:
        """How the quiz went; None where no feature asks for one."""
        return self.rated.exam

    def remarks(self) -> list[str]:
        """What to mend, as lines of feedback. Questions are named, keys are not."""
        failed = [
            f"Somebody who has read only this summary can't answer: {answer.question}"
            for answer in (self.exam.scored if self.exam else ())
            if not answer.correct
        ]
        return [*remarks_on(claims_of(self.rated.document, self.rated.summary)), *failed]


class Observer:
    """Computes features; makes the quiz of each document once, and only where a feature of the exam is asked for.

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

    def observe(
        self, document: Document, summary: str, names: Collection[str], references: Sequence[str] = ()
    ) -> Observation:
        """The named features of a summary that is not empty.

        Raises:
            UnusableReply: There is no quiz, or none of the answers could be scored.
        """
        quiz = exam = None
        if not EXAM_FEATURES.keys().isdisjoint(names):
            quiz = Quiz(questions=self._shelf.pool_about(document).questions)
            exam = self.examinee(quiz=quiz, summary=summary).exam
            if not exam.scored:
                raise UnusableReply("examinee: no answer could be scored")
        rated = RatedSummary(document, summary, references, quiz, exam, self.usual_words)
        return Observation(rated, features_of(rated, names))


FILE = "metric.json"
SHIPPED = Path(__file__).parent / "shipped" / "without_references"
SHIPPED_WITH_REFERENCES = Path(__file__).parent / "shipped" / "with_references"
BY_NAME = {None: SHIPPED, Path("shipped"): SHIPPED, Path("shipped-with-references"): SHIPPED_WITH_REFERENCES}
REMARKS_SHOWN, FEATURES_SHOWN = 8, 3
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
        features = self.observation.features
        costs = sorted((share, name) for name, share in self.shares.items() if share < -NOTICEABLE)
        low = [f"Below the usual: {FEATURES[name]} ({features[name]:.2f})." for _, name in costs[:FEATURES_SHOWN]]
        return "\n".join((f"Score {self.score:.3f} of 1.", *low, *self.observation.remarks()[:REMARKS_SHOWN]))


@dataclass(frozen=True)
class SummaryScorer:
    """A metric as a function of a document and a summary; equal metrics have the same `identity`."""

    metric: "ExamineeMetric"

    def __call__(self, document: Document, summary: str) -> float:
        """The score of the summary, 0 to 1."""
        return self.metric.value(document, summary)

    @property
    def identity(self) -> str:
        """What tells the metric from others."""
        return self.metric.fingerprint


class ExamineeMetric:
    """Scores summaries from 0 to 1, higher is better; a metric of `eval`, and of DSPy.

    For DSPy, examples have `document` (and `references`, where it uses them) and replies `summary`. One that uses the
    exam runs on the backbones of the session, with the roles `examiner`, `examinee` and `grader`; any other makes no
    call.

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
        self._examinee = examinee
        self.observer = Observer(
            learned.questions, learned.seed, learned.usual_words, quizzes, examinee or learned.examinee()
        )

    @property
    def fingerprint(self) -> str:
        """What tells this metric from others."""
        return fingerprint(self.learned.model_dump_json())

    def rate(self, document: Document, summary: str, references: Sequence[str] = ()) -> Rating:
        """Rate one summary; an empty one scores 0 without an exam.

        Raises:
            UnusableReply: There is no quiz, or none of the answers could be scored.
            DataError: The metric uses references, and there is none.
        """
        if not summary.strip():
            return Rating(0.0, None, {})
        if self.learned.uses_references and not references:
            raise DataError("this learned metric uses references: give one, or take a metric without references")
        observation = self.observer.observe(document, summary, self.learned.weights.keys(), references)
        features = observation.features
        return Rating(self.learned.score(features), observation, self.learned.shares(features))

    def value(self, document: Document, summary: str) -> float:
        """The score alone."""
        return self.rate(document, summary).score

    def scorer(self) -> "SummaryScorer":
        """What as `SummQ.scorer` chooses the iteration that is returned.

        Raises:
            ConfigError: The metric uses references, which nobody has who summarises.
        """
        if self.learned.uses_references:
            raise ConfigError("this learned metric uses references: take one without references to choose a summary")
        return SummaryScorer(self)

    def __call__(
        self, gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> Any:
        """As a DSPy metric: the score, with feedback for a named predictor (GEPA).

        With a trace it says whether the summary is good enough to learn from (bootstrapping).
        """
        with dspy.context(trace=None):
            rating = self.rate(Document.of(gold.document), pred.summary, gold.get("references", ()))
        if pred_name is not None:
            return dspy.Prediction(score=rating.score, feedback=rating.feedback)
        return rating.score if trace is None else rating.score >= self.learned.accept

    def score(self, prediction: str, row: Row) -> Score:
        """As a metric of `eval`; unscored where no quiz, no readable answer or no reference was to be had."""
        rating = attempt("examinee", lambda: self.rate(row.document, prediction, row.references))
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
            **({"not to be trusted": self.learned.doubt} if self.learned.doubt else {}),
        }

    def save(self, folder: Path) -> None:
        """Write the metric to a folder, as JSON. Quizzes are not part of it."""
        write_model(make_folder(folder) / FILE, self.learned)

    @classmethod
    def load(cls, folder: Path | None = None, quizzes: Path | None = None) -> Self:
        """The metric in a folder; `shipped` (or None) and `shipped-with-references` are those that come with SummQ.

        Warns of a metric that fails a gate, or that was never put to them.

        Raises:
            DataError: There is no metric, or one of another version.
        """
        path = BY_NAME.get(folder, folder or SHIPPED) / FILE
        meant = "" if path.exists() else did_you_mean(str(folder), [str(name) for name in BY_NAME if name])
        advice = f"name a folder with one, or fit the metric again{meant}"
        learned = read_model(path, Learned, "a learned metric", advice)
        if not learned.weights.keys() <= FEATURES.keys():
            raise DataError(f"{path}: fitted on other features by another version of SummQ; fit the metric again")
        if learned.doubt:
            warnings.warn(f"{path}: don't trust this metric: {learned.doubt}", stacklevel=2)
        return cls(learned, quizzes)

    def __reduce__(self) -> tuple[Any, ...]:
        """With a shelf of quizzes of its own where it is unpickled."""
        return type(self), (self.learned, self.quizzes, self._examinee)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: optimizers copy programs, and all copies are to share the quizzes."""
        return self


__all__ = ["SHIPPED", "SHIPPED_WITH_REFERENCES", "ExamineeMetric", "Observer", "Rating"]
