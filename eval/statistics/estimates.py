"""Means with 95 % intervals by the percentile bootstrap (Efron 1979), which resamples sources, not rows."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

RESAMPLES = 10_000
CONFIDENCE = 0.95
_BATCH = 500

Floats = NDArray[np.float64]
Clusters = Sequence[str | None]


class Estimate(BaseModel):
    """A mean over `n` scored values and its 95 % interval; `failed` values were not scored and count nowhere.

    Without a value there is no mean, and with a single source no interval: None, never 0. This is also its form in
    the files of a run.
    """

    model_config = ConfigDict(frozen=True)

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    n: int
    failed: int = 0

    def __str__(self) -> str:
        """`0.587 [0.551, 0.620]`; without a mean a dash."""
        if self.mean is None:
            return "-"
        return f"{self.mean:.3f}" + ("" if self.low is None else f" [{self.low:.3f}, {self.high:.3f}]")


def summarise(
    values: Sequence[float | None], clusters: Clusters | None = None, *, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """The mean of the scored values, every row counting once.

    Args:
        values: one a row; None or NaN is a failure.
        clusters: the source of each row (BookSum's chapters come from few books); None is a source of its own.
    """
    rows = scored_rows(values, clusters)
    failed = len(values) - len(rows.values)
    if not len(rows.values):
        return Estimate(n=0, failed=failed)
    totals = cluster_totals(rows)
    means = bootstrap(len(totals.sums), lambda drawn: _mean(totals, drawn), seed, resamples)
    low, high = percentile_interval(means)
    return Estimate(mean=float(rows.values.mean()), low=low, high=high, n=len(rows.values), failed=failed)


class ScoredRows(NamedTuple):
    """The scored values and the number of the source that each comes from."""

    values: Floats
    sources: NDArray[np.int64]


class Totals(NamedTuple):
    """The sum and the number of the values of each source."""

    sums: Floats
    counts: Floats


def scored_rows(values: Sequence[float | None], clusters: Clusters | None = None) -> ScoredRows:
    """The values that are neither None nor NaN. Raises `ValueError` if the lengths differ."""
    names = list(clusters) if clusters is not None else [None] * len(values)
    pairs = zip(values, names, range(len(values)), strict=True)
    kept = [(value, (name, None if name else place)) for value, name, place in pairs if is_scored(value)]
    numbers = {source: number for number, source in enumerate(dict.fromkeys(source for _, source in kept))}
    return ScoredRows(
        np.array([value for value, _ in kept], dtype=np.float64),
        np.array([numbers[source] for _, source in kept], dtype=np.int64),
    )


def is_scored(value: float | None) -> bool:
    """False for None and NaN."""
    return value is not None and not math.isnan(value)


def cluster_totals(rows: ScoredRows) -> Totals:
    """What a mean over resampled sources is made of."""
    return Totals(
        np.bincount(rows.sources, weights=rows.values).astype(np.float64), np.bincount(rows.sources).astype(np.float64)
    )


def bootstrap(sources: int, statistic: Callable[[NDArray[np.int64]], Floats], seed: int, resamples: int) -> Floats:
    """The statistic of each resample; it gets a matrix of drawn source numbers, a row for each resample.

    With one source there is nothing to resample: an empty array.
    """
    if sources < 2:
        return np.array([])
    generator = np.random.default_rng(seed)
    sizes = [min(_BATCH, resamples - done) for done in range(0, resamples, _BATCH)]
    return np.concatenate([statistic(generator.integers(sources, size=(size, sources))) for size in sizes])


def percentile_interval(resampled: Floats) -> tuple[float, float] | tuple[None, None]:
    """The bounds of the middle 95 % of the resampled statistics, undefined ones (NaN) left out; None without any."""
    defined = resampled[~np.isnan(resampled)]
    if not len(defined):
        return None, None
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _mean(totals: Totals, drawn: NDArray[np.int64]) -> Floats:
    means: Floats = totals.sums[drawn].sum(axis=1) / totals.counts[drawn].sum(axis=1)
    return means


__all__ = [
    "RESAMPLES",
    "Clusters",
    "Estimate",
    "Floats",
    "bootstrap",
    "cluster_totals",
    "is_scored",
    "percentile_interval",
    "scored_rows",
    "summarise",
]
