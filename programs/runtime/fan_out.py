"""Run independent calls at once.

Threads with a copied context, so that settings reach every branch; each branch traces privately and the traces are
merged in the order of submission, so that optimizers see the same trace whatever finished first.
"""

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import dspy

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


__all__ = ["fan_out", "together"]
