"""JSON files are read back into what they were made of, or refused in one line that says why and what to do."""

from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from summq.programs.errors import DataError
from summq.programs.runtime.files import read_model
from summq.signatures import fingerprint


class Tide(BaseModel):
    schema_version: int = Field(default=2, validation_alias="schema")
    height: float


def read(path: Path, text: str) -> Tide:
    path.write_text(text)
    return read_model(path, Tide, "a tide", "measure again")


def test_a_file_of_this_version_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "tide.json", '{"schema": 2, "height": 1.5}').height == 1.5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"schema": 1, "height": 1.5}', "has schema 1, this version of SummQ reads 2"),
        ('{"schema": 2, "height": "high"}', r"not a tide \(height: has to be a valid number.*\)"),
        ("{}", r"not a tide \(height: Field required\)"),
        ("[1]", r"not a tide \(has to be a valid dictionary.*\)"),
        ("high", r"not a tide \(not JSON\)"),
    ],
)
def test_any_other_file_is_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(DataError, match=rf"tide\.json: {why}; measure again$"):
        read(tmp_path / "tide.json", text)


def test_a_missing_file_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tide\.json: can't be read \(No such file or directory\); measure again$"):
        read_model(tmp_path / "tide.json", Tide, "a tide", "measure again")


def test_a_fingerprint_is_that_of_earlier_versions() -> None:
    assert fingerprint("abc") == "ba7816bf8f01cfea"
    assert fingerprint("abc", 4) == "ba78"
