"""Trying a call again after a passing failure, and a deadline that holds whatever the client library does.

DSPy's own retries sleep for as long as a `Retry-After` header says, and its timeouts start anew with every byte that
arrives. Here a wait is capped, the deadline bounds the whole reply, and whoever waits is told what for.
"""

import contextvars
import logging
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from dspy.utils.exceptions import is_retryable_lm_error

from summq.programs.runtime.failures import DeadlineExceeded, Unreachable, never_connected

logger = logging.getLogger("summq.runtime")
Result = TypeVar("Result")

FIRST_WAIT = 1.0
LONGEST_BACKOFF = 30.0
TOLD_FROM = 5.0  # seconds; shorter waits are nobody's concern
TOLD_EVERY = 30.0
UNANSWERED = 2  # attempts at a request that is not answered within its deadline
_jitter = random.Random()


class Teller:
    """Tells in the log what is waited for: one line in `TOLD_EVERY` seconds, however many calls wait at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = float("-inf")

    def tell(self, line: str) -> None:
        """Log the line, unless another one was logged just now."""
        with self._lock:
            now = time.monotonic()
            if now - self._last < 0.9 * TOLD_EVERY:
                return
            self._last = now
        logger.warning(line)


@dataclass(frozen=True)
class RetryPolicy:
    """How patient a backbone is: `attempts` in all, waits of at most `longest_wait` seconds between them."""

    attempts: int = 4
    longest_wait: float = 60.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"a call needs at least one attempt, not {self.attempts}")

    def run(self, attempt: Callable[[], Result], tell: Callable[[str], None] = lambda line: None) -> Result:
        """The result of `attempt`, repeated while it fails with a retryable LM error; raises the last error.

        A request that went unanswered is sent once more, and a provider that keeps asking for a longer wait than
        `longest_wait` is waited for once.

        Args:
            tell: Is told of each wait of some length.
        """
        unanswered, put_off = 0, 0
        for failed in range(1, self.attempts):
            try:
                return attempt()
            except Exception as error:
                hint: float = getattr(error, "retry_after", None) or 0.0
                unanswered += isinstance(error, DeadlineExceeded)
                put_off += hint > self.longest_wait
                if unanswered >= UNANSWERED or put_off > 1 or not is_retryable_lm_error(error):
                    raise
                wait = self._wait(error, failed)
                if wait >= TOLD_FROM:
                    hint_text = f" (it asks for {hint:.0f} s)" if hint > wait else ""
                    tell(f"{error}: trying again in {wait:.0f} s{hint_text}, attempt {failed + 1} of {self.attempts}")
            time.sleep(wait)
        return attempt()

    def _wait(self, error: Exception, failed: int) -> float:
        hint: float | None = getattr(error, "retry_after", None)
        if hint is None:
            hint = min(FIRST_WAIT * 2 ** (failed - 1), LONGEST_BACKOFF) * _jitter.uniform(0.75, 1.25)
        return max(0.0, min(hint, self.longest_wait))


class Reach:
    """Whether a server answers. One that never did, and did not twice in a row, is given up for a while."""

    PATIENCE = 2
    SECONDS = 60.0

    def __init__(self) -> None:
        self._has_answered = False
        self._failures = 0
        self._given_up = float("-inf")
        self._why = ""

    def require(self, name: str) -> None:
        """Raise Unreachable while the server is given up."""
        if time.monotonic() - self._given_up < self.SECONDS:
            raise Unreachable(f"[{name}] {self._why}")

    def note(self, error: BaseException | None) -> None:
        """Note how an attempt ended."""
        if not (isinstance(error, DeadlineExceeded) or never_connected(error)):
            self._has_answered, self._failures = True, 0
            return
        self._failures += 1
        self._why = (
            f"no request was answered in time: {error.message}"
            if isinstance(error, DeadlineExceeded)
            else "nothing answers there: start the server, or correct its address"
        )
        if not self._has_answered and self._failures >= self.PATIENCE:
            self._given_up = time.monotonic()


def within_deadline(
    seconds: float | None, function: Callable[[], Result], tell: Callable[[float], None] | None = None
) -> Result:
    """The result of `function`, or `DeadlineExceeded` after `seconds`; None waits as long as it takes.

    A thread can't be stopped: past the deadline it is left behind as a daemon, and what it still returns is dropped.

    Args:
        tell: Is told every `TOLD_EVERY` seconds for how many seconds the result has been waited for.
    """
    outcome: Future[Result] = Future()

    def work() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # handed to the thread that waits
            outcome.set_exception(error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True, name="summq-call").start()
    waited = 0.0
    while True:
        step = seconds if tell is None else min(TOLD_EVERY, TOLD_EVERY if seconds is None else seconds - waited)
        try:
            return outcome.result(timeout=step)
        except TimeoutError:
            if outcome.done():  # the function's own timeout, or a result that came just now
                return outcome.result()
            waited += step or 0.0
            if seconds is not None and waited >= seconds:
                raise DeadlineExceeded(
                    f"no complete reply within {seconds:g} s (raise [options] deadline for a slower server)"
                ) from None
            if tell is not None:
                tell(waited)


__all__ = ["DeadlineExceeded", "Reach", "RetryPolicy", "Teller", "within_deadline"]
