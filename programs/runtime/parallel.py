"""Run independent calls at once.

Threads with a copied context, so that settings reach every branch; each branch traces privately and the traces are
merged in the order of submission, so that optimizers see the same trace whatever finished first.
"""

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from functools import wraps
from typing import Any, TypeVar

import dspy
from dspy.utils.parallelizer import ParallelExecutor

Call = Callable[[], Any]


def fan_out(calls: Sequence[Call], *, alike: bool = False) -> list[Any]:
    """Run `calls` in parallel; return their results in order, an exception standing for a call that raised it.

    The concurrency of LM requests is limited at the backbone, not here.

    Args:
        alike: Whether the prompts have much in common. Then the first call goes ahead (`dspy.settings.head_start`, in
            seconds, at most), so that the others find what they share with it in the provider's prefix cache.
    """
    if not calls:
        return []
    parent = dspy.settings.trace
    pool = ThreadPoolExecutor(len(calls))

    def start(call: Call) -> "Future[Any]":
        return pool.submit(contextvars.copy_context().run, _branch, call, parent is not None)

    try:
        futures = [start(calls[0])]
        if alike and len(calls) > 1:
            wait(futures, timeout=dspy.settings.get("head_start") or 0.0)
        futures += map(start, calls[1:])
        outcomes = [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False)  # all have ended, or an interrupt must not wait for calls in flight
    if parent is not None:
        for _, trace in outcomes:
            parent.extend(trace)
    return [result for result, _ in outcomes]


def together(*calls: Call) -> list[Any]:
    """Like `fan_out` for calls that all have to succeed: raises the first exception after all have ended."""
    results = fan_out(calls)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def _branch(call: Call, traced: bool) -> tuple[Any, list[Any]]:
    trace: list[Any] | None = [] if traced else None
    with dspy.context(trace=trace):
        try:
            return call(), trace or []
        except Exception as error:  # handed to the caller, who decides whether the protocol can go on
            return error, trace or []


DOCUMENTS_AT_ONCE = 8
Result = TypeVar("Result")


def run_all(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of all calls, in order; a few are at work at once, no more than LM calls may be in flight.

    When one raises, calls that have not begun are not made, those that have are waited for, and the exception is
    raised. An interrupt waits for nothing.
    """
    gate = dspy.settings.get("gate")
    pool = ThreadPoolExecutor(min(DOCUMENTS_AT_ONCE, gate.limit) if gate else 1)
    futures = [pool.submit(contextvars.copy_context().run, call) for call in calls]
    try:
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(wait=True, cancel_futures=True)
    failure = next((error for future in done if (error := future.exception())), None)
    if failure:
        raise failure
    return [future.result() for future in futures]


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


__all__ = ["DOCUMENTS_AT_ONCE", "fan_out", "never_resubmit", "run_all", "together"]
