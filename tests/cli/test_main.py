"""What a user sees of `summq` itself: help, usage errors, expected errors, interrupts."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest

from summq.cli.main import COMMANDS
from summq.programs.errors import BudgetSpent, ConfigError, MembersLost
from tests.cli.conftest import Ran

Summq = Callable[..., Ran]


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def doctor() -> None:
        """Fail."""
        raise error

    monkeypatch.setattr("summq.cli.doctor.doctor", doctor)


def test_help_lists_every_command_and_imports_none(summq: Summq) -> None:
    code = (
        "import sys; from summq.cli.main import command_line\n"
        "try: command_line()(['--help'])\n"
        "except SystemExit: print('HEAVY', sorted({'dspy', 'openai', 'optuna', 'datasets'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("HEAVY []\n")
    assert all(str(command.name) in ran.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_line_is_the_first_line_of_the_command(command: object) -> None:
    help_line, function = command.help, command.function()  # type: ignore[attr-defined]
    assert inspect.getdoc(function).splitlines()[0] == help_line  # type: ignore[union-attr]


def test_version(summq: Summq) -> None:
    assert summq("--version") == Ran(0, f"summq {version('summq')}\n", "")


@pytest.mark.parametrize("arguments", [["no-such-command"], ["summarize"], ["summarize", "x.md", "--no-such-option"]])
def test_bad_usage_exits_2(summq: Summq, arguments: list[str]) -> None:
    ran = summq(*arguments)
    assert ran.status == 2
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("error", "status"),
    [(ConfigError("words: -3 is too few"), 2), (MembersLost("no draft"), 1), (BudgetSpent("stopped after 9 calls"), 3)],
)
def test_an_expected_error_is_one_line(
    summq: Summq, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    fail_with(monkeypatch, error)
    assert summq("doctor") == Ran(status, "", f"summq: {error}\n")


def test_an_interrupt_exits_130(summq: Summq, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, KeyboardInterrupt())
    assert summq("doctor").status == 130


def test_a_bug_keeps_its_traceback(summq: Summq, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        summq("doctor")
