"""What Ctrl-C and SIGTERM do to a command."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

INTERRUPTED, TERMINATED = 130, 143
PATIENCE = 10.0
"""Seconds in which an interrupted command has to end: where the exception was lost, it is left then."""
_last_words: list[Callable[[], None]] = []


@contextmanager
def last_words(tell: Callable[[], None]) -> Iterator[None]:
    """Let a command that is left at once, with no time for its own ending, say this first."""
    _last_words.append(tell)
    try:
        yield
    finally:
        _last_words.remove(tell)


def interrupt_by_signals() -> threading.Event:
    """Let SIGTERM end the command as Ctrl-C does, and neither be lost; hands back an event that SIGTERM sets."""
    terminated = threading.Event()

    def interrupt(number: int, frame: object) -> NoReturn:
        if number == signal.SIGTERM:
            terminated.set()
        status = TERMINATED if terminated.is_set() else INTERRUPTED
        watchdog = threading.Timer(PATIENCE, leave_at_once, [status])
        watchdog.daemon = True
        watchdog.start()
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as for a command in the background
                signal.signal(number, interrupt)
    return terminated


def leave_at_once(status: int) -> NoReturn:
    """Exit without waiting for the calls in flight: files are written whole or not at all, replies had are kept."""
    what = "terminated" if status == TERMINATED else "interrupted"
    print(f"summq: {what}; the same command again continues", file=sys.stderr)
    for tell in list(_last_words):
        tell()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
