"""What a user sees of `summq` itself: help, usage errors, expected errors, interrupts."""

import inspect
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from summq.cli.main import COMMANDS, LazyCommand, LazyGroup
from summq.programs.errors import AgentsLost, BudgetSpent, ConfigError
from tests.command import Ran
from tests.documents import HARBOUR
from tests.fakes import FakeProvider

Summq = Callable[..., Ran]


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def doctor() -> None:
        """Fail."""
        raise error

    monkeypatch.setattr("summq.cli.commands.doctor.doctor", doctor)


def test_help_lists_every_command_and_imports_none(summq: Summq) -> None:
    code = (
        "import sys; from summq.cli.main import command_line\n"
        "try: command_line()(['--help'])\n"
        "except SystemExit: print('HEAVY', sorted({'dspy', 'openai', 'optuna', 'datasets'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("HEAVY []\n")
    assert all(str(command.name) in ran.stdout for command in COMMANDS)


SINGLE = [one for entry in COMMANDS for one in (entry.commands.values() if isinstance(entry, LazyGroup) else [entry])]


@pytest.mark.parametrize("command", SINGLE, ids=lambda command: command.name)
def test_every_command_is_there_and_says_what_it_does(command: LazyCommand) -> None:
    assert inspect.getdoc(command.function())
    assert 10 < len(str(command.help)) < 80


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_help_cuts_no_name_and_no_sentence(summq: Summq, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    every, one = summq("--help").out, summq("eval", "--help").out

    assert all(str(command.help).split()[-1] in " ".join(every.split()) for command in COMMANDS)
    assert all(name in one for name in ("--without-references", "--document-column NAME", "faithfulness, surface"))
    assert "…" not in every + one
    assert not any(line.endswith("...") for line in every.splitlines()[1:])
    assert max(map(len, (every + one).splitlines())) <= int(columns)


def test_version(summq: Summq) -> None:
    assert summq("--version") == Ran(0, f"summq {version('summq')}\n", "")


@pytest.mark.parametrize("arguments", [["no-such-command"], ["summarize"], ["summarize", "x.md", "--no-such-option"]])
def test_bad_usage_exits_2(summq: Summq, arguments: list[str]) -> None:
    ran = summq(*arguments)
    assert ran.status == 2
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("error", "status"),
    [(ConfigError("words: -3 is too few"), 2), (AgentsLost("no draft"), 1), (BudgetSpent("stopped after 9 calls"), 3)],
)
def test_an_expected_error_is_one_line(
    summq: Summq, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    fail_with(monkeypatch, error)
    assert summq("doctor") == Ran(status, "", f"summq: {error}\n")


def test_an_interrupt_exits_130_at_once(summq: Summq, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, KeyboardInterrupt())
    monkeypatch.setattr("os._exit", sys.exit)
    assert summq("doctor") == Ran(130, "", "summq: interrupted; the same command again continues\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "status", "what"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_signals_do_not_wait_for_calls_in_flight(tmp_path: Path, sent: signal.Signals, status: int, what: str) -> None:
    with FakeProvider(delay=300.0) as server:
        backbone = f"hosted_vllm/m@{server.url}"
        command = [sys.executable, "-m", "summq.cli.main", "summarize", str(HARBOUR), "--backbone", backbone]
        running = subprocess.Popen(
            command,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell in the background ignores it
        )
        while not server.in_flight:
            time.sleep(0.05)
        running.send_signal(sent)
        _, err = running.communicate(timeout=60)
    assert running.returncode == status
    assert err == (
        "spent until the interrupt: 0 calls, 0 tokens in, 0 out, USD 0.0000\n"
        f"summq: {what}; the same command again continues\n"
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal here")
def test_a_terminal_is_told_at_once_that_packages_are_loaded(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "summq.cli.main", "summarize", "missing.md"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs) as running:
        first = os.read(ours, 100).decode()
        running.wait(timeout=120)
    shown = first + os.read(ours, 1000).decode()
    line = "loading ..."
    assert first.startswith(f"{line}\r")
    assert shown == f"{line}\r{' ' * len(line)}\rsummq: missing.md does not exist\r\n"


FULL = Path("/dev/full")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["--version"], ["doctor"]])
def test_an_output_that_cannot_be_written_is_one_line(arguments: list[str], unbuffered: str) -> None:
    command = [sys.executable, "-m", "summq.cli.main", *arguments]
    with FULL.open("w") as full:
        ran = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": unbuffered}
        )
    assert ran.returncode == 1
    assert ran.stderr == "summq: the output can't be written: No space left on device\n"


@pytest.mark.slow
def test_a_reader_that_has_gone_is_not_spoken_of() -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "summq.cli.main", "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout
    running.stdout.close()
    assert running.stderr
    assert running.stderr.read() == ""
    assert running.wait(timeout=60) == 141


@pytest.mark.slow
def test_characters_that_the_encoding_lacks_are_escaped(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "summq.cli.main", "summarize", str(HARBOUR), "--out", str(tmp_path), "--json"]
    quick = ["--questions", "2/2/2", "--words", "150", "--iterations", "1"]
    ran = subprocess.run(
        [*command, *quick], capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert ran.returncode == 0
    assert "\\u201c" in ran.stdout


def test_a_bug_keeps_its_traceback(summq: Summq, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        summq("doctor")


@pytest.mark.parametrize(("typed", "offered"), [("summq su", "summarize"), ("summq summarize --pre", "--preset")])
def test_a_shell_completes_commands_and_options(
    summq: Summq, monkeypatch: pytest.MonkeyPatch, typed: str, offered: str
) -> None:
    monkeypatch.setenv("_SUMMQ_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)
    assert offered in summq().out
