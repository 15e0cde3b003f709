"""Run independent calls at once.

Threads with a copied context, so that settings reach every branch; each branch traces privately and the traces are
merged in the order of submission, so that optimizers see the same trace whatever finished first.
"""

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy

Call = Callable[[], Any]


def fan_out(calls: Sequence[Call]) -> list[Any]:
    """Run `calls` in parallel; return their results in order, an exception standing for a call that raised it.

    The concurrency of LM requests is limited at the backbone, not here.
    """
    if not calls:
        return []
    parent = dspy.settings.trace
    pool = ThreadPoolExecutor(len(calls))
    try:
        futures = [pool.submit(contextvars.copy_context().run, _branch, call, parent is not None) for call in calls]
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
