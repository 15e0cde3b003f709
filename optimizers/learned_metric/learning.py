"""Fitting the metric on pools of summaries whose order is known, and measuring what it reaches on others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Self

import numpy as np

from summq.eval.metrics.examinee.features import EITHER_WAY, FEATURES, Features
from summq.eval.metrics.examinee.learned import AgreementRecord, Learned, Reached
from summq.eval.metrics.examinee.metric import ExamineeMetric, Observer
from summq.eval.metrics.reference import reference_score
from summq.eval.statistics import measure_agreement, summarise
from summq.optimizers.learned_metric.weights import Preferences, fit_weights
from summq.optimizers.planted.candidates import Candidate, Pool
from summq.programs.errors import DataError
from summq.programs.examine import Examinee
from summq.programs.runtime.parallel import parallel
from summq.signatures import QuestionCounts

Measure = Callable[[Pool, Candidate], float | None]
PLANTED_COUNTS = 3.0
"""A planted pair is known to be ordered so; it counts as much as so many pairs that the target tells apart."""


@dataclass(frozen=True)
class GradedPool:
    """A pool, and a score for each candidate: likeness to references, or what people gave. None: not graded."""

    pool: Pool
    scores: tuple[float | None, ...]

    @classmethod
    def by_references(cls, pool: Pool) -> Self:
        """Graded by likeness to the references, ROUGE-1 + BERTScore; not graded where there are none."""
        scorer = reference_score()
        if not pool.row.references:
            return cls(pool, (None,) * len(pool.candidates))
        return cls(pool, tuple(scorer(candidate.text, pool.row.references).score for candidate in pool.candidates))


@dataclass(frozen=True)
class Lesson:
    """What the metric is to be learned from and how: see `Observer` for questions, seed, quizzes and examinee."""

    graded: Sequence[GradedPool]
    name: str
    target: str = "ROUGE-1 + BERTScore"
    questions: QuestionCounts = field(default_factory=QuestionCounts)
    seed: int = 0
    quizzes: Path | None = None
    examinee: Examinee | None = None

    def learn(self, names: Sequence[str] = tuple(FEATURES)) -> ExamineeMetric:
        """The metric whose weights order the candidates best. Only the named features get weights.

        Raises:
            DataError: No two candidates of a document differ in their scores.
        """
        fit = fit_weights(self._preferences(names), names, EITHER_WAY)
        fitted = dict(zip(fit.names, fit.weights.tolist(), strict=True))
        weights = {name: fitted.get(name, 0.0) for name in FEATURES}
        everything = np.array([list(features.values()) for pool in self._seen for features in pool.values()])
        spread = float(np.std(everything @ list(weights.values()))) or 1.0
        learned = Learned(
            weights={name: weight / spread for name, weight in weights.items()},
            usual=dict(zip(FEATURES, everything.mean(axis=0).tolist(), strict=True)),
            usual_words=self._usual_words,
            accept=0.5,
            questions=self.questions,
            seed=self.seed,
            fitted_on=self.name,
            target=self.target,
            prompts=self.examinee.dump_state() if self.examinee else None,
        )
        human = median(learned.score(features[one.kind]) for one, features in zip(self._human, self._seen, strict=True))
        return ExamineeMetric(learned.model_copy(update={"accept": human}), self.quizzes, self.examinee)

    @cached_property
    def _seen(self) -> list[dict[str, Features]]:
        observer = Observer(self.questions, self.seed, self._usual_words, self.quizzes, self.examinee)
        return [observed(observer, graded.pool) for graded in self.graded]

    @property
    def _human(self) -> list[Candidate]:
        """A human summary of each document."""
        return [graded.pool.candidates[0] for graded in self.graded]

    @property
    def _usual_words(self) -> float:
        return median(len(candidate.text.split()) for candidate in self._human)

    def _preferences(self, names: Sequence[str]) -> Preferences:
        """All pairs of candidates of a document of which it is known which is better. Documents count alike."""
        differences, counts = list[list[float]](), list[float]()
        for graded, features in zip(self.graded, self._seen, strict=True):
            pairs = [pair for pair in ordered_pairs(graded) if pair.better in features and pair.worse in features]
            total = sum(pair.counts for pair in pairs)
            for pair in pairs:
                better, worse = features[pair.better], features[pair.worse]
                differences.append([better[name] - worse[name] for name in names])
                counts.append(pair.counts / total)
        if not counts:
            raise DataError(
                f"{self.name}: no two summaries of a document differ in their scores: nothing to learn from"
            )
        return Preferences(np.array(differences), np.array(counts))


@dataclass(frozen=True)
class OrderedPair:
    """Two candidates of a pool by kind, and how much it counts that they are ordered so."""

    better: str
    worse: str
    counts: float


def ordered_pairs(graded: GradedPool) -> list[OrderedPair]:
    """The pairs of a pool whose order is known: because one was damaged, else because the scores say so."""
    found = []
    scored = list(zip(graded.pool.candidates, graded.scores, strict=True))
    for place, (one, score) in enumerate(scored):
        for other, other_score in scored[place + 1 :]:
            if other.origin == one.kind:
                found.append(OrderedPair(one.kind, other.kind, PLANTED_COUNTS))
            elif score is not None and other_score is not None and score != other_score:
                better, worse = (one, other) if score > other_score else (other, one)
                found.append(OrderedPair(better.kind, worse.kind, 1.0))
    return found


def observed(observer: Observer, pool: Pool) -> dict[str, Features]:
    """The features of all candidates that are not empty, by kind."""
    texts = {candidate.kind: candidate.text for candidate in pool.candidates if candidate.text.strip()}
    features = parallel(lambda text: observer.observe(pool.row.document, text).features, texts.values())
    return dict(zip(texts, features, strict=True))


def measure(name: str, graded: Sequence[GradedPool], measures: Mapping[str, Measure], seed: int = 0) -> AgreementRecord:
    """How well each of several measures orders the candidates of pools, against their scores and planted damages."""
    return AgreementRecord(
        name=name,
        documents=len({item.pool.row.id for item in graded}),
        summaries=sum(len(pool.scores) for pool in graded),
        measures={title: _reached(graded, one, seed) for title, one in measures.items()},
    )


def _reached(graded: Sequence[GradedPool], measure: Measure, seed: int) -> Reached:
    given = [[measure(item.pool, candidate) for candidate in item.pool.candidates] for item in graded]
    documents = [item.pool.row.id for item in graded for _ in item.scores]
    target = [score for item in graded for score in item.scores]
    agreement = measure_agreement([score for scores in given for score in scores], target, documents, seed=seed)
    right, sources = list[float | None](), list[str]()
    for item, scores in zip(graded, given, strict=True):
        by_kind = dict(zip((candidate.kind for candidate in item.pool.candidates), scores, strict=True))
        for better, worse in item.pool.planted():
            right.append(_ordered(by_kind[better.kind], by_kind[worse.kind]))
            sources.append(item.pool.row.id)
    return Reached(
        tau=agreement.within_tau,
        pooled_tau=agreement.pooled_tau,
        pairs=agreement.within_accuracy,
        damaged=summarise(right, sources, seed=seed) if right else None,
    )


def _ordered(better: float | None, worse: float | None) -> float | None:
    """1 if the better one scores higher, 0.5 for a tie, 0 otherwise."""
    if better is None or worse is None:
        return None
    return 1.0 if better > worse else 0.5 if better == worse else 0.0


__all__ = ["GradedPool", "Lesson", "Measure", "measure", "observed", "ordered_pairs"]
