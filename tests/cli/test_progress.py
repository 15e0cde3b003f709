"""The progress of commands: a live view on a terminal, lines or JSON elsewhere, what was spent at an interrupt."""

import io
import json
import re
import sys
import time
import warnings
from dataclasses import replace
from threading import Thread

import dspy
import pytest
from rich.console import Console

from summq.cli import progress as shown_by
from summq.cli.console import say
from summq.cli.interrupts import INTERRUPTED, leave_at_once
from summq.cli.progress import ProgressMode, count_of, in_a_line, short_documents_told, watching
from summq.eval.run.progress import EvalProgress
from summq.programs.errors import ConfigError, ShortDocument
from summq.programs.runtime.limits import Budget
from summq.programs.runtime.parallel import together
from summq.programs.runtime.progress import Count, Progress, RunWatch
from summq.programs.runtime.usage import CallRecord, Meter

PLACE = {"document_name": "harbour", "iteration": 2, "iterations": 3}


class Player(dspy.Module):
    """A module that plays a role."""

    def __init__(self, role: str, seconds: float = 0.0) -> None:
        super().__init__()
        self.role, self.seconds = role, seconds

    def forward(self) -> str:
        time.sleep(self.seconds)
        return "done"


def console(width: int = 60) -> tuple[Console, io.StringIO]:
    """A terminal of that width, and what is written on it."""
    out = io.StringIO()
    return Console(file=out, force_terminal=True, width=width), out


def busy() -> Progress:
    """A run with all that can be told of it."""
    watch, meter = RunWatch(), Meter()
    watch.follow(meter, Budget(max_calls=500, max_cost=5.0))
    meter.add(CallRecord(role="examinee", model="m", input_tokens=1200, output_tokens=30, cost=0.25))
    watch.count(Count(3, 9, "summaries", failed=1, seconds_left=140.0, cost_left=0.5))
    with dspy.context(**PLACE):
        watch.on_module_start("a", Player("summary_reviewer.review"), {})
        watch.on_module_start("b", Player("summary_reviewer.review"), {})
    return watch.progress()


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line every hundredth of a second."""
    monkeypatch.setattr(shown_by, "SECONDS_BETWEEN_LINES", 0.01)


def test_a_line_tells_all_that_is_known() -> None:
    assert in_a_line(busy()).strip() == (
        "0 s  3 of 9 summaries, 1 failed; about 140 s and USD 0.50 left; "
        "1 of 500 calls, 1,200 tokens in, 30 out, USD 0.2500 of 5.00; "
        "harbour, iteration 2 of 3: summary_reviewer.review ×2"
    )


def test_an_exam_without_a_scored_answer_is_told_too() -> None:
    assert "exam so far: 50%, unscored;" in in_a_line(replace(busy(), exams={"harbour": (0.5, None)}))
    several = replace(busy(), exams={"harbour": (0.5,), "report": (None,)})
    assert "exams so far: 2 documents, 50% on average" in in_a_line(several)


def test_a_slow_model_shows_its_pace_and_the_time_left_and_a_fast_one_neither() -> None:
    slow = replace(busy(), seconds=60.0, replied=60.0, calls=4, output_tokens=120, kept=1, calls_expected=(9, 29))
    assert "; 2.0 tokens a second, 1 to 6 minutes left; " in in_a_line(slow)
    assert "; 2.0 tokens a second, 0 to 6 minutes left; " in in_a_line(replace(slow, seconds=90.0))  # it still writes
    assert "tokens a second" not in in_a_line(replace(slow, output_tokens=6000))
    assert "2.0 tokens a second;" in in_a_line(replace(slow, calls_expected=None))


@pytest.mark.usefixtures("ticks")
def test_there_is_no_silence_where_nothing_is_live(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Console(file=io.StringIO())), dspy.context(**PLACE):
        together(Player("examinee", 0.2), Player("examinee", 0.2))
    assert "harbour, iteration 2 of 3: examinee ×2" in capsys.readouterr().err


@pytest.mark.usefixtures("ticks")
def test_programs_get_a_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Console(file=io.StringIO()), ProgressMode.json) as watch, dspy.context(**PLACE):
        watch.count(Count(1, 2, "trials"))
        Player("examinee", 0.2)()
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    at_work, last = [line["at_work"] for line in told if line["at_work"]], told[-1]
    assert at_work[0] == [{"document": "harbour", "iteration": 2, "iterations": 3, "role": "examinee", "agents": 1}]
    assert last["at_work"] == []
    assert (last["calls"], last["count"]["total"]) == (0, 2)


@pytest.mark.usefixtures("ticks")
def test_off_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Console(file=io.StringIO()), ProgressMode.off):
        Player("examinee", 0.1)()
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_terminal_gets_a_live_view_that_fits(width: int) -> None:
    terminal, out = console(width)
    with watching(terminal), dspy.context(**PLACE):
        Player("summary_generator.draft", 0.6)()
    lines = [re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", line) for line in re.split("[\r\n]", out.getvalue())]
    assert any("harbour, iteration 2 of 3: summary_generator.draft ×1" in line for line in lines)
    assert all(len(line) <= width for line in lines)


@pytest.mark.slow
def test_what_is_said_meanwhile_stands_above_the_live_view_on_lines_of_its_own() -> None:
    terminal, out = console(80)
    with watching(terminal), dspy.context(**PLACE):
        Player("summary_generator.draft", 0.3)()
        Thread(target=say, args=["compiling roles"]).start()
        Player("summary_generator.draft", 0.3)()
    assert "\x1b[2Kcompiling roles\n" in out.getvalue()  # on a line that was cleared first


def test_a_command_that_is_left_at_once_says_what_was_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os._exit", sys.exit)
    terminal, out = console()
    with pytest.raises(SystemExit), watching(terminal):
        leave_at_once(INTERRUPTED)
    assert "summq: interrupted" in out.getvalue()
    assert "spent until the interrupt: " in out.getvalue()


def interrupted() -> None:
    """A command that is interrupted after its first call."""
    with watching(Console(file=io.StringIO())) as watch:
        meter = Meter()
        watch.follow(meter, Budget())
        meter.add(CallRecord(role="examinee", model="m", input_tokens=1200, cost=0.25))
        raise KeyboardInterrupt


def test_an_interrupt_says_what_was_spent(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "spent until the interrupt: 1 call, 1,200 tokens in, 0 out, USD 0.2500" in capsys.readouterr().err


def test_what_is_counted_takes_as_long_as_before() -> None:
    watch = RunWatch()
    watch.count(Count(10, 12, "trials"))
    time.sleep(0.1)
    watch.advance()
    count = watch.progress().count
    assert count is not None
    assert count.done == 11
    assert count.seconds_left == pytest.approx(0.1, abs=0.09)


def test_an_evaluation_is_counted_in_summaries() -> None:
    assert count_of(EvalProgress(1, 2, 0, 5.0, None)) == Count(1, 2, "summaries", 0, 5.0, None)


@pytest.mark.parametrize(("expected", "told"), [((4, 10), "; 30 to 90 s left;"), ((4, 100), "; 0 to 16 minutes left;")])
def test_a_fast_run_tells_what_is_left_too(expected: tuple[int, int], told: str) -> None:
    fast = replace(busy(), count=None, seconds=10.0, replied=10.0, output_tokens=1_000, calls_expected=expected)

    assert told in in_a_line(fast)
    assert "tokens a second" not in in_a_line(fast)
    assert "left;" not in in_a_line(replace(fast, seconds=1.0))


@pytest.mark.usefixtures("ticks")
@pytest.mark.parametrize("mode", [ProgressMode.lines, ProgressMode.json])
def test_the_name_of_a_document_rewrites_no_terminal(mode: ProgressMode, capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b[2Jharbour\u202e\x9b"
    with watching(Console(file=io.StringIO()), mode) as watch, dspy.context(**{**PLACE, "document_name": name}):
        watch.count(Count(1, 2, "trials"))
        Player("examinee", 0.2)()
    shown = capsys.readouterr().err
    assert "harbour" in shown
    assert not re.search("[\x1b\x9b\u202e]", shown)


def test_notes_are_said_once_when_the_first_role_is_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Console(file=io.StringIO()), ProgressMode.off, ["offline is a reader"]):
        assert capsys.readouterr().err == ""
        Player("examinee")()
        assert capsys.readouterr().err == "offline is a reader\n"
        Player("examinee")()
    assert capsys.readouterr().err == ""


def test_notes_are_not_said_beside_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError), watching(Console(file=io.StringIO()), ProgressMode.off, ["offline is a reader"]):
        raise ConfigError("no such role")
    assert capsys.readouterr().err == ""


def test_warnings_of_short_documents_are_silenced_no_longer_than_they_are_told() -> None:
    with short_documents_told(), warnings.catch_warnings(record=True) as caught:
        warnings.warn("short", ShortDocument, stacklevel=1)
    assert not caught
    with pytest.warns(ShortDocument):
        warnings.warn("short", ShortDocument, stacklevel=1)
