"""Paired comparison of two systems on the same documents, and the correction for making many of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from summq.eval.statistics.estimates import (
    FEWEST_SOURCES,
    MANY,
    RESAMPLES,
    Clusters,
    Floats,
    SampledMean,
    cluster_totals,
    is_scored,
    scored_rows,
)

EXACT_SOURCES = 20
"""Up to so many sources all 2**n sign flips are tried, and the p-value is exact."""
SIGNIFICANT = 0.05
POWER = 0.8
_BATCH = 500


@dataclass(frozen=True)
class PairedTest:
    """The mean of `a - b` over the `n` documents that both were scored on, its interval, and a two-sided p-value.

    The interval leaves 0 out if and only if p < 0.05. `unpaired` documents have a score of one system only, or of none.
    `sources` is how many independent sources the documents come from. `detectable` is the difference, with the spread
    that was seen, that the test finds four times in five; None where so few sources can't show any. `reason` says why
    there are neither interval nor p-value.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    unpaired: int
    sources: int
    detectable: float | None = None
    reason: str | None = None


def compare(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Clusters | None = None,
    *,
    largest: float | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> PairedTest:
    """Compare two systems' scores, row by row in the same order.

    Args:
        a, b: the scores; None or NaN is a failure.
        clusters: the source of each row, as `summarise` takes it.
        largest: the largest difference that two scores can have, where the interval ends; None is no bound.

    The p-value is that of the sign-flip permutation test: if neither system were better, the sign of a source's
    difference would be a matter of chance. Where skewed differences let it fall below 0.05 though the interval holds 0,
    it is that of the interval; where it can't fall below 0.05, the interval is widened to hold 0.
    """
    rows = scored_rows([_difference(one, other) for one, other in zip(a, b, strict=True)], clusters)
    n, unpaired = len(rows.values), len(a) - len(rows.values)
    if not n:
        return PairedTest(None, None, None, None, 0, unpaired, 0, reason="no document has a score of both")
    totals = cluster_totals(rows)
    mean = SampledMean.of(totals, seed, resamples)
    low, high = mean.interval
    if low is None or high is None:
        few = f"{mean.sources} of at least {FEWEST_SOURCES} independent documents"
        return PairedTest(mean.mean, None, None, None, n, unpaired, mean.sources, reason=few)
    if largest is not None:
        low, high = max(low, -largest), min(high, largest)
    p = sign_flip_p(totals.sums, seed=seed, resamples=resamples)
    if p >= SIGNIFICANT:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= 0 <= high:
        p = max(SIGNIFICANT, mean.p)
    return PairedTest(mean.mean, low, high, p, n, unpaired, mean.sources, detectable(mean))


def detectable(mean: SampledMean) -> float | None:
    """The true difference that would be found with a chance of `POWER`, given the spread that was seen.

    None where even the most extreme outcome has p >= 0.05.
    """
    from scipy.special import nctdtrinc

    low, high = mean.interval
    if low is None or high is None or 2 / 2**mean.sources >= SIGNIFICANT:
        return None
    if mean.error == 0:
        return 0.0
    from_error = (high - low) / 2 / mean.error
    return float(nctdtrinc(mean.freedom, 1 - POWER, from_error)) * mean.error


def sign_flip_p(differences: Floats, *, seed: int = 0, resamples: int = RESAMPLES) -> float:
    """The share of sign flips whose sum is as far from 0 as the one observed.

    Flips are drawn where there are many; with `MANY` sources their sums are normal.
    """
    observed = abs(differences.sum()) * (1 - 1e-12)  # equal sums may differ in the last bit
    count = len(differences)
    if count >= MANY:
        from scipy.special import ndtr

        spread = np.sqrt((differences**2).sum())
        return float(2 * ndtr(-observed / spread)) if spread else 1.0
    if count <= EXACT_SOURCES:
        sums = np.add.outer(_all_flips(differences[: count // 2]), _all_flips(differences[count // 2 :]))
        return float(np.mean(np.abs(sums) >= observed))
    generator = np.random.default_rng(seed)
    sizes = [min(_BATCH, resamples - done) for done in range(0, resamples, _BATCH)]
    sums = np.concatenate([(1 - 2 * generator.integers(2, size=(size, count))) @ differences for size in sizes])
    return float((1 + np.sum(np.abs(sums) >= observed)) / (1 + resamples))


def _all_flips(differences: Floats) -> Floats:
    """The sums of the differences under every choice of their signs."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) adjusted p-values, in the given order: below 0.05 they hold for all comparisons together."""
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(factors * np.asarray(p_values)[order]))
    return [float(value) for value in adjusted]


def _difference(one: float | None, other: float | None) -> float | None:
    return one - other if one is not None and other is not None and is_scored(one) and is_scored(other) else None


__all__ = ["SIGNIFICANT", "PairedTest", "compare", "holm", "sign_flip_p"]
