"""What repeats at the edges of PDF pages: heads and feet go, rows of a table stay."""

import pytest

from summq.programs.documents.pdf_layout import without_running_heads
from summq.programs.documents.pdf_lines import Line


def page(*rows: tuple[float, str]) -> list[Line]:
    """Lines by their height in points; `|` parts the cells of a row."""
    return [
        Line(text=cell, left=60 + 90 * column, right=120 + 90 * column, down=down, size=11)
        for down, text in rows
        for column, cell in enumerate(text.split("|"))
    ]


def kept(*pages: list[Line]) -> list[list[str]]:
    return [[line.text for line in lines] for lines in without_running_heads(pages)]


def text(number: int) -> list[tuple[float, str]]:
    """The rows of text of a page, other ones on each."""
    words = ["ash", "birch", "cedar", "dogwood", "elm", "fir"]
    return [(100.0 + 14 * row, f"{words[number]} {word} stands.") for row, word in enumerate(words)]


def texts(pages: int) -> list[list[str]]:
    return [[line for _, line in text(number)] for number in range(pages)]


@pytest.mark.parametrize("pages", [1, 2, 5])
def test_rows_of_numbers_at_the_foot_of_a_page_are_no_page_numbers(pages: int) -> None:
    rows = [
        [(200.0, f"North|{7 * n + 12}|31"), (214.0, f"{9 * n}|4|5"), (228.0, f"1,204|{41 * n}|2.5")]
        for n in range(pages)
    ]
    documents = [page(*text(number), *table) for number, table in enumerate(rows)]
    assert kept(*documents) == [[line.text for line in document] for document in documents]


@pytest.mark.parametrize("total", ["1,204", "12", "2.5", "1999"])
def test_a_total_at_the_foot_of_a_single_page_stays(total: str) -> None:
    assert kept(page(*text(0), (214, total)))[0][-1] == total


@pytest.mark.parametrize("form", ["{}", "- {} -", "Page {}", "page {} of 9", "{}/9", "[{}]"])
@pytest.mark.parametrize(("pages", "first"), [(1, 1), (2, 1), (4, 1), (4, 211)])
def test_numbers_that_rise_with_the_pages_go(pages: int, first: int, form: str) -> None:
    documents = [page(*text(number), (760, form.format(first + number))) for number in range(pages)]
    assert kept(*documents) == texts(pages)


def test_roman_numbers_rise_too() -> None:
    documents = [page(*text(place), (760, number)) for place, number in enumerate(("viii", "ix", "x", "xi"))]
    assert kept(*documents) == texts(4)


def test_numbers_that_do_not_rise_stay() -> None:
    documents = [page(*text(place), (760, total)) for place, total in enumerate(("12", "7", "40", "38"))]
    assert [lines[-1] for lines in kept(*documents)] == ["12", "7", "40", "38"]


def test_a_head_with_its_page_number_goes_from_pages_of_other_chapters_too() -> None:
    heads = ["10|One", "11|One", "12|One", "13|Two", "14|Three"]
    assert kept(*(page((40, head), *text(number)) for number, head in enumerate(heads))) == texts(5)
