"""RoleProgress follows the roles of a run, from any thread."""

import io

import dspy
from rich.console import Console

from summq.cli.progress import RoleProgress, following
from summq.programs.runtime.parallel import together
from summq.programs.runtime.usage import CallRecord, Meter


class Player(dspy.Module):
    """A module that plays a role, or none."""

    def __init__(self, role: str | None = None) -> None:
        super().__init__()
        if role:
            self.role = role

    def forward(self) -> str:
        return "done"


def console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=terminal, width=120), out


def test_agents_that_play_a_role_at_once_make_one_line() -> None:
    shown, out = console(terminal=False)
    with following(Meter(), shown) as progress:
        progress.on_module_start("a", Player("summary_generator.draft"), {})
        together(Player("summary_generator.draft"), Player("summary_generator.draft"))
        assert out.getvalue() == ""
        progress.on_module_end("a", None)
    assert out.getvalue().strip().endswith("s  summary_generator.draft (3)")


def test_a_line_names_the_iteration() -> None:
    shown, out = console(terminal=False)
    with following(Meter(), shown), dspy.context(iteration=2):
        together(Player("examinee"))
    assert out.getvalue().strip().endswith("s  iteration 2: examinee (1)")


def test_modules_that_are_no_roles_are_not_shown() -> None:
    shown, out = console(terminal=False)
    with following(Meter(), shown):
        Player()()
    assert out.getvalue() == ""


def test_a_terminal_gets_a_live_view() -> None:
    shown, out = console(terminal=True)
    with following(Meter(), shown):
        Player("examinee")()
    assert "at work: nobody" in out.getvalue()


def test_the_view_shows_usage_and_who_is_at_work() -> None:
    shown, out = console(terminal=False)
    meter = Meter()
    meter.add(CallRecord(role="examinee", model="m", input_tokens=1200, cost=None))
    progress = RoleProgress(meter, shown)
    progress.on_module_start("a", Player("summary_reviewer.review"), {})
    shown.print(progress)
    assert all(piece in out.getvalue() for piece in ("examinee", "1,200", "unknown", "summary_reviewer.review (1)"))
