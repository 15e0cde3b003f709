"""A line on a terminal that says what is waited for, and goes when the wait is over."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def waiting_for(what: str) -> Iterator[None]:
    """Show `what ...` on stderr meanwhile, if that is a terminal. Inside nothing else is printed."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    line = f"{what} ..."
    print(line, end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(" " * len(line), end="\r", file=sys.stderr, flush=True)


__all__ = ["waiting_for"]
