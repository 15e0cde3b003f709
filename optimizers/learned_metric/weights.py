"""Fitting weights so that better summaries of a document score higher: logistic regression on pairs, in numpy."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
RIDGE = 0.03
"""On the weights of features of unit spread: strong, since there are few documents and correlated features."""
STEPS = 100
ENOUGH = 1e-8


@dataclass(frozen=True)
class Preferences:
    """Differences of features between the better and the worse summary of a pair, and how much each pair counts."""

    differences: Vector
    counts: Vector


def fit_weights(preferences: Preferences, names: Sequence[str], either_way: Collection[str]) -> Vector:
    """Weights, in the order of the names, under which better summaries score higher (Bradley and Terry 1952, ridge).

    A feature counts only in its own direction: as long as any weight is negative, the most negative one is left out
    (0) and the rest fitted again. Those of `either_way` are exempt.
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
    return weights


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


__all__ = ["Preferences", "fit_weights"]
