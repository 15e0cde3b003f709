"""What the documentation shows, run as a reader would, on the offline reader."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = {
    "openai/gpt-4o-mini": "offline:seed=2",
    "openai/gpt-4o": "offline",
    "report.pdf": "examples/harbour.md",
    "govreport": "examples/domain",
}


def offline(text: str) -> str:
    """The same with the offline reader and files that are there."""
    for name, stand_in in STAND_INS.items():
        text = text.replace(name, stand_in)
    return text


def run(folder: Path, command: str) -> str:
    """Run a command of `summq` as a shell does; it has to succeed. What it printed, on stderr first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert ran.returncode == 0, f"{command}\n{ran.stderr}"
    return ran.stderr + ran.stdout
