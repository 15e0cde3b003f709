"""The ten commands of `docs/new-domain.md` run as printed."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from new_domain import SPACE, adapted, guide_commands

from summq.optimizers.tuning.space import Space

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = guide_commands()


def test_there_are_ten_commands() -> None:
    assert len(COMMANDS) == 10


def test_for_a_small_model_they_are_smaller_and_name_its_backbone() -> None:
    given = (adapted(command, "local:m", 4) for command in COMMANDS)
    asked = [words for words in given if words[0] == "summq"]
    assert len(asked) == 7
    assert all(words[words.index("--backbone") + 1] == "local:m" for words in asked)
    assert sum(words.count("--backbone") for words in asked) == 8  # one is compiled for two
    assert all("--limit" in words for words in asked if "--data" in words)
    (tuned,) = (words for words in asked if words[1] == "tune")
    assert tuned[tuned.index("--trials") + 1] == "3"
    Space.read(tomllib.loads(SPACE))


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
