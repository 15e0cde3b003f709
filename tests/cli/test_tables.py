"""Tables on terminals of any width."""

import io

import pytest
from rich.console import Console

from summq.cli.tables import FittingTable, Page
from summq.optimizers.compiling.artifacts import COLUMNS

HEADINGS = ["role", "calls", "cached", "tokens", "USD"]
ROWS = [["summary_generator.draft", "3", "1,200", "12,800", "0.0100"], ["all", "3", "1,200", "12,800", "0.0100"]]


def printed(renderable: object, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(renderable)
    return out.getvalue()


@pytest.mark.parametrize("width", [36, 48, 60, 80, 200])
def test_neither_names_nor_numbers_are_cut(width: int) -> None:
    text = printed(FittingTable(HEADINGS, ROWS, ["cached"], total=True), width)
    assert "summary_generator.draft" in text
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    shown = [heading for heading in HEADINGS if f"{heading} " in text.split("(no room")[0]]
    assert all(row[HEADINGS.index(heading)] in text for row in ROWS for heading in shown)


def test_the_least_important_column_goes_first_and_is_named() -> None:
    text = printed(FittingTable(HEADINGS, ROWS, ["cached"]), 52)
    assert "(no room for cached)" in text
    assert "12,800" in text


def test_nothing_is_left_out_where_there_is_room() -> None:
    assert "no room" not in printed(FittingTable(HEADINGS, ROWS, ["cached"]), 80)


def test_headings_are_folded_before_a_column_is_given_up() -> None:
    headings = ["system", "exam, corrected for chance", "rows"]
    text = printed(FittingTable(headings, [["summq-combo", "17.5", "4"]]), 36)
    assert "no room" not in text
    lines = [line.split() for line in text.splitlines() if line.strip()]
    assert lines[:4] == [["exam,"], ["corrected"], ["for"], ["system", "chance", "rows"]]


def test_a_narrow_terminal_keeps_the_verdict_on_a_compiled_role() -> None:
    cells = ("summary_reviewer.verdict", "not better", "0.0087 [-0.0198, 0.0394]", *["0.2153"] * (len(COLUMNS) - 3))
    text = printed(FittingTable(COLUMNS, [cells]), 60)
    assert "summary_reviewer.verdict" in text
    assert "not better" in text


def test_tables_of_a_page_fit_too() -> None:
    page = "# Results\n\n| system | rouge1 [95 %] | USD |\n|---|---|---|\n| direct | 41.2 [38.0, 44.4] | 0.0100 |\n"
    text = printed(Page(page), 36)
    assert "41.2 [38.0, 44.4]" in text
    assert "(no room for USD)" in text
