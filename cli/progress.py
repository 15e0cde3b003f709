"""How a run shows its progress on stderr: a live view on a terminal, a line every few seconds or JSON elsewhere."""

import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from statistics import fmean
from typing import Any

import dspy
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from summq.cli.console import making_room, say, share_right, stdout
from summq.cli.interrupts import last_words
from summq.eval.run.progress import EvalProgress
from summq.programs.errors import ShortDocument
from summq.programs.runtime.parallel import every
from summq.programs.runtime.progress import Count, Progress, RunWatch, Scene
from summq.programs.text.cleaning import harmless, harmless_json
from summq.programs.text.words import numbered

REFRESHES_PER_SECOND = 4
SECONDS_BETWEEN_LINES = 5.0
SCENES_SHOWN = 4
SLOW = 30.0  # tokens of replies a second


class ProgressMode(StrEnum):
    """How progress is told."""

    auto = "auto"
    lines = "lines"
    json = "json"
    off = "off"


@contextmanager
def short_documents_told() -> Iterator[None]:
    """Let nothing inside warn of documents that are too short: the command tells of them all in a line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortDocument)
        yield


class NotedWatch(RunWatch):
    """A watch that says some lines as soon as a role is at work: by then the command line has no mistake left."""

    def __init__(self, notes: Iterable[str]) -> None:
        super().__init__()
        self._notes = list(notes)

    def begun(self, call_id: str, scene: Scene) -> None:
        """Say the lines before the first role."""
        self.say_notes()
        super().begun(call_id, scene)

    def elsewhere(self, at_work: Mapping[Scene, int]) -> None:
        """Say the lines before the first role in another process."""
        self.say_notes()
        super().elsewhere(at_work)

    def say_notes(self) -> None:
        """Say what was not said yet."""
        with self._lock:
            notes, self._notes = self._notes, []
        for note in notes:
            say(note)


@contextmanager
def watching(
    console: Console, mode: ProgressMode = ProgressMode.auto, notes: Iterable[str] = ()
) -> Iterator[NotedWatch]:
    """Follow the sessions inside; when they are interrupted, say what was spent.

    Args:
        notes: Lines to say once the work begins.
    """
    watch = NotedWatch(notes)
    with dspy.context(callbacks=[*dspy.settings.get("callbacks", []), watch], watches=[watch]):

        def tell_spent() -> None:
            console.show_cursor()  # which a live view hides
            say(f"spent until the interrupt: {spent(watch.progress())}")

        try:
            with last_words(tell_spent), _telling(watch, console, mode):
                yield watch
        except KeyboardInterrupt:
            tell_spent()
            raise


@contextmanager
def _telling(watch: RunWatch, console: Console, mode: ProgressMode) -> Iterator[None]:
    if mode is ProgressMode.off:
        yield
    elif mode is ProgressMode.auto and console.is_terminal:
        live = Live(
            _View(watch),
            console=console,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=stdout().is_terminal,  # results for a pipe or a file must not pass through stderr
        )
        with making_room(console), live:
            yield
    else:
        line, shown = (as_json, harmless_json) if mode is ProgressMode.json else (in_a_line, harmless)

        def tell() -> None:
            print(shown(line(watch.progress())), file=sys.stderr, flush=True)

        with every(SECONDS_BETWEEN_LINES, tell):
            yield
        if mode is ProgressMode.json or watch.progress().count:  # how it ended, however short it was
            tell()


class _View:
    """What the live view shows now: a line for each thing, cut at the width of the terminal."""

    def __init__(self, watch: RunWatch) -> None:
        self._watch = watch

    def __rich__(self) -> RenderableType:
        progress = self._watch.progress()
        scenes = [f"  {scene} ×{agents}" for scene, agents in progress.at_work.items()]
        more = len(scenes) - SCENES_SHOWN
        lines = [
            *([counted(progress.count)] if progress.count else []),
            f"{progress.seconds:.0f} s; {spent(progress)}",
            *pace(progress),
            *exams(progress),
            *scenes[:SCENES_SHOWN],
            *([f"  and {more} more at work"] if more > 0 else []),
        ]
        return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in lines))


def in_a_line(progress: Progress) -> str:
    """`   12 s  3 of 9 summaries; 37 calls, ...; exam so far: 17%; harbour, iteration 2 of 3: examinee ×1`."""
    at_work = ", ".join(f"{scene} ×{agents}" for scene, agents in progress.at_work.items())
    parts = [
        counted(progress.count) if progress.count else "",
        spent(progress),
        *pace(progress),
        *exams(progress),
        at_work,
    ]
    return f"{progress.seconds:6.0f} s  {'; '.join(part for part in parts if part)}"


def as_json(progress: Progress) -> str:
    """The same as one line of JSON, for programs."""
    at_work = [{**asdict(scene), "agents": agents} for scene, agents in progress.at_work.items()]
    fields: dict[str, Any] = {**vars(progress), "at_work": at_work, "seconds": round(progress.seconds, 1)}
    return json.dumps({**fields, "count": asdict(progress.count) if progress.count else None}, ensure_ascii=False)


def counted(count: Count) -> str:
    """`12 of 90 summaries, 1 failed; about 140 s and USD 0.52 left`."""
    parts = [f"{count.done} of {count.total} {count.what}" + (f", {count.failed} failed" if count.failed else "")]
    if count.seconds_left is not None and count.done < count.total:
        cost = "" if count.cost_left is None else f" and USD {count.cost_left:.2f}"
        parts.append(f"about {count.seconds_left:.0f} s{cost} left")
    return "; ".join(parts)


def spent(progress: Progress) -> str:
    """`37 of 500 calls, 210,300 tokens in, 20,100 out, USD 0.1200 of 5.00`."""
    calls = (
        f"{progress.calls:,} of {progress.max_calls:,} calls"
        if progress.max_calls
        else numbered(progress.calls, "call")
    )
    cost = "cost unknown" if progress.cost is None else f"USD {progress.cost:.4f}"
    limit = f" of {progress.max_cost:.2f}" if progress.max_cost else ""
    return f"{calls}, {progress.input_tokens:,} tokens in, {progress.output_tokens:,} out, {cost}{limit}"


def pace(progress: Progress) -> list[str]:
    """`2.1 tokens a second, 6 to 25 minutes left`: how fast a slow model is, and what is left."""
    rate, left = progress.tokens_a_second, progress.seconds_left
    if rate is None or progress.seconds < SECONDS_BETWEEN_LINES:
        return []
    told = [f"{rate:.1f} tokens a second"] if rate < SLOW else []
    told += [f"{_time(*left)} left"] if left and left[1] >= 1 else []
    return [", ".join(told)] if told else []


def _time(least: float, most: float) -> str:
    """`6 to 25 minutes`, `10 to 40 s`."""
    unit, seconds = ("minutes", 60) if most >= 2 * 60 else ("s", 1)
    first, last = (f"{value / seconds:.0f}" for value in (least, most))
    return f"{last if first == last else f'{first} to {last}'} {unit}"


def exams(progress: Progress) -> list[str]:
    """`exam so far: 17%, 50%` for one document; how many have had one for several."""
    if len(progress.exams) > 1:
        last = [scores[-1] for scores in progress.exams.values()]
        scored = [score for score in last if score is not None]
        average = f"{fmean(scored):.0%} on average" if scored else "unscored"
        return [f"exams so far: {numbered(len(last), 'document')}, {average}"]
    return [f"exam so far: {', '.join(map(share_right, scores))}" for scores in progress.exams.values()]


def count_of(progress: EvalProgress) -> Count:
    """How far an evaluation is, as a count of summaries."""
    return Count(
        progress.done,
        progress.total,
        "summaries",
        progress.failed,
        progress.seconds_left,
        progress.cost_left,
    )


__all__ = ["ProgressMode", "count_of", "in_a_line", "short_documents_told", "watching"]
