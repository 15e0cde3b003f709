"""Progress on stderr: which roles are at work and what was used; a live view on a terminal, lines elsewhere."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from summq.cli.console import usage_table
from summq.eval.run.progress import EvalProgress, Listener
from summq.programs.runs.log import logger
from summq.programs.runtime.usage import Meter

REFRESHES_PER_SECOND = 4


@dataclass(frozen=True, order=True)
class Scene:
    """A role at work in an iteration; 0 stands for what is no part of one."""

    iteration: int
    role: str

    def __str__(self) -> str:
        return f"iteration {self.iteration}: {self.role}" if self.iteration else self.role


class RoleProgress(BaseCallback):
    """Follows the roles of a run, in whatever threads they play. Rich renders it as usage and who is at work."""

    def __init__(self, meter: Meter, console: Console) -> None:
        self._meter = meter
        self._console = console
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._at_work: dict[str, Scene] = {}
        self._ended: Counter[Scene] = Counter()

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Note that a role begins."""
        role = getattr(instance, "role", None)
        if role is not None:
            with self._lock:
                self._at_work[call_id] = Scene(dspy.settings.get("iteration") or 0, role)

    def on_module_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Note that a role ends; when no other agent plays it any more, log it, and print it where nothing is live."""
        with self._lock:
            scene = self._at_work.pop(call_id, None)
            if scene is None:
                return
            self._ended[scene] += 1
            if scene in self._at_work.values():
                return
            replies = self._ended.pop(scene)
        logger.info("%s (%d)", scene, replies)
        if not self._console.is_terminal:
            self._console.print(f"{self._seconds:7.1f} s  {scene} ({replies})", markup=False)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._start

    def __rich__(self) -> RenderableType:
        with self._lock:
            at_work = sorted(Counter(self._at_work.values()).items())
        names = ", ".join(f"{scene} ({count})" for scene, count in at_work)
        return Group(usage_table(self._meter.usage()), Text(f"{self._seconds:.0f} s  at work: {names or 'nobody'}"))


@contextmanager
def following(meter: Meter, console: Console) -> Iterator[RoleProgress]:
    """Show the progress of the roles that play inside."""
    progress = RoleProgress(meter, console)
    with dspy.context(callbacks=[progress]):
        if not console.is_terminal:
            yield progress
            return
        with Live(progress, console=console, refresh_per_second=REFRESHES_PER_SECOND, transient=True):
            yield progress


SECONDS_BETWEEN_LINES = 5.0
COUNTS_PER_SECOND = 2


@contextmanager
def counting(console: Console) -> Iterator[Listener]:
    """A listener that keeps one line up to date on a terminal, and prints a line now and then elsewhere."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    with Live(console=console, refresh_per_second=COUNTS_PER_SECOND, transient=True) as live:
        yield lambda progress: live.update(Text(in_words(progress)))


class _Lines:
    """Prints the first and the last line, and others when some seconds have passed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._latest = float("-inf")

    def __call__(self, progress: EvalProgress) -> None:
        now = time.monotonic()
        if now - self._latest >= SECONDS_BETWEEN_LINES or progress.done == progress.total:
            self._latest = now
            self._console.print(in_words(progress), markup=False, soft_wrap=True)


def in_words(progress: EvalProgress) -> str:
    """`12 of 90 summaries, 1 failed; about 140 s and USD 0.52 left; latest: direct on report-3`."""
    parts = [f"{progress.done} of {progress.total} summaries" + (f", {progress.failed} failed" * bool(progress.failed))]
    if progress.seconds_left is not None and progress.done < progress.total:
        cost = "" if progress.cost_left is None else f" and USD {progress.cost_left:.2f}"
        parts.append(f"about {progress.seconds_left:.0f} s{cost} left")
    if progress.latest:
        parts.append(f"latest: {progress.latest.system} on {progress.latest.id}")
    return "; ".join(parts)


__all__ = ["counting", "following", "in_words"]
