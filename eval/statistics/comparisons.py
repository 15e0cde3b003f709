"""Paired comparison of two systems on the same documents, and the correction for making many of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from summq.eval.statistics.estimates import (
    RESAMPLES,
    Clusters,
    Floats,
    cluster_totals,
    is_scored,
    scored_rows,
    summarise,
)

EXACT_SOURCES = 13
"""Up to so many sources all 2**n sign flips are tried (no more than `RESAMPLES`), and the p-value is exact."""


@dataclass(frozen=True)
class PairedTest:
    """The mean of `a - b` over the `n` documents that both were scored on, its interval, and a two-sided p-value.

    `unpaired` documents have a score of one system only, or of none.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    unpaired: int


def compare(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Clusters | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> PairedTest:
    """Compare two systems' scores, row by row in the same order.

    The p-value is that of the sign-flip permutation test: if neither system were better, the sign of a source's
    difference would be a matter of chance.
    """
    differences = [_difference(one, other) for one, other in zip(a, b, strict=True)]
    mean = summarise(differences, clusters, seed=seed, resamples=resamples)
    totals = cluster_totals(scored_rows(differences, clusters)).sums if mean.n else np.array([])
    p = sign_flip_p(totals, seed=seed, resamples=resamples) if mean.n else None
    return PairedTest(mean.mean, mean.low, mean.high, p, mean.n, mean.failed)


def sign_flip_p(differences: Floats, *, seed: int = 0, resamples: int = RESAMPLES) -> float:
    """The share of sign flips whose sum is as far from 0 as the one observed; flips are drawn where there are many."""
    observed = abs(differences.sum()) * (1 - 1e-12)  # equal sums may differ in the last bit
    count = len(differences)
    if count <= EXACT_SOURCES:
        flips = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return float(np.mean(np.abs((1 - 2 * flips) @ differences) >= observed))
    generator = np.random.default_rng(seed)
    sums = [(1 - 2 * generator.integers(2, size=count)) @ differences for _ in range(resamples)]
    return float((1 + np.sum(np.abs(sums) >= observed)) / (1 + resamples))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) adjusted p-values, in the given order: below 0.05 they hold for all comparisons together."""
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(factors * np.asarray(p_values)[order]))
    return [float(value) for value in adjusted]


def _difference(one: float | None, other: float | None) -> float | None:
    return one - other if one is not None and other is not None and is_scored(one) and is_scored(other) else None


__all__ = ["PairedTest", "compare", "holm", "sign_flip_p"]
