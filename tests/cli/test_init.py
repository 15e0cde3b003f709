"""`summq init`: the file it writes is valid, names every key, and says what holds without it."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from summq.programs.config import SummQConfig
from summq.programs.settings import Settings
from tests.command import Ran, mistake

Summq = Callable[..., Ran]

LIMITS_AND_EXAMPLES = {
    "max_calls",
    "max_cost",
    "program",
    "rewrite_words",
    "roles",
    "temperatures",
    "prices",
    "options",
}


@pytest.fixture
def written(summq: Summq, tmp_path: Path) -> Path:
    path = tmp_path / "new.toml"
    assert summq("init", path).status == 0
    return path


def uncommented(path: Path) -> dict[str, Any]:
    """The file with every key in force."""
    return tomllib.loads(re.sub(r"^# (?=\[|\w+ = )", "", path.read_text("utf-8"), flags=re.MULTILINE))


def test_as_written_it_changes_nothing(written: Path) -> None:
    assert Settings.resolve(written).model_dump() == Settings.resolve().model_dump()


def test_it_names_every_key(written: Path) -> None:
    keys = uncommented(written).keys()
    assert keys == {*Settings.model_fields, *SummQConfig.model_fields, "preset", "paper_faithful"} - {"config"}


def test_it_says_what_holds_without_a_key(written: Path) -> None:
    values = {key: value for key, value in uncommented(written).items() if key not in LIMITS_AND_EXAMPLES}
    assert Settings.resolve(**values).model_dump() == Settings.resolve().model_dump()


def test_its_examples_are_accepted(written: Path) -> None:
    values = {key: value for key, value in uncommented(written).items() if key != "program"}
    assert Settings.resolve(**values).max_cost == 5.0


@pytest.mark.parametrize(("name", "line"), [("", "no file is named"), (".", ". is a folder: name a file in it")])
def test_a_name_that_is_no_file_is_one_line(summq: Summq, name: str, line: str) -> None:
    ran = summq("init", name)
    assert ran.status == 2
    assert line in mistake(ran)


def test_a_file_that_is_there_is_left_alone(summq: Summq, written: Path) -> None:
    before = written.read_text("utf-8")
    ran = summq("init", written)
    assert ran.status == 2
    assert "is there already" in mistake(ran)
    assert written.read_text("utf-8") == before
