"""Limits on what a run may use. A reply from the response cache uses nothing and never comes here."""

import threading

from summq.programs.errors import BudgetSpent


class Budget:
    """At most `max_calls` calls and about `max_cost` USD; None means no limit.

    Every call is admitted before it is sent. Calls never go beyond their limit. What a call costs is known when it
    has ended, so the calls in flight at that moment can go beyond the limit on cost; no further one is sent.
    """

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.max_calls = max_calls
        self.max_cost = max_cost
        self._lock = threading.Lock()
        self._calls = 0
        self._cost = 0.0
        self._unpriced = False

    @property
    def calls(self) -> int:
        """How many calls were admitted."""
        return self._calls

    @property
    def cost(self) -> float:
        """USD spent by calls whose price is known."""
        return self._cost

    def admit(self) -> None:
        """Reserve one call, or raise `BudgetSpent`."""
        with self._lock:
            if self.max_calls is not None and self._calls >= self.max_calls:
                raise BudgetSpent(f"stopped after {self._calls} calls: the limit is {self.max_calls} (--max-calls)")
            if self.max_cost is not None and self._cost >= self.max_cost:
                raise BudgetSpent(f"stopped at USD {self._cost:.4f}: the limit is USD {self.max_cost:.4f} (--max-cost)")
            if self.max_cost is not None and self._unpriced:
                raise BudgetSpent("stopped: a reply came without a known price, so --max-cost can't be kept")
            self._calls += 1

    def charge(self, cost: float | None) -> None:
        """Add what an admitted call cost, None when its price is unknown."""
        with self._lock:
            if cost is None:
                self._unpriced = True
            else:
                self._cost += cost


__all__ = ["Budget"]
