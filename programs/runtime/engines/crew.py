"""The workers that are alive, who works on what, and what they have to tell."""

import itertools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import dspy

from summq.programs.errors import RunError
from summq.programs.runtime.engines.coordinator import News, Port
from summq.programs.runtime.parallel import every
from summq.programs.runtime.progress import RunWatch
from summq.programs.runtime.replies import first_line

logger = logging.getLogger("summq.runtime")
TOLD_EVERY = 30.0
"""Seconds between two lines about workers that do not come up."""
NEWS_EVERY = 0.5
FUTILE = 3
"""How often all workers may die while no item is finished."""


class WorkerDied(Exception):
    """A worker, or the machine that it is on, has ended."""


class Handle(Protocol):
    """The way from the command to a worker; used by several threads at once."""

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the worker; raises `WorkerDied`."""

    def kill(self) -> None:
        """End the worker, if it has not ended."""


@dataclass(eq=False)
class Member:
    """One worker: whether its session is open, and how many items it has at work."""

    name: str
    handle: Handle
    ready: bool = False
    at_work: int = 0


class Crew:
    """Hands out places at workers, the least busy first; replaces those that die.

    Args:
        hire: Starts a worker of that name.
        size: How many workers.
        each: How many items each may have at work.
    """

    def __init__(self, hire: Callable[[str], Handle], size: int, each: int, port: Port) -> None:
        self._hire, self._size, self._each, self._port = hire, size, each, port
        self._changed = threading.Condition()
        self._members: set[Member] = set()
        self._numbers = itertools.count(1)
        self._deaths = 0
        self._failure: Exception | None = None
        self._dismissed = False
        for _ in range(size):
            self._add()

    def take(self) -> Member:
        """Wait for a place; raises what keeps all workers from working."""
        with self._changed:
            while True:
                if self._failure:
                    raise self._failure
                free = [member for member in self._members if member.ready and member.at_work < self._each]
                if free:
                    member = min(free, key=lambda member: member.at_work)
                    member.at_work += 1
                    return member
                if not self._changed.wait(TOLD_EVERY) and not any(member.ready for member in self._members):
                    logger.warning("no worker has come up yet: has the cluster a free CPU?")

    def give_back(self, member: Member) -> None:
        """An item is finished, or its worker is lost."""
        with self._changed:
            member.at_work -= 1
            if member in self._members:
                self._deaths = 0
            self._changed.notify_all()

    def lost(self, member: Member, error: Exception) -> None:
        """A worker has died."""
        with self._changed:
            if self._dismissed or member not in self._members:
                return
            self._members.remove(member)
            self._deaths += 1
            if self._deaths > FUTILE * self._size:
                self._failure = RunError(f"workers die again and again: {first_line(error)}")
            self._changed.notify_all()
        logger.warning("%s has died and is replaced: what it had not finished is done again", member.name)
        member.handle.kill()
        self._port.tell("lost", member.name)
        if not self._failure:
            self._add()

    def _add(self) -> None:
        threading.Thread(target=self._start, args=(f"worker {next(self._numbers)}",), daemon=True).start()

    def _start(self, name: str) -> None:
        """Start a worker and note when it is ready, or that it never will be."""
        try:
            member = Member(name, self._hire(name))
        except Exception as error:  # handed to whoever waits for a worker
            self._fail(error)
            return
        with self._changed:
            self._members.add(member)
            if self._dismissed:
                member.handle.kill()
                return
        try:
            failure: Exception | None = member.handle.call("ready")
        except WorkerDied as died:
            self.lost(member, died)
            return
        if failure:
            self._fail(failure)
        with self._changed:
            member.ready = failure is None
            self._changed.notify_all()

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()

    def dismiss(self) -> None:
        """End all workers."""
        self._fail(RunError("the command has ended"))
        with self._changed:
            self._dismissed = True
            members = list(self._members)
        for member in members:
            member.handle.kill()


class NewsReader:
    """While it is open, what workers tell goes into the meter, budget and watches of the session in force, and the log.

    A coordinator that is gone has nothing to tell.
    """

    def __init__(self, port: Port) -> None:
        self._port = port
        self._meter, self._budget = dspy.settings.meter, dspy.settings.budget
        self._watches = [watch for watch in dspy.settings.callbacks if isinstance(watch, RunWatch)]
        self._reading = every(NEWS_EVERY, self._read)

    def __enter__(self) -> None:
        self._reading.__enter__()

    def __exit__(self, *_: object) -> None:
        self._reading.__exit__(None, None, None)
        self._read()

    def _read(self) -> None:
        try:
            news: News = self._port.ask("drain")
        except RunError:
            return
        for record in news.records:
            self._meter.add(record)
        self._budget.spend(news.calls - self._budget.calls, news.cost - self._budget.cost)  # the sums are of all
        for line in news.lines:
            logger.warning("%s", line)
        for watch in self._watches:
            for document, accuracy in news.exams:
                watch.examined(document, accuracy)
            watch.elsewhere(news.at_work)


__all__ = ["Crew", "Handle", "NewsReader", "WorkerDied"]
