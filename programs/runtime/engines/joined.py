"""A worker's session: backbones of its own, limits, replies and meter those of the coordinator."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import dspy

from summq.programs.errors import BudgetSpent
from summq.programs.runtime.cache import KeptReply, ReplyCache, keep_with
from summq.programs.runtime.engines.base import OpenSession
from summq.programs.runtime.engines.coordinator import Lines, Port
from summq.programs.runtime.progress import RoleWatch, Scene
from summq.programs.runtime.usage import CallRecord, Meter


class SharedGate:
    """The gate of all workers; waiting calls are served round robin over documents, whoever works on them."""

    def __init__(self, port: Port, worker: str, limit: int) -> None:
        self.limit = limit
        self._port, self._worker = port, worker

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one slot."""
        ticket = self._port.ask("enter", self._worker, dspy.settings.get("document_key"))
        try:
            yield
        finally:
            self._port.tell("leave", ticket)


class SharedBudget:
    """The budget of all workers."""

    def __init__(self, port: Port) -> None:
        self._port = port

    def admit(self) -> None:
        """Reserve one call, or raise `BudgetSpent`."""
        if reason := self._port.ask("admit"):
            raise BudgetSpent(reason)

    def charge(self, cost: float | None) -> None:
        """Add what an admitted call cost in USD, None when its price is unknown."""
        self._port.tell("charge", cost)


class SharedMeter(Meter):
    """Hands records on and keeps none."""

    def __init__(self, port: Port) -> None:
        super().__init__()
        self._port = port

    def add(self, record: CallRecord) -> None:
        """Hand on one record."""
        self._port.tell("record", record)


class SharedCache(ReplyCache):
    """The replies that the coordinator keeps."""

    def __init__(self, port: Port) -> None:
        super().__init__(None)
        self._port = port

    def get(self, key: str, *, younger_than: float | None = None) -> KeptReply | None:
        """The reply under `key`, None if there is none, or none younger than so many seconds."""
        reply: KeptReply | None = self._port.ask("read", key, younger_than)
        return reply

    def put(self, key: str, reply: KeptReply) -> None:
        """Keep a reply."""
        self._port.tell("write", key, reply)


class Relay(RoleWatch):
    """Tells the coordinator which roles are at work."""

    def __init__(self, port: Port, worker: str) -> None:
        super().__init__()
        self._port, self._worker = port, worker

    def begun(self, call_id: str, scene: Scene) -> None:
        """A role has begun."""
        self._port.tell("begun", self._worker, call_id, scene)

    def over(self, call_id: str) -> None:
        """A role has ended."""
        self._port.tell("over", self._worker, call_id)

    def examined(self, document: str, accuracy: float | None) -> None:
        """An exam of an iteration has ended."""
        self._port.tell("examined", document, accuracy)


@contextmanager
def limited_by(port: Port, worker: str, limit: int) -> Iterator[None]:
    """Make calls under the limits of the coordinator."""
    with dspy.context(gate=SharedGate(port, worker, limit), budget=SharedBudget(port)):
        yield


@contextmanager
def joined(port: Port, worker: str, limit: int, session: OpenSession) -> Iterator[None]:
    """Work in a session under the limits of the coordinator.

    Args:
        limit: How many calls the gate of the coordinator lets through.
    """
    handler = Lines(lambda line: port.tell("say", line))
    logging.getLogger("summq.runtime").addHandler(handler)
    try:
        with session():
            keep_with(SharedCache(port))
            watches = [*dspy.settings.callbacks, Relay(port, worker)]
            with limited_by(port, worker, limit), dspy.context(meter=SharedMeter(port), callbacks=watches):
                yield
    finally:
        logging.getLogger("summq.runtime").removeHandler(handler)


__all__ = ["joined", "limited_by"]
