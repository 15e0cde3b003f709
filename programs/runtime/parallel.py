"""Run independent calls at once.

Threads with a copied context, so that settings reach every branch; each branch traces privately and the traces are
merged in the order of submission, so that optimizers see the same trace whatever finished first.
"""

import contextvars
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import dspy
from dspy.utils.parallelizer import ParallelExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

DOCUMENTS_AT_ONCE = 8


def parallel(function: Callable[[Item], Result], items: Iterable[Item], *, at_once: int | None = None) -> list[Result]:
    """The results of `function` for all items, in order.

    When a call raises, calls that have not begun are not made, those that have are waited for, and the exception is
    raised.

    Args:
        at_once: How many calls may be at work at once, and never more than the session's gate lets through. None
            starts all: the concurrency of LM requests is limited at the backbone.
    """
    failures: list[Exception] = []

    def one(item: Item) -> Result:
        if failures:
            raise failures[0]
        try:
            return function(item)
        except Exception as error:
            failures.append(error)
            raise

    results: list[Result] = []
    for outcome in parallel_outcomes(one, items, at_once=at_once):
        if isinstance(outcome, Exception):
            raise outcome
        results.append(outcome)
    return results


def for_each(function: Callable[[Item], object], items: Iterable[Item], *, at_once: int) -> None:
    """Call `function` for all items, which are taken one by one as calls end; nothing of what has ended is kept.

    It fails as `parallel` does; traces are not kept either.
    """
    failures: list[Exception] = []
    slots = threading.BoundedSemaphore(2 * at_once)  # some wait in the pool, so that no thread waits for an item

    def one(item: Item) -> None:
        try:
            if not failures:
                with dspy.context(trace=None):
                    function(item)
        except Exception as error:
            failures.append(error)
        finally:
            slots.release()

    pool = ThreadPoolExecutor(_within_gate(at_once))
    try:
        for item in items:
            slots.acquire()
            if failures:
                break
            pool.submit(contextvars.copy_context().run, one, item)
        pool.shutdown()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # all have ended, or an interrupt must not wait for them
    if failures:
        raise failures[0]


def together(*calls: Callable[[], Any]) -> list[Any]:
    """The results of different calls, made in parallel; all have to succeed."""
    return parallel(lambda call: call(), calls)


def parallel_outcomes(
    function: Callable[[Item], Result], items: Iterable[Item], *, at_once: int | None = None, alike: bool = False
) -> list[Result | Exception]:
    """Like `parallel`, but all calls are made, and an exception stands for the result of a call that raised it.

    Args:
        alike: Whether the prompts have much in common. Then the first call goes ahead (`dspy.settings.head_start`, in
            seconds, at most), so that the others find what they share with it in the provider's prefix cache.
    """
    waiting = list(items)
    if not waiting:
        return []
    parent = dspy.settings.trace
    pool = ThreadPoolExecutor(len(waiting) if at_once is None else _within_gate(at_once))

    def start(item: Item) -> "Future[tuple[Result | Exception, list[Any]]]":
        return pool.submit(contextvars.copy_context().run, _branch, function, item, parent is not None)

    try:
        futures = [start(waiting[0])]
        if alike and len(waiting) > 1:
            wait(futures, timeout=dspy.settings.get("head_start") or 0.0)
        futures += map(start, waiting[1:])
        outcomes = [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # all have ended, or an interrupt must not wait for them
    if parent is not None:
        for _, trace in outcomes:
            parent.extend(trace)
    return [outcome for outcome, _ in outcomes]


def _within_gate(at_once: int) -> int:
    gate = dspy.settings.get("gate")
    return min(at_once, gate.limit) if gate else 1


def _branch(function: Callable[[Item], Result], item: Item, traced: bool) -> tuple[Result | Exception, list[Any]]:
    trace: list[Any] = []
    with dspy.context(trace=trace if traced else None):
        try:
            return function(item), trace
        except Exception as error:  # handed to the caller, who decides whether the protocol can go on
            return error, trace


_NEVER = 0


def never_resubmit() -> None:
    """Let every item of DSPy's executors run once, however long it takes."""
    original = ParallelExecutor.__init__
    if hasattr(original, "__wrapped__"):
        return

    @wraps(original)
    def patient(self: ParallelExecutor, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.timeout = _NEVER

    ParallelExecutor.__init__ = patient


@contextmanager
def every(seconds: float, action: Callable[[], None]) -> Iterator[None]:
    """Call a function periodically in a thread of its own while the context is open."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            action()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


__all__ = ["DOCUMENTS_AT_ONCE", "every", "for_each", "never_resubmit", "parallel", "parallel_outcomes", "together"]
