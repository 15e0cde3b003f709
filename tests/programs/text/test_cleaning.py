"""Text without control characters and terminal escapes."""

import time

import pytest

from summq.programs.text.cleaning import as_cell, clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\x0cd\u2028e", "a\nb\nc\nd\ne"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07and \x1b]8;;x\x1b\\link", "red and link"),
        ("bell\x07 null\x00 next\x85line c1\x9b del\x7f", "bell null next\nline c1 del"),
        ("co\u00adoperate\ufeff 5\u00a0km\tper\u202fh", "cooperate 5 km\tper h"),
        ("half \ud83d of it, whole 😀", "half \ufffd of it, whole 😀"),
        ("עִבְרִית العربية हिन्दी", "עִבְרִית العربية हिन्दी"),
    ],
)
def test_only_text_is_left(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize("unit", ["\x1b]", "\x1b[", "\x1b[0", "\x1b", "\r"])
def test_time_is_linear(unit: str) -> None:
    started = time.perf_counter()
    clean(unit * 200_000)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("cell", ["=HYPERLINK(1)", "@SUM(1)", "+1", "-1+2", "\t=1"])
def test_a_cell_that_begins_like_a_formula_is_none(cell: str) -> None:
    assert as_cell(cell) == f"'{cell}"
    assert as_cell(f"The {cell}") == f"The {cell}"
