"""Many calls on few threads, with the settings of the caller; the first failure ends the rest."""

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

import dspy

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


__all__ = ["DOCUMENTS_AT_ONCE", "run_all"]
