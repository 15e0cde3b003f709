"""How far a metric orders summaries as people (or another metric) do, with intervals by resampling documents."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from summq.eval.statistics.estimates import (
    RESAMPLES,
    Estimate,
    Floats,
    bootstrap,
    is_scored,
    percentile_interval,
    summarise,
)


@dataclass(frozen=True)
class Agreement:
    """Kendall's tau-b and pairwise accuracy, over all pairs of summaries and over the pairs within a document.

    Accuracy is the share of the pairs which people did not tie that the metric orders as they do; a pair that the
    metric ties counts half, and `metric_ties` is the share of such pairs (within documents). The within-document tau is
    the mean over the documents in which it is defined, and its `n` counts documents; elsewhere `n` counts summaries.
    """

    pooled_tau: Estimate
    within_tau: Estimate
    pooled_accuracy: Estimate
    within_accuracy: Estimate
    metric_ties: float | None


def measure_agreement(
    metric: Sequence[float | None],
    human: Sequence[float | None],
    documents: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Agreement of two scores of the same summaries. A summary that either leaves unscored counts as failed."""
    kept = [row for row in zip(metric, human, documents, strict=True) if is_scored(row[0]) and is_scored(row[1])]
    pairs = _count_pairs([row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept])

    def estimate(statistic: Callable[[PairCounts], Floats], scope: Scope) -> Estimate:
        everything = statistic(scope(pairs, np.ones((1, pairs.documents))))[0]
        resampled = bootstrap(
            pairs.documents, lambda drawn: statistic(scope(pairs, _multiplicities(drawn))), seed, resamples
        )
        low, high = percentile_interval(resampled)
        failed = len(metric) - len(kept)
        return Estimate(mean=_defined(everything), low=low, high=high, n=len(kept), failed=failed)

    within = _within(pairs, np.eye(pairs.documents))
    return Agreement(
        pooled_tau=estimate(_tau, _pooled),
        within_tau=summarise([_defined(tau) for tau in _tau(within)], seed=seed, resamples=resamples),
        pooled_accuracy=estimate(_accuracy, _pooled),
        within_accuracy=estimate(_accuracy, _within),
        metric_ties=_defined(_ratio(within.metric_ties.sum(), within.human_untied.sum())),
    )


class PairCounts(NamedTuple):
    """Numbers of pairs: concordant less discordant ones, those untied by either score, those only the metric ties.

    At first a matrix each, whose cell (d, e) counts pairs of a summary of document d and one of document e; summed up,
    one number for each resample.
    """

    concordance: Floats
    metric_untied: Floats
    human_untied: Floats
    metric_ties: Floats

    @property
    def documents(self) -> int:
        return len(self.concordance)


Scope = Callable[[PairCounts, Floats], PairCounts]
"""Which pairs count, given how often each document was drawn (a row for each resample)."""


def _count_pairs(metric: Sequence[float | None], human: Sequence[float | None], documents: Sequence[str]) -> PairCounts:
    order = sorted(range(len(documents)), key=lambda place: documents[place])
    starts = [at for at, place in enumerate(order) if at == 0 or documents[place] != documents[order[at - 1]]]
    one, other = (_signs(np.array(scores, dtype=np.float64)[order]) for scores in (metric, human))

    def by_document(cells: NDArray[np.int8]) -> Floats:
        rows = np.add.reduceat(cells, starts, axis=0, dtype=np.float64)
        totals: Floats = np.add.reduceat(rows, starts, axis=1)
        return totals

    untied = np.abs(other)
    return PairCounts(*map(by_document, (one * other, np.abs(one), untied, untied * (1 - np.abs(one)))))


def _signs(scores: Floats) -> NDArray[np.int8]:
    return np.sign(scores[:, None] - scores[None, :]).astype(np.int8)


def _multiplicities(drawn: NDArray[np.int64]) -> Floats:
    """How often each document was drawn, for each resample."""
    resamples, documents = drawn.shape
    cells = drawn + documents * np.arange(resamples)[:, None]
    return np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def _pooled(pairs: PairCounts, drawn: Floats) -> PairCounts:
    return PairCounts(*(((drawn @ counts) * drawn).sum(axis=1) for counts in pairs))


def _within(pairs: PairCounts, drawn: Floats) -> PairCounts:
    return PairCounts(*(drawn @ counts.diagonal() for counts in pairs))


def _tau(pairs: PairCounts) -> Floats:
    """Kendall's tau-b; undefined where one of the scores is the same everywhere."""
    return _ratio(pairs.concordance, np.sqrt(pairs.metric_untied * pairs.human_untied))


def _accuracy(pairs: PairCounts) -> Floats:
    return (1 + _ratio(pairs.concordance, pairs.human_untied)) / 2


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Floats = np.where(whole > 0, part / whole, np.nan)
        return ratio


def _defined(value: Floats | float) -> float | None:
    return None if np.isnan(value) else float(value)


Ratings = Sequence[Sequence[Hashable]]


def nominal_alpha(units: Ratings, *, seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Alpha over units, each with the ratings that it got; 1 is perfect agreement, 0 is chance.

    Units with fewer than two ratings have nothing to agree on and count as failed. The interval resamples units. There
    is no alpha without such units, or where all ratings are the same.
    """
    rated = [unit for unit in units if len(unit) > 1]
    failed = len(units) - len(rated)
    values = list(dict.fromkeys(rating for unit in rated for rating in unit))
    counts = np.array([[Counter(unit)[value] for value in values] for unit in rated], dtype=np.float64)
    if len(values) < 2:
        return Estimate(n=len(rated), failed=failed)
    alpha = float(_alpha(counts, np.arange(len(rated))[None, :])[0])
    low, high = percentile_interval(bootstrap(len(rated), lambda drawn: _alpha(counts, drawn), seed, resamples))
    return Estimate(mean=alpha, low=low, high=high, n=len(rated), failed=failed)


def _alpha(counts: Floats, drawn: NDArray[np.int64]) -> Floats:
    """Alpha of each row of drawn units: 1 - observed / expected disagreement; NaN where none is expected."""
    sizes = counts.sum(axis=1)
    disagreeing = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)
    observed = disagreeing[drawn].sum(axis=1)
    totals = counts[drawn].sum(axis=1)
    n = totals.sum(axis=1)
    expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Floats = np.where(expected > 0, 1 - observed / expected, np.nan)
    return alpha


__all__ = ["Agreement", "measure_agreement", "nominal_alpha"]
