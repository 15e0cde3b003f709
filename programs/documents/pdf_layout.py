"""Which lines of PDF pages are their text, and in what order they are read."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, takewhile
from statistics import median

from summq.programs.documents.pdf_lines import Line

Page = Sequence[Line]

EDGE = 3  # lines at the top and at the bottom of a page that may be its head and foot
SAME_HEIGHT = 3.0  # points
REPEATED = 3  # pages that make a line a running head, or all of two
_NUMBER = re.compile(r"\d{1,6}|(?<![^\W_])[ivxlc]{1,9}(?![^\W_])")
_PAGE_NUMBER = re.compile(r"\A[^\w#]*+(?:p(?:age)?[^\w#]*+)?#(-?\d++)(?:\s*+(?:/|[^\W\d]{1,4})\s*+\d++)?[^\w#]*+")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
GUTTER = 8.0  # points between columns
COLUMN_ROWS = 6  # lines from which two columns are told from the cells of a table
COLUMN_LETTERS = 22  # letters in a line of a column on average
DEEPEST = 24
ROW = 3.0  # font sizes, at most, from one row of a table to the next
ALIGNED = 1.0  # points in which cells of a column begin or end


def without_running_heads(pages: Sequence[Page]) -> list[list[Line]]:
    """The pages without the lines that repeat at their top or bottom, page numbers apart."""
    running: set[tuple[int, Line]] = set()
    for from_top in (True, False):
        running |= _running(pages, lambda line, top=from_top: line.down if top else -line.down)  # type: ignore[misc]
    return [[line for line in page if (number, line) not in running] for number, page in enumerate(pages)]


def _running(pages: Sequence[Page], distance: Callable[[Line], float]) -> set[tuple[int, Line]]:
    """Heads (or feet) as page and line: their text repeats at one height, or they stand where such a line stands."""
    edges = [_edge(page, distance) for page in pages]
    heights = _repeated(edges)
    repeating = [[row for row in edge[:EDGE] if _repeats(number, row, heights)] for number, edge in enumerate(edges)]
    places = Counter(round(row[0].down) for rows in repeating for row in rows)
    usual = {place for place, times in places.items() if times >= REPEATED}
    found: set[tuple[int, Line]] = set()
    for number, edge in enumerate(edges):
        running = _outermost(edge[:EDGE], repeating[number], usual)
        found.update((number, line) for row in _before_gap(running, edge) for line in row)
    return found


def _outermost(rows: list[list[Line]], repeating: list[list[Line]], usual: set[int]) -> list[list[Line]]:
    """The rows up to the first that neither repeats nor stands where running lines usually do."""
    return list(takewhile(lambda row: row in repeating or any(abs(row[0].down - place) < 1 for place in usual), rows))


def _repeated(edges: Sequence[Sequence[Sequence[Line]]]) -> dict[str, float]:
    """The height in points of each text that stands at the edge of enough pages."""
    heights: dict[str, list[float]] = defaultdict(list)
    for number, edge in enumerate(edges):
        lines = [line for row in reversed(edge[:EDGE]) for line in row]
        for text, down in {text: line.down for line in lines for text in _texts(line, number)}.items():
            heights[text].append(down)
    filled = sum(map(bool, edges))
    needed = min(filled, REPEATED)
    return {
        text: median(downs)
        for text, downs in heights.items()
        if len(downs) >= needed and (filled > 1 or ((first := _PAGE_NUMBER.fullmatch(text)) and first[1] == "1"))
    }


def _repeats(number: int, row: Sequence[Line], heights: dict[str, float]) -> bool:
    """Whether every line of a row repeats; a page number may do so at any height."""
    return all(
        any(
            text in heights and (_PAGE_NUMBER.fullmatch(text) or abs(line.down - heights[text]) < SAME_HEIGHT)
            for text in _texts(line, number)
        )
        for line in row
    )


def _texts(line: Line, page: int) -> Iterator[str]:
    """The text of a line, and again with each of its numbers in turn as its distance from that of the page, from 0.

    A running line is the same on every page, or has one number that rises with the pages: a table's row has neither.
    """
    text = line.text.lower()
    yield text
    for number in _NUMBER.finditer(text):
        yield f"{text[: number.start()]}#{_value(number[0]) - page}{text[number.end() :]}"


def _value(number: str) -> int:
    """The value of an arabic or a Roman number."""
    if number.isdecimal():
        return int(number)
    digits = [_ROMAN[letter] for letter in number]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, [*digits[1:], 0], strict=True))


def _before_gap(rows: list[list[Line]], edge: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Those of the outermost rows that are parted from the rest by the widest gap: text may repeat too."""
    if not rows:
        return rows
    gaps = [abs(b[0].down - a[0].down) for a, b in pairwise(edge[: len(rows) + 1])]
    widest = max(gaps)
    return rows[: max(number for number, gap in enumerate(gaps, start=1) if gap > widest - 1)]


def _edge(page: Page, distance: Callable[[Line], float]) -> list[list[Line]]:
    """The outermost rows of a page, the outermost first, and the one after them; nothing of a page of one row."""
    rows = [list(row) for _, row in groupby(sorted(page, key=distance), key=lambda line: round(line.down))]
    return rows[: EDGE + 1] if len(rows) > 1 else []


def in_reading_order(page: Page) -> list[Line]:
    """The lines as they are read: as they are drawn, unless that is no order, or runs across columns."""
    lines = list(page)
    return _cut(lines, 0) if _is_disordered(lines) or _runs_across(lines) else lines


def _is_disordered(lines: Sequence[Line]) -> bool:
    """Whether a line is drawn after one below it in the same column."""
    return any(b.down < a.down - a.size / 2 and _overlap(a, b) > 0.5 for a, b in pairwise(lines))


def _overlap(a: Line, b: Line) -> float:
    """The share of the narrower line that lies under or above the other."""
    shared = min(a.right, b.right) - max(a.left, b.left)
    return shared / max(1.0, min(a.right - a.left, b.right - b.left))


def _runs_across(lines: Sequence[Line]) -> bool:
    """Whether columns are drawn line by line across the page: pairs of long lines at one height."""
    pairs = [(a, b) for a, b in pairwise(lines) if abs(a.down - b.down) < 1 and a.right < b.left]
    if len(pairs) < COLUMN_ROWS or len(pairs) * 3 < len(lines):
        return False
    letters = [len(line.text) for pair in pairs for line in pair]
    return sum(letters) / len(letters) >= COLUMN_LETTERS


def _cut(lines: list[Line], depth: int) -> list[Line]:
    """Reading order by place: columns from left to right, and what spans them from top to bottom."""
    if len(lines) < 2 or depth > DEEPEST:
        return sorted(lines, key=_by_place)
    gutter = _gutter(lines)
    if gutter is not None:
        parts = [[line for line in lines if line.right <= gutter], [line for line in lines if line.right > gutter]]
    else:
        parts = _halves(sorted(lines, key=_by_place))
        if not any(_gutter(part) for part in parts) and depth > 4:
            return sorted(lines, key=_by_place)
    return [line for part in parts for line in _cut(part, depth + 1)]


def _by_place(line: Line) -> tuple[int, float]:
    return round(line.down), line.left


def _gutter(lines: Sequence[Line]) -> float | None:
    """Where a white stripe divides all lines into columns of more than a few lines; None if nothing does."""
    reach = float("-inf")
    ordered = sorted(lines, key=lambda line: line.left)
    for number, line in enumerate(ordered):
        if line.left - reach >= GUTTER and min(number, len(ordered) - number) >= 2:
            return (reach + line.left) / 2
        reach = max(reach, line.right)
    return None


def _halves(lines: list[Line]) -> list[list[Line]]:
    """The lines above and below the widest white stripe across."""
    gaps = [(b.down - a.down, number) for number, (a, b) in enumerate(pairwise(lines), start=1)]
    _, at = max(gaps)
    return [lines[:at], lines[at:]]


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Consecutive lines at one height: more than one are the cells of a table's row.

    Cells that almost touch are parted where the row above or below has a cell.
    """
    rows: list[list[Line]] = []
    for line in lines:
        if rows and abs(line.down - rows[-1][-1].down) < 1.5 and line.left >= rows[-1][-1].right:
            rows[-1].append(line)
        else:
            rows.append([line])
    for places in (range(1, len(rows)), range(len(rows) - 2, -1, -1)):
        step = -1 if places.step > 0 else 1
        for place in places:
            rows[place] = _parted(rows[place], rows[place + step])
    return rows


def _parted(row: list[Line], beside: Sequence[Line]) -> list[Line]:
    """The cells of a row, parted at wide spaces behind which the row beside it has a cell that begins or ends alike."""
    if len(row) >= len(beside) or abs(row[0].down - beside[0].down) > ROW * row[0].size:
        return row
    cells: list[Line] = []
    for line in row:
        for number, piece in enumerate(line.pieces or [line]):
            if number and not any(_aligned(piece, cell) for cell in beside[1:]):
                before = cells[-1]
                cells[-1] = replace(before, text=f"{before.text} {piece.text}", right=piece.right)
            else:
                cells.append(piece)
    return cells if len(cells) > len(row) else row


def _aligned(piece: Line, cell: Line) -> bool:
    return abs(piece.left - cell.left) < ALIGNED or abs(piece.right - cell.right) < ALIGNED


__all__ = ["in_reading_order", "rows_of", "without_running_heads"]
