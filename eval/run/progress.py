"""Progress of an evaluation: documents done and failed, and an estimate of the time and cost that are left."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from summq.eval.archive import Ledger, Outcome
from summq.programs.runtime.usage import known_sum


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
        todo: How many documents each system is still to be run on.
    """

    def __init__(self, ledger: Ledger, total: int, todo: Mapping[str, int], listener: Listener) -> None:
        self._ledger = ledger
        self._total = total
        self._left = dict(todo)
        self._listener = listener
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._done: Counter[str] = Counter()
        self._failed = 0
        self._costs: dict[str, float | None] = dict.fromkeys(todo, 0.0)
        listener(self._progress(None))

    def note(self, outcome: Outcome) -> None:
        """Keep one outcome."""
        self._ledger.append(outcome)
        with self._lock:
            self._done[outcome.system] += 1
            self._left[outcome.system] -= 1
            self._failed += outcome.error is not None
            self._costs[outcome.system] = known_sum((self._costs[outcome.system], outcome.usage.cost))
            self._listener(self._progress(outcome))

    def _progress(self, latest: Outcome | None) -> EvalProgress:
        left, run = sum(self._left.values()), self._done.total()
        elapsed = time.monotonic() - self._started
        return EvalProgress(
            done=self._total - left,
            total=self._total,
            failed=self._failed,
            seconds_left=elapsed / run * left if run else None,
            cost_left=self._cost_left(),
            latest=latest,
        )

    def _cost_left(self) -> float | None:
        """What the documents that are left will cost if they cost what the others did, system by system."""
        total = 0.0
        for name, left in self._left.items():
            done, cost = self._done[name], self._costs[name]
            if not done or cost is None:
                return None
            total += cost / done * left
        return total


__all__ = ["EvalProgress", "Listener", "ProgressTracker"]
