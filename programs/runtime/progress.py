"""How far a run is: which roles are at work, what was used, how the exams went, how long it may take.

`session(..., progress=callback)` calls back with a `Progress` whenever a role begins or ends.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

from summq.programs.runtime.limits import Budget
from summq.programs.runtime.usage import Meter, known_sum

logger = logging.getLogger("summq")


@dataclass(frozen=True, order=True)
class Scene:
    """A role at work on a document in an iteration; "" and 0 stand for what is no part of one."""

    document: str
    iteration: int
    iterations: int
    role: str

    def __str__(self) -> str:
        where = f"iteration {self.iteration} of {self.iterations}: " if self.iteration else ""
        return f"{self.document}, {where}{self.role}" if self.document and where else f"{where}{self.role}"


@dataclass(frozen=True)
class Count:
    """How many of the things that a command works through are done; None for a time or cost (USD) not known yet."""

    done: int
    total: int
    what: str
    failed: int = 0
    seconds_left: float | None = None
    cost_left: float | None = None


@dataclass(frozen=True)
class Progress:
    """A run at one moment. `cost` and `max_cost` are in USD; a cost of None is not known.

    `exams` are 0 to 1, None where no answer could be scored. `calls_expected` are those of the whole run from a least
    to a most, None where nobody has foretold them; `kept` are replies that cost no call, since they were there;
    `replied` is when the last role ended, in seconds.
    """

    seconds: float
    at_work: Mapping[Scene, int]
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    max_calls: int | None
    max_cost: float | None
    exams: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    count: Count | None = None
    kept: int = 0
    replied: float = 0.0
    calls_expected: tuple[int, int] | None = None

    @property
    def tokens_a_second(self) -> float | None:
        """Tokens of replies a second until the last of them; None before the first."""
        return self.output_tokens / self.replied if self.calls and self.replied else None

    @property
    def seconds_left(self) -> tuple[float, float] | None:
        """From a least to a most, if further calls take as long as those so far; None where that can't be told."""
        if self.calls_expected is None or not self.calls or not self.replied:
            return None
        waited, each = self.seconds - self.replied, self.replied / self.calls
        least, most = (max(0.0, (calls - self.calls - self.kept) * each - waited) for calls in self.calls_expected)
        return least, most


Listener = Callable[[Progress], None]


class RoleWatch(BaseCallback):
    """Follows the roles of a process, in whatever threads they play, and logs each that has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work: dict[str, Scene] = {}
        self._ended: Counter[Scene] = Counter()

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Note that a role begins."""
        role = getattr(instance, "role", None)
        if role is None:
            return
        document, iteration, iterations = (dspy.settings.get(key) or usual for key, usual in _PLACE.items())
        scene = Scene(document, iteration, iterations, role)
        with self._lock:
            self._at_work[call_id] = scene
        self.begun(call_id, scene)

    def on_module_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Note that a role ends, and how an exam went; when no other agent plays the role any more, log it."""
        exam = getattr(outputs, "exam", None)
        if dspy.settings.get("iteration") and exam is not None:
            self.examined(dspy.settings.get("document_name") or "", exam.accuracy)
        with self._lock:
            scene = self._at_work.pop(call_id, None)
            if scene is None:
                return
            self._ended[scene] += 1
            replies = 0 if scene in self._at_work.values() else self._ended.pop(scene)
        if replies:
            logger.info("%s (%d)", scene, replies)
        self.over(call_id)

    def begun(self, call_id: str, scene: Scene) -> None:
        """A role has begun."""

    def over(self, call_id: str) -> None:
        """A role has ended."""

    def examined(self, document: str, accuracy: float | None) -> None:
        """An exam of an iteration has ended."""


class RunWatch(RoleWatch):
    """Follows the roles of a run, those in other processes too, and tells a listener."""

    def __init__(self, listener: Listener | None = None) -> None:
        super().__init__()
        self._listener = listener
        self._telling = threading.RLock()
        self._start = time.monotonic()
        self._elsewhere: Mapping[Scene, int] = {}
        self._exams: dict[str, list[float | None]] = {}
        self._sessions: list[tuple[Meter, Budget]] = []
        self._count: Count | None = None
        self._advanced = 0
        self._expected: tuple[int, int] | None = None
        self._replied = 0.0

    def follow(self, meter: Meter, budget: Budget) -> None:
        """Count what is used in a session too."""
        self._sessions.append((meter, budget))

    def count(self, count: Count) -> None:
        """Note how many things are done."""
        self._count = count
        self._tell()

    def expect(self, least: int, most: int) -> None:
        """Note how many calls the whole run will take."""
        self._expected = least, most
        self._tell()

    def advance(self) -> None:
        """One more of the things counted is done; those left may take as long as those of this run did.

        Where the calls of the whole run were foretold, they tell better how long that is.
        """
        with self._lock:
            now = self._count
            if now is None:
                return
            self._advanced += 1
            left = (time.monotonic() - self._start) / self._advanced * (now.total - now.done - 1)
            self._count = replace(now, done=now.done + 1, seconds_left=None if self._expected else left)
        self._tell()

    def elsewhere(self, at_work: Mapping[Scene, int]) -> None:
        """Note which roles are at work in other processes."""
        self._elsewhere = at_work
        self._tell()

    def begun(self, call_id: str, scene: Scene) -> None:
        """Tell the listener."""
        self._tell()

    def over(self, call_id: str) -> None:
        """Note when it was, and tell the listener."""
        with self._lock:
            self._replied = time.monotonic() - self._start
        self._tell()

    def examined(self, document: str, accuracy: float | None) -> None:
        """Note how an exam went, and tell the listener."""
        with self._lock:
            self._exams.setdefault(document, []).append(accuracy)
        self._tell()

    def _tell(self) -> None:
        if self._listener is not None:
            with self._telling:  # what is told later is later
                self._listener(self.progress())

    def progress(self) -> Progress:
        """The run at this moment."""
        usages = [meter.usage() for meter, _ in self._sessions]
        budget = self._sessions[-1][1] if self._sessions else Budget()
        with self._lock:
            return Progress(
                seconds=time.monotonic() - self._start,
                at_work=dict(sorted((Counter(self._at_work.values()) + Counter(self._elsewhere)).items())),
                calls=sum(usage.calls for usage in usages),
                input_tokens=sum(usage.input_tokens for usage in usages),
                output_tokens=sum(usage.output_tokens for usage in usages),
                cost=known_sum(usage.cost for usage in usages),
                max_calls=budget.max_calls,
                max_cost=budget.max_cost,
                exams={document: tuple(scores) for document, scores in self._exams.items()},
                count=self._count,
                kept=sum(usage.cache_hits for usage in usages),
                replied=self._replied,
                calls_expected=self._expected,
            )


_PLACE: dict[str, Any] = {"document_name": "", "iteration": 0, "iterations": 0}
"""What programs set for those who watch, and what stands for nothing."""

__all__ = ["Count", "Listener", "Progress", "RunWatch", "Scene"]
