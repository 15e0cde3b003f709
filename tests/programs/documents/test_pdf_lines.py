"""What stands on the lines of PDF pages besides their text: numbers of lines, marks of notes, letters without names."""

from pathlib import Path

import pytest

from summq.programs.documents import load_document
from summq.programs.documents.pdf_lines import Line, without_line_numbers
from summq.programs.documents.pdf_paragraphs import paragraphs_of
from tests.documents import pdf

WORDS = ["The", "harbour", "council", "bought", "the", "bridge", "from", "the", "railway"]


def text_of(folder: Path, *drawn: str) -> str:
    """The text of a page with these strings and operators between them."""
    path = folder / "page.pdf"
    path.write_bytes(pdf("".join(drawn)))
    return load_document(path).text


def numbered(numbers: list[int], start: int = 0) -> list[Line]:
    """Lines of text with a number in front of each."""
    lines = []
    for row, number in enumerate(numbers):
        down = 100.0 + 14 * row
        lines.append(Line(str(number), 40, 50, down, 11, goes_on=True))
        lines.append(Line(f"{WORDS[row]} stands here.", 60 + start, 300, down, 11))
    return lines


@pytest.mark.parametrize("numbers", [list(range(1, 10)), list(range(57, 66)), [5, 10, 15, 20, 25, 30, 35, 40, 45]])
def test_numbers_that_count_the_lines_go(numbers: list[int]) -> None:
    assert [line.text for line in without_line_numbers(numbered(numbers))] == [f"{word} stands here." for word in WORDS]


@pytest.mark.parametrize("numbers", [[1994, 1996, 2001, 2003, 2004, 2009, 2010, 2012, 2013], [1, 2, 3]])
def test_other_numbers_stay(numbers: list[int]) -> None:
    lines = numbered(numbers)
    assert without_line_numbers(lines) == lines


def test_numbers_amid_the_text_stay() -> None:
    lines = [*numbered(list(range(1, 10))), *(Line("Text beside.", 20, 300, 300.0 + 14 * row, 11) for row in range(9))]
    assert without_line_numbers(lines) == lines


@pytest.mark.extra_docs
class TestPages:
    def test_numbers_of_lines_are_parted_from_the_lines(self, tmp_path: Path) -> None:
        rows = [f"{n}) Tj 30 0 Td ({word} stood by the sea) Tj -30 -14 Td (" for n, word in enumerate(WORDS, start=3)]
        text = text_of(tmp_path, *rows)
        assert " ".join(text.split()) == " ".join(f"{word} stood by the sea" for word in WORDS)

    def test_a_number_before_a_wide_space_stays_with_its_line(self, tmp_path: Path) -> None:
        assert text_of(tmp_path, "3) Tj 20 0 Td (Findings of the council") == "3 Findings of the council"

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("before", "raised", "after", "text"),
        [
            ("The bridge fell.", "12", " Nobody died.", "The bridge fell. Nobody died."),
            ("", "2", "It has no home.", "It has no home."),
            ("An area of 5 m", "2", " was lost.", "An area of 5 m2 was lost."),
            ("It is 10", "6", " times as much.", "It is 106 times as much."),
            ("On the 20", "th", " of May.", "On the 20th of May."),
        ],
    )
    def test_marks_of_notes_go_and_powers_stay(
        self, before: str, raised: str, after: str, text: str, tmp_path: Path
    ) -> None:
        drawn = f"{before}) Tj 4 Ts /F1 7 Tf ({raised}) Tj 0 Ts /F1 12 Tf ({after}"
        assert text_of(tmp_path, drawn) == text


def ruled(*rows: tuple[str, ...], below: str = "") -> str:
    """A table with rules around its cells, and a line of text below, as `pdf` takes what is drawn."""
    places, down = (20, 120, 200), 250
    drawn = [f"15 {down + 12 - 16 * line} m 290 {down + 12 - 16 * line} l S" for line in range(len(rows) + 1)]
    drawn += [f"{x} {down + 12} m {x} {down + 12 - 16 * len(rows)} l S" for x in (15, 110, 190, 290)]
    texts = [(x, down - 16 * line, cell) for line, row in enumerate(rows) for x, cell in zip(places, row, strict=False)]
    texts.append((20, down - 16 * len(rows) - 10, below))
    drawn += [f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in texts]
    return ") Tj ET\n" + "\n".join(drawn) + "\nBT ("


@pytest.mark.extra_docs
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_long_cell_stays_apart_from_the_next_in_any_row_of_a_table(place: int, tmp_path: Path) -> None:
    rows = [("Berth 1", "120 m", "6 m"), ("Berth 2", "140 m", "7 m")]
    rows.insert(place, ("Total of berths", "260 m", "13 m"))
    text = text_of(tmp_path, ruled(*rows, below="The council has  bought it."))
    table, _, after = text.partition("\n\n")
    assert table.splitlines() == [" | ".join(row) for row in rows]
    assert after == "The council has bought it."


def test_a_sentence_goes_on_behind_notes_and_captions() -> None:
    def line(text: str, down: float, size: float = 11, right: float = 300) -> Line:
        return Line(text, 60, right, down, size)

    first = [line("The bridge fell at dawn and", 100), line("the ferry, which was", 114), line("A note.", 140, 8, 90)]
    second = [line("Figure 1: The bridge.", 100, right=160), line("loading, was hurt.", 130)]
    texts = [" ".join(line.text for line in paragraph.lines) for paragraph in paragraphs_of([first, second])]
    assert texts == [
        "The bridge fell at dawn and the ferry, which was loading, was hurt.",
        "A note.",
        "Figure 1: The bridge.",
    ]
