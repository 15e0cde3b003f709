"""Fitting the metric on candidates whose order is known: by people, by references, or because one was damaged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Self

import numpy as np

from summq.eval.metrics.examinee.features import EITHER_WAY, Features
from summq.eval.metrics.examinee.learned import Learned
from summq.eval.metrics.examinee.metric import ExamineeMetric
from summq.eval.metrics.reference import reference_score
from summq.optimizers.learned_metric.weights import Preferences, fit_weights
from summq.optimizers.planted.candidates import Candidate, Candidates
from summq.optimizers.planted.gates import gate_pairs
from summq.programs.errors import DataError
from summq.programs.examine import Examinee
from summq.programs.runtime.parallel import parallel
from summq.signatures import Document, QuestionCounts

Featurizer = Callable[[Document, str, Sequence[str]], Features]
"""The features of a summary that is not empty, of its document and references."""

PLANTED_COUNTS = 3.0
"""A planted pair is known to be ordered so; it counts as much as so many pairs that the target tells apart."""
TRUTH = frozenset({"facts_in_context", "unaltered"})
"""What no summary has enough of: true names and figures."""
GATES_COUNT = 1.0
"""All pairs of the gates together count so many times as much as all graded pairs together."""
EXAM_FREE = ("facts_in_context", "unaltered", "vocabulary", "word_order", "word_variety", "word_length", "unrepeated")
WITHOUT_REFERENCES = (*EXAM_FREE, "grounding", "coverage", "sentence_order")
WITH_REFERENCES = (*WITHOUT_REFERENCES, "rouge1", "bertscore_recall")
"""The features of the two metrics that make no call."""


@dataclass(frozen=True)
class GradedCandidates:
    """Candidates, and a score for each: likeness to references, or what people gave. None: not graded."""

    candidates: Candidates
    scores: tuple[float | None, ...]

    @classmethod
    def by_references(cls, candidates: Candidates) -> Self:
        """Graded by likeness to the references, ROUGE-1 + BERTScore; not graded where there are none."""
        scorer = reference_score()
        references = candidates.row.references
        if not references:
            return cls(candidates, (None,) * len(candidates.candidates))
        return cls(candidates, tuple(scorer(one.text, references).score for one in candidates.candidates))


@dataclass(frozen=True)
class MetricTrainer:
    """What the metric is fitted on, and how.

    Args:
        graded: Candidates in the order that is to be learned.
        featurizer: Computes all features that are to get weights.
        name: Of the data, for the artifact.
        gates: Candidates of `gate_candidates`, whose pairs are fitted too.
        target: What the scores are, for the artifact.
        usual_words: See `Observer`, as are questions, seed and examinee.
    """

    graded: Sequence[GradedCandidates]
    featurizer: Featurizer
    name: str
    gates: Sequence[Candidates] = ()
    target: str = "ROUGE-1 + BERTScore"
    usual_words: float | None = None
    questions: QuestionCounts = field(default_factory=QuestionCounts)
    seed: int = 0
    quizzes: Path | None = None
    examinee: Examinee | None = None

    def learn(self, names: Sequence[str] = WITHOUT_REFERENCES) -> ExamineeMetric:
        """The metric whose weights order the candidates best. Only the named features get weights.

        Raises:
            DataError: No two candidates of a document differ in their scores.
        """
        graded = [featurized(self.featurizer, item.candidates) for item in self.graded]
        gates = [featurized(self.featurizer, candidates) for candidates in self.gates]
        human = [
            [seen[one.kind] for candidates, seen in zip(source, features, strict=True) for one in candidates.human()]
            for source, features in (([item.candidates for item in self.graded], graded), (self.gates, gates))
        ]
        table = _Table(names, _enough(human, names), [*graded, *gates])
        pairs = [_known_pairs(item) for item in self.graded]
        if not any(pairs):
            raise DataError(
                f"{self.name}: no two summaries of a document differ in their scores: nothing to learn from"
            )
        trials = [[OrderedPair(better.kind, worse.kind) for _, better, worse in gate_pairs(g)] for g in self.gates]
        learned = self._learned(table, fit_weights(table.preferences(pairs, trials), names, EITHER_WAY) / table.spread)
        accept = median([learned.score(seen) for source in human for seen in source] or [0.5])
        return ExamineeMetric(learned.model_copy(update={"accept": accept}), self.quizzes, self.examinee)

    def without(self, document: str) -> Self:
        """The same trainer without what is about one document, for cross-validation."""
        return replace(
            self,
            graded=[item for item in self.graded if item.candidates.row.id != document],
            gates=[item for item in self.gates if item.row.id != document],
        )

    def _learned(self, table: "_Table", fitted: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Learned:
        deviation = float(np.std(table.values @ fitted)) or 1.0
        kept = [place for place, weight in enumerate(fitted) if weight]
        return Learned(
            weights={table.names[place]: float(fitted[place]) / deviation for place in kept},
            enough={name: table.enough[name] for name in (table.names[p] for p in kept) if name in table.enough},
            usual={table.names[place]: float(table.values[:, place].mean()) for place in kept},
            usual_words=self.usual_words,
            accept=0.5,
            questions=self.questions,
            seed=self.seed,
            fitted_on=self.name,
            target=self.target,
            prompts=self.examinee.dump_state() if self.examinee else None,
        )


class _Table:
    """The features of all candidates, capped at what is enough."""

    def __init__(self, names: Sequence[str], enough: Mapping[str, float], features: Sequence[Mapping[str, Features]]):
        self.names, self.enough = tuple(names), enough
        caps = np.array([enough.get(name, np.inf) for name in names])
        self.rows = [
            {kind: np.minimum([seen[name] for name in names], caps) for kind, seen in by_kind.items()}
            for by_kind in features
        ]
        self.values = np.array([row for by_kind in self.rows for row in by_kind.values()])
        spread = self.values.std(axis=0)
        self.spread = np.where(spread > 0, spread, 1.0)

    def preferences(
        self, graded: "Sequence[Sequence[OrderedPair]]", gates: "Sequence[Sequence[OrderedPair]]"
    ) -> Preferences:
        """All pairs of which it is known which is better. Documents count alike, on either side."""
        differences, counts = [], list[float]()
        for rows, side, total in (
            (self.rows[: len(graded)], graded, 1.0),
            (self.rows[len(graded) :], gates, GATES_COUNT),
        ):
            documents = sum(1 for pairs in side if pairs)
            for by_kind, pairs in zip(rows, side, strict=True):
                known = [pair for pair in pairs if pair.better in by_kind and pair.worse in by_kind]
                weight = sum(pair.counts for pair in known) * documents
                differences += [(by_kind[pair.better] - by_kind[pair.worse]) / self.spread for pair in known]
                counts += [total * pair.counts / weight for pair in known]
        return Preferences(np.array(differences), np.array(counts))


@dataclass(frozen=True)
class OrderedPair:
    """Two candidates of a document by kind, and how much it counts that they are ordered so."""

    better: str
    worse: str
    counts: float = 1.0


def _known_pairs(graded: GradedCandidates) -> list[OrderedPair]:
    """The pairs whose order is known: because one was damaged, else because the scores say so."""
    pairs = []
    scored = list(zip(graded.candidates.candidates, graded.scores, strict=True))
    for place, (one, score) in enumerate(scored):
        for other, other_score in scored[place + 1 :]:
            if other.origin == one.kind:
                pairs.append(OrderedPair(one.kind, other.kind, PLANTED_COUNTS))
            elif score is not None and other_score is not None and score != other_score:
                better, worse = (one, other) if score > other_score else (other, one)
                pairs.append(OrderedPair(better.kind, worse.kind))
    return pairs


def featurized(featurizer: Featurizer, candidates: Candidates) -> dict[str, Features]:
    """The features of all candidates that are not empty, by kind."""
    kept = [candidate for candidate in candidates.candidates if candidate.text.strip()]
    row = candidates.row

    def features(candidate: Candidate) -> Features:
        return featurizer(row.document, candidate.text, row.references)

    first = [features(candidate) for candidate in kept[:1]]  # alone: then all that is kept of the document is known
    return dict(zip((candidate.kind for candidate in kept), [*first, *parallel(features, kept[1:])], strict=True))


def _enough(sources: Sequence[Sequence[Features]], names: Sequence[str]) -> dict[str, float]:
    """What human summaries reach of each feature: their median, where the sources of them differ the lowest.

    Of `TRUTH` it is the highest. Of `EITHER_WAY` more is not better, so none is enough.
    """
    enough = {}
    for name in names:
        medians = [median(features[name] for features in source) for source in sources if source]
        if medians and name not in EITHER_WAY:
            enough[name] = max(medians) if name in TRUTH else min(medians)
    return enough


__all__ = ["WITHOUT_REFERENCES", "WITH_REFERENCES", "Featurizer", "GradedCandidates", "MetricTrainer"]
