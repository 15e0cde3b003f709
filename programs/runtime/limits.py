"""How many calls are in flight at once, and whose turn is next.

Waiting calls are served round robin over documents, so that one long document doesn't hold up the others; within a
document in the order of arrival.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Event, Lock
from typing import Protocol

import dspy

from summq.programs.errors import BudgetSpent
from summq.programs.text.words import numbered


class Turn(Protocol):
    """What a waiting call is woken by: an event of threads, or of an event loop."""

    def set(self) -> None:
        """Wake the call."""

    def is_set(self) -> bool:
        """Whether it was woken."""


class Gate:
    """Lets at most `limit` calls through at a time.

    A slot that becomes free is handed to the next waiting call directly: nobody who comes later can take it, and no
    wake-up is lost.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"the limit of a gate is at least 1, not {limit}")
        self.limit = limit
        self._lock = Lock()
        self._free = limit
        self._queues: OrderedDict[Hashable, deque[Turn]] = OrderedDict()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one slot; the document whose turn it is comes from `dspy.settings.document_key`."""
        self._enter(dspy.settings.get("document_key"))
        try:
            yield
        finally:
            self.leave()

    def _enter(self, document: Hashable) -> None:
        turn = Event()
        if self.request(document, turn):
            return
        try:
            turn.wait()
        except BaseException:  # interrupted while waiting: step out of the queue, or pass on the slot just given
            if not self.withdraw(document, turn):
                self.leave()
            raise

    def request(self, document: Hashable, turn: Turn) -> bool:
        """Take a free slot; else queue for one, and `turn` is set when it is there."""
        with self._lock:
            if self._free:  # slots are free only when nobody waits
                self._free -= 1
                return True
            self._queues.setdefault(document, deque()).append(turn)
            return False

    def leave(self) -> None:
        """Give a slot back, to the document whose turn it is."""
        with self._lock:
            if not self._queues:
                self._free += 1
                return
            document, queue = next(iter(self._queues.items()))
            queue.popleft().set()
            self._queues.move_to_end(document)
            if not queue:
                del self._queues[document]

    def withdraw(self, document: Hashable, turn: Turn) -> bool:
        """Step out of the queue; False where the slot is there already, to be given back."""
        with self._lock:
            if turn.is_set():
                return False
            self._queues[document].remove(turn)
            if not self._queues[document]:
                del self._queues[document]
            return True


GOES_ON = "finished calls are kept, and the same command with a larger limit goes on"
"""What a user can do where a budget is spent."""


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
                made = numbered(self._calls, "call")
                raise BudgetSpent(f"stopped after {made}: the limit is {self.max_calls} (--max-calls); {GOES_ON}")
            if self.max_cost is not None and self._cost >= self.max_cost:
                raise BudgetSpent(
                    f"stopped at USD {self._cost:.4f}: the limit is USD {self.max_cost:.4f} (--max-cost); {GOES_ON}"
                )
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

    def spend(self, calls: int, cost: float) -> None:
        """Count what was spent elsewhere: calls, and USD."""
        with self._lock:
            self._calls += calls
            self._cost += cost


__all__ = ["Budget", "Gate"]
