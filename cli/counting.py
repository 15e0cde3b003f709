"""Progress of an evaluation on stderr: documents done and failed, time and money left."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from summq.eval.watch import Listener, Progress

SECONDS_BETWEEN_LINES = 5.0
REFRESHES_PER_SECOND = 2


@contextmanager
def counting(console: Console) -> Iterator[Listener]:
    """A listener that keeps one line up to date on a terminal, and prints a line now and then elsewhere."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    with Live(console=console, refresh_per_second=REFRESHES_PER_SECOND, transient=True) as live:
        yield lambda progress: live.update(Text(in_words(progress)))


class _Lines:
    """Prints the first and the last line, and others when some seconds have passed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._latest = float("-inf")

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._latest >= SECONDS_BETWEEN_LINES or progress.done == progress.total:
            self._latest = now
            self._console.print(in_words(progress), markup=False, soft_wrap=True)


def in_words(progress: Progress) -> str:
    """`12 of 90 summaries, 1 failed; about 140 s and USD 0.52 left; latest: direct on report-3`."""
    parts = [f"{progress.done} of {progress.total} summaries" + (f", {progress.failed} failed" * bool(progress.failed))]
    if progress.seconds_left is not None and progress.done < progress.total:
        cost = "" if progress.cost_left is None else f" and USD {progress.cost_left:.2f}"
        parts.append(f"about {progress.seconds_left:.0f} s{cost} left")
    if progress.latest:
        parts.append(f"latest: {progress.latest.system} on {progress.latest.id}")
    return "; ".join(parts)


__all__ = ["counting", "in_words"]
