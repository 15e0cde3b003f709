"""Fitting weights so that better summaries of a document score higher: logistic regression on pairs, in numpy."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
RIDGE = 1e-4
"""On the weights of features as they are, most of which are shares: what hardly ever varied gets no great weight."""
STEPS = 100
ENOUGH = 1e-8


@dataclass(frozen=True)
class Preferences:
    """Differences of features between the better and the worse summary of a pair, and how much each pair counts."""

    differences: Vector
    counts: Vector


class Fit(NamedTuple):
    """Weights in the order of the names, 0 for those left out."""

    names: Sequence[str]
    weights: Vector


def fit_weights(preferences: Preferences, names: Sequence[str], either_way: Collection[str]) -> Fit:
    """Weights under which better summaries score higher (Bradley and Terry 1952, with a ridge).

    A feature counts only in its own direction: as long as any weight is negative, the most negative one is left out and
    the rest fitted again. Those of `either_way` are exempt.
    """
    active = list(range(len(names)))
    while True:
        fitted = _newton(preferences.differences[:, active], preferences.counts)
        bound = [(w, place) for w, place in zip(fitted, active, strict=True) if names[place] not in either_way]
        lowest, place = min(bound, default=(0.0, -1))
        if lowest >= 0:
            break
        active.remove(place)
    weights = np.zeros(len(names))
    weights[active] = fitted
    return Fit(names, weights)


def _newton(differences: Vector, counts: Vector) -> Vector:
    """The minimum of the mean logistic loss and the ridge."""
    share, weights = counts / counts.sum(), np.zeros(differences.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-differences @ weights))
        slope = differences.T @ (share * (likely - 1)) + RIDGE * weights
        curvature = (differences * (share * likely * (1 - likely))[:, None]).T @ differences
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(weights)), slope)
        weights = weights - step
        if np.abs(step).max(initial=0.0) < ENOUGH:
            break
    return weights


__all__ = ["Fit", "Preferences", "fit_weights"]
