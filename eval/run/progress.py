"""Progress of an evaluation: documents done and failed, and an estimate of the time and cost that are left."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from summq.eval.archive import Ledger, Outcome


@dataclass(frozen=True)
class EvalProgress:
    """How many documents are done, over all systems.

    `seconds_left` and `cost_left` (USD) are estimated from those of this run, None before there are any.
    """

    done: int
    total: int
    failed: int
    seconds_left: float | None
    cost_left: float | None
    latest: Outcome | None = None


Listener = Callable[[EvalProgress], None]


class ProgressTracker:
    """Appends outcomes to the ledger and reports progress to a listener.

    Args:
        total: How many documents the run has, over all systems.
        todo: The system of each document that is still to be run.
    """

    def __init__(self, ledger: Ledger, total: int, todo: Sequence[str], listener: Listener) -> None:
        self._ledger = ledger
        self._total = total
        self._todo = todo
        self._listener = listener
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._outcomes: list[Outcome] = []
        listener(self._progress())

    def note(self, outcome: Outcome) -> None:
        """Keep one outcome."""
        self._ledger.append(outcome)
        with self._lock:
            self._outcomes.append(outcome)
            self._listener(self._progress())

    def _progress(self) -> EvalProgress:
        run = self._outcomes
        left = len(self._todo) - len(run)
        elapsed = time.monotonic() - self._started
        return EvalProgress(
            done=self._total - left,
            total=self._total,
            failed=sum(outcome.error is not None for outcome in run),
            seconds_left=elapsed / len(run) * left if run else None,
            cost_left=self._cost_left(),
            latest=run[-1] if run else None,
        )

    def _cost_left(self) -> float | None:
        """What the documents that are left will cost if they cost what the others did, system by system."""
        total = 0.0
        for name in set(self._todo):
            costs = [outcome.usage.cost for outcome in self._outcomes if outcome.system == name]
            known = [cost for cost in costs if cost is not None]
            if not known or len(known) < len(costs):
                return None
            total += fmean(known) * (self._todo.count(name) - len(costs))
        return total


__all__ = ["EvalProgress", "Listener", "ProgressTracker"]
