"""A page shows hostile text as text."""

import json

from summq.programs.pages.page import as_data, visible
from tests.pages import HOSTILE


def test_data_can_stand_in_a_script_element() -> None:
    data = as_data({"text": HOSTILE})
    assert "<" not in data
    assert ">" not in data
    assert "\u2028" not in data
    assert json.loads(data)["text"] == HOSTILE.replace("\x1b", "␛").replace("\x00", "␀").replace("\u202e", "[RLO]")


def test_control_characters_become_signs() -> None:
    assert visible("a\x1b[2Jb\x07\tc\n") == "a␛[2Jb␇\tc\n"
    assert visible("\udce9") == "�"
    assert visible(3) == 3
