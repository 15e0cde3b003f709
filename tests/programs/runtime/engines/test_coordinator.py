"""What workers share: turns by document, limits, replies, usage, and what becomes of a worker that dies."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.programs.errors import BudgetSpent
from summq.programs.runtime.engines.coordinator import Coordinator, Limits
from summq.programs.runtime.engines.joined import joined
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import session
from tests.fakes import InstantEngine, instant_backbone

READER = Role(dspy.Signature("text -> gist"), "summary_generator")
GOOD = "[[ ## gist ## ]]\nlamps\n\n[[ ## completed ## ]]"


@pytest.fixture(autouse=True)
def no_further_handlers() -> Iterator[None]:
    logger = logging.getLogger("summq.runtime")
    before = logger.handlers[:]
    yield
    logger.handlers = before


class DirectPort:
    """Reaches a coordinator in this thread; nobody ever has to wait."""

    def __init__(self, limits: Limits) -> None:
        self.coordinator = Coordinator(limits)

    def ask(self, method: str, *arguments: Any) -> Any:
        answer = getattr(self.coordinator, method)(*arguments)
        return asyncio.run(answer) if isinstance(answer, Coroutine) else answer

    def tell(self, method: str, *arguments: Any) -> None:
        self.ask(method, *arguments)


def opening(engine: InstantEngine) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: session(instant_backbone(engine))


def test_calls_of_a_worker_are_limited_counted_and_told_by_the_coordinator() -> None:
    port = DirectPort(Limits(at_once=4, max_calls=3))
    with joined(port, "a", 4, opening(InstantEngine(GOOD))):
        parallel(lambda text: READER(text=text), "xyz")
        with pytest.raises(BudgetSpent, match=r"^stopped after 3 calls: the limit is 3 \(--max-calls\)"):
            READER(text="w")
    news = port.coordinator.drain()
    assert [record.role for record in news.records] == ["summary_generator"] * 3
    assert (news.calls, news.at_work) == (3, {})
    assert port.coordinator._gate._free == 4


def test_what_was_spent_before_counts() -> None:
    port = DirectPort(Limits(at_once=1, max_calls=3, calls=3))
    with joined(port, "a", 1, opening(InstantEngine(GOOD))), pytest.raises(BudgetSpent):
        READER(text="x")


def test_a_reply_that_one_worker_had_is_not_paid_for_by_the_next(tmp_path: Path) -> None:
    engine = InstantEngine(GOOD)
    for _ in range(2):
        port = DirectPort(Limits(at_once=1, cache=str(tmp_path)))
        for name in "ab":
            with joined(port, name, 1, opening(engine)):
                assert READER(text="hall").gist == "lamps"
    assert len(engine.requests) == 1


def test_warnings_of_workers_and_of_the_cache_are_passed_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    port = DirectPort(Limits(at_once=1, cache=str(tmp_path / "file")))
    with joined(port, "a", 1, opening(InstantEngine())):
        logging.getLogger("summq.runtime").warning("no reply for %d s", 30)
    cache, waiting = port.coordinator.drain().lines
    assert "can't be used to keep replies" in cache
    assert waiting == "no reply for 30 s"
    assert port.coordinator.drain().lines == []


def test_waiting_documents_take_turns_whichever_worker_asks() -> None:
    async def served() -> list[str]:
        coordinator, order = Coordinator(Limits(at_once=1)), list[str]()

        async def call(worker: str, document: str) -> None:
            ticket = await coordinator.enter(worker, document)
            order.append(document)
            await asyncio.sleep(0)
            coordinator.leave(ticket)

        calls = [("a", "long"), ("a", "long"), ("b", "long"), ("b", "short"), ("a", "other")]
        await asyncio.gather(*(call(*each) for each in calls))
        return order

    assert asyncio.run(served()) == ["long", "long", "short", "other", "long"]


def test_a_slot_of_a_dead_worker_is_free_when_its_request_must_have_ended() -> None:
    async def waited() -> tuple[float, float]:
        coordinator = Coordinator(Limits(at_once=1))
        ticket = await coordinator.enter("a", "x")
        await asyncio.sleep(0.1)  # the longest call so far
        coordinator.leave(ticket)
        await coordinator.enter("a", "x")
        started = time.monotonic()
        coordinator.lost("a")
        await coordinator.enter("b", "x")
        return time.monotonic() - started, coordinator._gate._free

    seconds, free = asyncio.run(waited())
    assert 0.08 < seconds < 1
    assert free == 0


def test_a_dead_worker_waits_for_nothing_and_gets_nothing() -> None:
    async def left() -> tuple[int, list[int]]:
        coordinator = Coordinator(Limits(at_once=1))
        held = await coordinator.enter("b", "x")
        waiting = [asyncio.create_task(coordinator.enter("a", document)) for document in "xy"]
        await asyncio.sleep(0)
        coordinator.leave(held)  # the slot goes to the first of them, which dies in the same moment
        coordinator.lost("a")
        tickets = [*await asyncio.gather(*waiting), await coordinator.enter("a", "x")]
        return coordinator._gate._free, tickets

    assert asyncio.run(left()) == (1, [0, 0, 0])
