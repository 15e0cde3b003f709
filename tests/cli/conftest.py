"""Running `summq` inside the test process."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from summq.cli.main import main

HARBOUR = Path(__file__).resolve().parents[2] / "examples" / "harbour.md"


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    status: int
    out: str
    err: str


@pytest.fixture
def summq(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`summq("doctor", ...)` runs the command and returns its exit status and what it printed."""

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
    """The one line about the mistake; notes and progress may stand before it."""
    assert "Traceback" not in ran.err
    (line,) = [line for line in ran.err.splitlines() if line.startswith("summq: ")]
    return line
