"""Means with 95 % intervals that hold with few documents, too; sources are resampled, not rows.

The percentile bootstrap covers the mean of 5 documents 81 times in 100, Student's t that of 9 skewed values 85 to 90
times. Here each bound is the wider one of Student's t and of the studentised bootstrap (Efron and Tibshirani 1993,
12.5), which on the side of the longer tail goes further out the fewer sources there are, since few hold too little of
that tail, but at most three times as far as Student's. Below five sources nothing holds, and there is no interval.
`benchmarks/intervals.py` measures the coverage. With many sources the distribution that the bootstrap draws from is
taken from its Edgeworth expansion (Hall 1992, 3.3), which needs no resamples.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

RESAMPLES = 10_000
CONFIDENCE = 0.95
FEWEST_SOURCES = 5
MANY = 2000
"""From so many sources on, what resampling would show is computed: bounds differ by 2 % of the interval's width."""
FEWEST_FREEDOM = 2.0
"""Degrees of freedom where one source has most of the rows; below, intervals hold always and say nothing."""
FARTHEST = 3.0
"""Bounds are at most so many times as far from the mean as Student's: resamples that hold hardly anything but one value
of few sources have next to no error of their own, and would put a bound 30 times as far."""
_BATCH = 500

Floats = NDArray[np.float64]
Clusters = Sequence[str | None]
Bounds = tuple[float | None, float | None]


class Estimate(BaseModel):
    """A mean over `n` scored values and its 95 % interval; `failed` values were not scored and count nowhere.

    Without a value there is no mean, and with fewer than five sources no interval: None, never 0. This is also its form
    in the files of a run.
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

    def percent(self) -> str:
        """A share as `62 % [50, 74]`; without a mean a dash."""
        if self.mean is None:
            return "–"
        interval = "" if self.low is None or self.high is None else f" [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{100 * self.mean:.0f} %{interval}"


def summarise(
    values: Sequence[float | None],
    clusters: Clusters | None = None,
    *,
    bounds: Bounds = (None, None),
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of the scored values, every row counting once.

    Args:
        values: one a row; None or NaN is a failure.
        clusters: the source of each row (BookSum's chapters come from few books); None is a source of its own.
        bounds: the least and the most that a value can be; None is no bound.
    """
    rows = scored_rows(values, clusters)
    failed = len(values) - len(rows.values)
    if not len(rows.values):
        return Estimate(n=0, failed=failed)
    low, high = SampledMean.of(cluster_totals(rows), seed, resamples).within(*bounds)
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


@dataclass(frozen=True)
class SampledMean:
    """A mean over sources, its standard error, and the studentised means of the resamples: (mean* - mean) / error*.

    Resamples without any spread have none; there are none at all with few sources. `freedom`: the degrees of freedom,
    fewer than sources - 1 where some sources have most of the rows.
    """

    mean: float
    error: float
    sources: int
    freedom: float
    studentised: Floats

    @classmethod
    def of(cls, totals: Totals, seed: int = 0, resamples: int = RESAMPLES) -> "SampledMean":
        """The mean over at least one source."""
        sources = len(totals.sums)
        if sources < FEWEST_SOURCES:
            return cls(float(totals.sums.sum() / totals.counts.sum()), math.nan, sources, 0, np.array([]))
        mean, error = (float(value) for value in _mean_and_error(totals.sums, totals.counts))
        freedom = max(FEWEST_FREEDOM, float(totals.counts.sum() ** 2 / (totals.counts**2).sum()) - 1)
        if error <= _ROUNDING * abs(mean):
            return cls(mean, 0.0, sources, freedom, np.array([]))

        if sources >= MANY:
            return cls(mean, error, sources, freedom, expanded(totals.sums - mean * totals.counts, resamples))

        def studentise(drawn: NDArray[np.int64]) -> Floats:
            means, errors = _mean_and_error(totals.sums[drawn], totals.counts[drawn])
            with np.errstate(invalid="ignore", divide="ignore"):
                ratio: Floats = np.where(errors > _ROUNDING * error, (means - mean) / errors, np.nan)
            return ratio

        studentised = bootstrap(sources, studentise, seed, resamples)
        farthest = FARTHEST * t_quantile((1 + CONFIDENCE) / 2, freedom)
        return cls(mean, error, sources, freedom, np.clip(studentised[~np.isnan(studentised)], -farthest, farthest))

    @property
    def interval(self) -> tuple[float, float] | tuple[None, None]:
        """The bounds of the mean; None with few sources."""
        if self.sources < FEWEST_SOURCES:
            return None, None
        if not len(self.studentised):
            return self.mean, self.mean
        below, above = self._shares
        usual = t_quantile((1 + CONFIDENCE) / 2, self.freedom)
        least, most = np.quantile(self.studentised, [below, 1 - above])
        return self.mean - max(usual, most) * self.error, self.mean + max(usual, -least) * self.error

    def within(self, least: float | None, most: float | None) -> tuple[float, float] | tuple[None, None]:
        """The interval, which ends where values do.

        Where all values are the same, and both bounds of values are known, it leaves room for others: as many as would
        be missed by so many sources once in forty times.
        """
        low, high = self.interval
        if low is None or high is None:
            return None, None
        if self.error == 0 and least is not None and most is not None:
            missed = 1 - ((1 - CONFIDENCE) / 2) ** (1 / self.sources)
            return low - missed * (low - least), high + missed * (most - high)
        return low if least is None else max(least, low), high if most is None else min(most, high)

    @property
    def p(self) -> float:
        """Two-sided, of a true mean of 0: below 0.05 where the interval leaves 0 out."""
        from scipy.special import stdtr

        distance = abs(self.mean) / self.error
        below, above = self._shares
        share, sign = (above, 1) if self.mean > 0 else (below, -1)
        beyond = float(np.mean(sign * self.studentised >= distance))
        return min(1.0, max(2 * float(stdtr(self.freedom, -distance)), (1 - CONFIDENCE) * beyond / share))

    @property
    def _shares(self) -> tuple[float, float]:
        """Of the studentised means, the shares below and above those that the interval holds.

        That of the longer tail is set so that the interval holds for lognormal values, too.
        """
        usual = (1 - CONFIDENCE) / 2
        least, most = np.quantile(self.studentised, [usual, 1 - usual])
        longer = usual - 1 / (12 * self.sources)
        return (longer, usual) if -least > most else (usual, longer)


def expanded(deviations: Floats, number: int) -> Floats:
    """Evenly spaced quantiles of the studentised mean of many sources: normal, but for the skewness that it inherits.

    Args:
        deviations: of each source from the mean; their sum is 0.
    """
    from scipy.special import ndtri

    normal = ndtri((np.arange(number) + 0.5) / number)
    skewness = (deviations**3).sum() / (deviations**2).sum() ** 1.5  # divided by the root of the number of sources
    quantiles: Floats = normal - skewness * (2 * normal**2 + 1) / 6
    return quantiles


def t_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t with so many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


_ROUNDING = 1e-9


def _mean_and_error(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Over the last axis, the mean of all values and its standard error by the jackknife over sources."""
    sources, values = sums.shape[-1], counts.sum(axis=-1)
    mean = sums.sum(axis=-1) / values
    changes = (sums - mean[..., None] * counts) / (values[..., None] - counts)
    return mean, np.sqrt((sources - 1) / sources * (changes**2).sum(axis=-1))


__all__ = [
    "FEWEST_SOURCES",
    "RESAMPLES",
    "Bounds",
    "Clusters",
    "Estimate",
    "Floats",
    "SampledMean",
    "bootstrap",
    "cluster_totals",
    "is_scored",
    "percentile_interval",
    "scored_rows",
    "summarise",
]
