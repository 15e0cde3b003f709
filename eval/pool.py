"""Many calls on few threads, with the settings of the caller; the first failure ends the rest."""

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait


def run_all(calls: Sequence[Callable[[], None]], workers: int) -> None:
    """Make all calls, begun in order, at most `workers` at a time.

    When one raises, calls that have not begun are not made; those that have are waited for, then the exception is
    raised.
    """
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(contextvars.copy_context().run, call) for call in calls]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    for future in done:
        future.result()


__all__ = ["run_all"]
