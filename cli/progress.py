"""Progress on stderr: which roles are at work and what was used; a live view on a terminal, lines elsewhere."""

import threading
import time
from collections import Counter
from types import TracebackType
from typing import Any, Self

from dspy.utils.callback import BaseCallback
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from summq.cli.console import usage_table
from summq.programs.runtime.meter import Meter

REFRESHES_PER_SECOND = 4


class Progress(BaseCallback):
    """A DSPy callback that follows the roles of a run; a context manager that shows them while it is open."""

    def __init__(self, meter: Meter, console: Console) -> None:
        self._meter = meter
        self._console = console
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._roles: dict[str, str] = {}
        self._ended: Counter[str] = Counter()
        self._live = Live(
            console=console, get_renderable=self._view, refresh_per_second=REFRESHES_PER_SECOND, transient=True
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Note that a role begins."""
        role = getattr(instance, "role", None)
        if role is not None:
            with self._lock:
                self._roles[call_id] = role

    def on_module_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Note that a role ends; its last agent at work makes a line where there is no live view."""
        with self._lock:
            role = self._roles.pop(call_id, None)
            if role is None:
                return
            self._ended[role] += 1
            last = role not in self._roles.values()
            replies = self._ended.pop(role) if last else 0
        if last and not self._console.is_terminal:
            self._console.print(f"{self._seconds:7.1f} s  {role} ({replies})", markup=False)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._start

    def _view(self) -> RenderableType:
        with self._lock:
            at_work = Counter(self._roles.values())
        names = ", ".join(f"{role} ({count})" for role, count in sorted(at_work.items()))
        return Group(usage_table(self._meter.usage()), Text(f"{self._seconds:.0f} s  at work: {names or 'nobody'}"))


__all__ = ["Progress"]
