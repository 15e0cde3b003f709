"""Running `summq` inside the test process."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

PROGRESS = re.compile(r" +\d+ s  ")


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    status: int
    out: str
    err: str


def runner(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """A function that runs `summq` with its arguments and returns the exit status and what it printed."""
    from summq.cli.main import main

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["summq", *map(str, arguments)])
        capfd.readouterr()
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return Ran(status, *capfd.readouterr())

    return run


def mistake(ran: Ran) -> str:
    """The one line about the mistake; it stands alone (but for progress) where it kept everything from being done."""
    assert "Traceback" not in ran.err
    lines = [line for line in ran.err.splitlines() if not PROGRESS.match(line)]
    alone = ran.status == 2 and not ran.out
    (line,) = lines if alone else [line for line in lines if line.startswith("summq: ")]
    return line
