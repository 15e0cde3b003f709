"""Trying a call again after a passing failure, and a deadline that holds whatever the client library does.

DSPy's own retries sleep for as long as a `Retry-After` header says, and its timeouts start anew with every byte that
arrives. Here a wait is capped, and the deadline bounds the whole reply.
"""

import contextvars
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from dspy.utils.exceptions import LMTransportError, is_retryable_lm_error

Result = TypeVar("Result")

FIRST_WAIT = 1.0
LONGEST_BACKOFF = 30.0
_jitter = random.Random()


class DeadlineExceeded(LMTransportError):
    """A request was not answered within its deadline; it is not sent again."""

    default_code = "deadline"


@dataclass(frozen=True)
class RetryPolicy:
    """How patient a backbone is: `attempts` in all, waits of at most `longest_wait` seconds between them."""

    attempts: int = 4
    longest_wait: float = 60.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"a call needs at least one attempt, not {self.attempts}")

    def run(self, attempt: Callable[[], Result]) -> Result:
        """The result of `attempt`, repeated while it fails with a retryable LM error; raises the last error."""
        for failed in range(1, self.attempts):
            try:
                return attempt()
            except Exception as error:
                if isinstance(error, DeadlineExceeded) or not is_retryable_lm_error(error):
                    raise
                wait = self._wait(error, failed)
            time.sleep(wait)
        return attempt()

    def _wait(self, error: Exception, failed: int) -> float:
        hint: float | None = getattr(error, "retry_after", None)
        if hint is None:
            hint = min(FIRST_WAIT * 2 ** (failed - 1), LONGEST_BACKOFF) * _jitter.uniform(0.75, 1.25)
        return min(hint, self.longest_wait)


def within_deadline(seconds: float | None, function: Callable[[], Result]) -> Result:
    """The result of `function`, or `DeadlineExceeded` after `seconds`; None waits as long as it takes.

    A thread can't be stopped: past the deadline it is left behind as a daemon, and what it still returns is dropped.
    """
    outcome: Future[Result] = Future()

    def work() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # handed to the thread that waits
            outcome.set_exception(error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True, name="summq-call").start()
    try:
        return outcome.result(timeout=seconds)
    except TimeoutError:
        if outcome.done():  # the function's own timeout
            raise
        raise DeadlineExceeded(f"no complete reply within {seconds:g} s") from None


__all__ = ["DeadlineExceeded", "RetryPolicy", "within_deadline"]
