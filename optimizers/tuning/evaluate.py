"""A structure on documents: the quality of each summary, what it took, and when to end it early."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import dspy

from summq.eval.data import Row
from summq.optimizers.compiling.guard import require_passing
from summq.optimizers.tuning.objectives import Quality, expense
from summq.optimizers.tuning.space import Structure
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, parallel_outcomes
from summq.programs.runtime.replies import first_line
from summq.programs.runtime.usage import Meter
from summq.programs.settings import Settings
from summq.programs.summq import SummQ, complete

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial


class TrialFailed(Exception):
    """A document could not be summarised or scored, so the trial has no value."""


@dataclass(frozen=True)
class ScoredDocument:
    """The quality and usage of one document."""

    row: str
    quality: float
    meter: Meter


class Evaluator:
    """Runs one structure inside a session.

    Args:
        rollout: Further rollouts get replies of their own; 0 shares those of the response cache.
    """

    def __init__(self, structure: Structure, settings: Settings, quality: Quality, rollout: int = 0) -> None:
        own = {role: settings.connected(spec) for role, spec in structure.roles.items()}
        self._program: SummQ = structure.program()
        self._roles: Mapping[str, Any] = {
            "role_lms": {**(dspy.settings.get("role_lms") or {}), **own},
            "temperatures": {**(dspy.settings.get("temperatures") or {}), **structure.temperatures},
        }
        self._quality = quality
        self._rollout = rollout

    def score(self, rows: Sequence[Row]) -> list[ScoredDocument]:
        """Summarise and score rows. Raises `TrialFailed` for the first that fails."""
        outcomes = parallel_outcomes(self._one, rows, at_once=DOCUMENTS_AT_ONCE)
        scored: list[ScoredDocument] = []
        for row, outcome in zip(rows, outcomes, strict=True):
            if isinstance(outcome, TrialFailed):
                raise outcome
            if isinstance(outcome, Exception):
                require_passing(outcome)
                raise TrialFailed(f"row {row.id}: {first_line(outcome)}") from outcome
            scored.append(outcome)
        return scored

    def _one(self, row: Row) -> ScoredDocument:
        meter = Meter(parent=dspy.settings.get("meter"))
        lm = dspy.settings.lm
        lm = lm.copy(rollout_id=f"tuned {self._rollout}") if self._rollout else lm
        with dspy.context(lm=lm, **self._roles, meter=meter, document_key=row.document.key):
            summary = complete(self._program(document=row.document)).summary
        quality = self._quality(summary, row)
        if quality is None:
            raise TrialFailed(f"row {row.id}: the summary could not be scored")
        return ScoredDocument(row.id, quality, meter)


def objective_value(name: str, scored: Sequence[ScoredDocument]) -> float:
    """The mean of an objective. Raises `TrialFailed` where a price is unknown."""
    if name == "quality":
        return fmean(one.quality for one in scored)
    spent = expense(name, [one.meter for one in scored])
    if spent is None:
        raise TrialFailed("the price of a call is not known: give prices, or take calls as an objective")
    return spent


DOCUMENTS = "documents"
"""The user attribute of a trial that holds the quality of each document."""
LEAST_DOCUMENTS = 5
THRESHOLD = 0.1


def is_hopeless(qualities: Mapping[str, float], expenses: Sequence[float], completed: "Sequence[FrozenTrial]") -> bool:
    """Whether a completed trial is better on the same documents and no worse in any other objective.

    As Optuna's `WilcoxonPruner` does, values are compared document by document by a signed-rank test; but it knows one
    objective only. With calls or cost as a further objective, a trial is compared with those that cost no more than it
    has so far for a document.

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


__all__ = ["DOCUMENTS", "Evaluator", "ScoredDocument", "TrialFailed", "is_hopeless", "objective_value"]
