"""Krippendorff's alpha for nominal ratings: agreement beyond chance, whoever rated what (Krippendorff 2011)."""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from summq.eval.statistics.estimates import RESAMPLES, Estimate, Floats, bootstrap, percentile_interval

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
        return Estimate(None, None, None, len(rated), failed)
    alpha = float(_alpha(counts, np.arange(len(rated))[None, :])[0])
    interval = percentile_interval(bootstrap(len(rated), lambda drawn: _alpha(counts, drawn), seed, resamples))
    return Estimate(alpha, interval.low, interval.high, len(rated), failed)


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


__all__ = ["nominal_alpha"]
