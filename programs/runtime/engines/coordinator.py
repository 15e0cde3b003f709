"""What all workers of a command share: limits, replies, and the news for whoever watches.

The coordinator lives in one process; workers reach it through a `Port`. Its methods run in one event loop, so that
none needs a lock.
"""

import asyncio
import itertools
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

from summq.programs.errors import BudgetSpent
from summq.programs.runtime.cache import KeptReply, ReplyCache
from summq.programs.runtime.limits import Budget, Gate
from summq.programs.runtime.progress import Scene
from summq.programs.runtime.usage import CallRecord

UNKNOWN_CALL = 5.0
"""Seconds after which a request of a dead worker is taken to have ended, where no call has ended yet."""


class Port(Protocol):
    """The way from a worker to the coordinator."""

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method and return what it returns."""

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method and go on at once."""


class Lines(logging.Handler):
    """Passes warnings to the user on."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Pass one line on."""
        self._say(record.getMessage())


@dataclass(frozen=True)
class Limits:
    """The limits of a command, what was spent of them before, and where its replies are kept."""

    at_once: int
    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    cost: float = 0.0
    cache: str = ""


@dataclass
class News:
    """What has happened since the last look; `at_work` is how it is now, `calls` and `cost` (USD) are the sums."""

    records: list[CallRecord] = field(default_factory=list)
    exams: list[tuple[str, float | None]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    at_work: dict[Scene, int] = field(default_factory=dict)
    calls: int = 0
    cost: float = 0.0


class Turn(asyncio.Event):
    """Wakes a call that waits for a slot; `dropped` when its worker has died before."""

    def __init__(self, document: Hashable) -> None:
        super().__init__()
        self.document = document
        self.dropped = False


@dataclass(frozen=True)
class Slot:
    """A slot in use, and since when."""

    worker: str
    since: float


class Coordinator:
    """One gate, one budget and one response cache for all workers."""

    def __init__(self, limits: Limits) -> None:
        self._gate = Gate(limits.at_once)
        self._budget = Budget(max_calls=limits.max_calls, max_cost=limits.max_cost)
        self._budget.spend(limits.calls, limits.cost)
        self._tickets = itertools.count(1)
        self._slots: dict[int, Slot] = {}
        self._waiting: defaultdict[str, set[Turn]] = defaultdict(set)
        self._gone: set[str] = set()
        self._longest = 0.0
        self._news = News()
        self._at_work: defaultdict[str, dict[str, Scene]] = defaultdict(dict)
        logging.getLogger("summq.runtime").addHandler(Lines(self.say))
        self._cache = ReplyCache(limits.cache)

    async def enter(self, worker: str, document: Hashable) -> int:
        """Wait for a slot; returns the ticket with which it is given back."""
        turn = Turn(document)
        if worker in self._gone:
            return 0
        if not self._gate.request(document, turn):
            self._waiting[worker].add(turn)
            await turn.wait()
            self._waiting[worker].discard(turn)
        if worker in self._gone:
            if not turn.dropped:
                self._gate.leave()
            return 0
        ticket = next(self._tickets)
        self._slots[ticket] = Slot(worker, time.monotonic())
        return ticket

    def leave(self, ticket: int) -> None:
        """Give a slot back."""
        if slot := self._slots.get(ticket):
            self._longest = max(self._longest, time.monotonic() - slot.since)
            self._release(ticket)

    def _release(self, ticket: int) -> None:
        if self._slots.pop(ticket, None):
            self._gate.leave()

    def admit(self) -> str | None:
        """Reserve one call; returns why it can't be made where the budget is spent."""
        try:
            self._budget.admit()
        except BudgetSpent as spent:
            return str(spent)
        return None

    def charge(self, cost: float | None) -> None:
        """Add what an admitted call cost in USD, None when its price is unknown."""
        self._budget.charge(cost)

    def read(self, key: str, younger_than: float | None) -> KeptReply | None:
        """A kept reply, not older than so many seconds."""
        return self._cache.get(key, younger_than=younger_than)

    def write(self, key: str, reply: KeptReply) -> None:
        """Keep a reply."""
        self._cache.put(key, reply)

    def record(self, record: CallRecord) -> None:
        """Note what a call used."""
        self._news.records.append(record)

    def begun(self, worker: str, call_id: str, scene: Scene) -> None:
        """Note that a role has begun."""
        if worker not in self._gone:
            self._at_work[worker][call_id] = scene

    def over(self, worker: str, call_id: str) -> None:
        """Note that a role has ended."""
        self._at_work[worker].pop(call_id, None)

    def examined(self, document: str, accuracy: float | None) -> None:
        """Note how an exam went."""
        self._news.exams.append((document, accuracy))

    def say(self, line: str) -> None:
        """Pass on a line for the user."""
        if line not in self._news.lines:
            self._news.lines.append(line)

    def lost(self, worker: str) -> None:
        """Forget a worker that has died.

        The provider may still be at work on its requests, so their slots are free when the longest call so far would
        have ended.
        """
        self._gone.add(worker)
        self._at_work.pop(worker, None)
        for turn in self._waiting.pop(worker, set()):
            turn.dropped = self._gate.withdraw(turn.document, turn)
            turn.set()
        now = time.monotonic()
        for ticket, slot in list(self._slots.items()):
            if slot.worker == worker:
                left = slot.since + (self._longest or UNKNOWN_CALL) - now
                asyncio.get_running_loop().call_later(max(0.0, left), self._release, ticket)

    def drain(self) -> News:
        """The news since the last time."""
        news, self._news = self._news, News()
        news.at_work = dict(Counter(scene for calls in self._at_work.values() for scene in calls.values()))
        news.calls, news.cost = self._budget.calls, self._budget.cost
        return news


__all__ = ["Coordinator", "Limits", "Lines", "News", "Port"]
