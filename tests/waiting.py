"""Waiting for what another thread or a page does."""

import time
from collections.abc import Callable


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.001)
