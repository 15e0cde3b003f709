"""Progress follows the roles of a run, from any thread."""

import io
from types import SimpleNamespace

from rich.console import Console

from summq.cli.progress import Progress
from summq.programs.runtime.meter import CallRecord, Meter


def progress(*, terminal: bool, meter: Meter | None = None) -> tuple[Progress, io.StringIO]:
    out = io.StringIO()
    return Progress(meter or Meter(), Console(file=out, force_terminal=terminal, width=120)), out


def test_the_last_agent_of_a_role_makes_a_line_without_a_terminal() -> None:
    shown, out = progress(terminal=False)
    with shown:
        for call in "ab":
            shown.on_module_start(call, SimpleNamespace(role="summary_generator.draft"), {})
        shown.on_module_end("a", None)
        assert out.getvalue() == ""
        shown.on_module_end("b", None)
    assert out.getvalue().strip().endswith("s  summary_generator.draft (2)")


def test_modules_that_are_no_roles_are_not_shown() -> None:
    shown, out = progress(terminal=False)
    with shown:
        shown.on_module_start("a", SimpleNamespace(), {})
        shown.on_module_end("a", None)
    assert out.getvalue() == ""


def test_a_terminal_gets_a_view_of_usage_and_of_who_is_at_work() -> None:
    meter = Meter()
    meter.add(CallRecord(role="examinee", model="m", input_tokens=1200, cost=None))
    shown, out = progress(terminal=True, meter=meter)
    with shown:
        shown.on_module_start("a", SimpleNamespace(role="summary_reviewer.review"), {})
    assert "examinee" in out.getvalue()
    assert "1,200" in out.getvalue()
    assert "unknown" in out.getvalue()
    assert "summary_reviewer.review (1)" in out.getvalue()
