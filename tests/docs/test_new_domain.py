"""The ten commands of `docs/new-domain.md` run as printed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [
    line.removeprefix("$ ")
    for line in (ROOT / "docs" / "new-domain.md").read_text("utf-8").splitlines()
    if line.startswith("$ ")
]


def test_there_are_ten_commands() -> None:
    assert len(COMMANDS) == 10


@pytest.mark.simulation
def test_the_commands_run_as_printed(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in COMMANDS:
        ran = subprocess.run(
            command, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert ran.returncode == 0, f"{command}\n{ran.stderr}"
        assert ran.stdout or "tar" in command
    assert (tmp_path / "runs" / "tuned" / "program" / "manifest.json").exists()
