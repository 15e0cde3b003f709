"""Ending a trial early: when the documents so far show that another structure is better and costs no more.

As Optuna's `WilcoxonPruner` does, values are compared document by document by a signed-rank test; but it knows one
objective only. With calls or cost as a further objective, a trial is compared with those that cost no more than it has
so far for a document.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

DOCUMENTS = "documents"
"""The user attribute of a trial that holds the quality of each document."""
LEAST_DOCUMENTS = 5
THRESHOLD = 0.1


def is_hopeless(qualities: Mapping[str, float], expenses: Sequence[float], completed: "Sequence[FrozenTrial]") -> bool:
    """Whether a completed trial is better on the same documents and no worse in any other objective.

    Args:
        qualities: By document, those of the trial so far.
        expenses: Its other objectives so far, for a document; lower is better.
    """
    if len(qualities) < LEAST_DOCUMENTS:
        return False
    rivals = (
        trial
        for trial in completed
        if all(theirs <= own for theirs, own in zip(trial.values[1:], expenses, strict=True))
    )
    return any(_is_worse(qualities, rival.user_attrs.get(DOCUMENTS, {})) for rival in rivals)


def _is_worse(qualities: Mapping[str, float], others: Mapping[str, float]) -> bool:
    from scipy.stats import wilcoxon

    differences = [quality - others[row] for row, quality in qualities.items() if row in others]
    if len(differences) < LEAST_DOCUMENTS or not any(differences):
        return False
    return bool(wilcoxon(differences, alternative="less", zero_method="zsplit").pvalue < THRESHOLD)


__all__ = ["DOCUMENTS", "is_hopeless"]
