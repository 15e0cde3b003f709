"""Lines of PDF pages to paragraphs: at any line spacing, across columns and pages, hyphens undone."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from summq.programs.documents.pdf_layout import rows_of
from summq.programs.documents.pdf_lines import Line

SPACED = 1.2  # times the usual distance of lines: more divides paragraphs
OTHER_SIZE = 0.08  # share by which the size of a heading or note differs
INDENT = 0.6  # font sizes
ROOM = 2.0  # font sizes that a line may leave empty although the next word would fit
USUAL_SPACING = 1.15  # times the font size, where a page tells nothing
NEIGHBOURS = 3  # lines before and after that tell how wide a column is
NOTES = 12  # paragraphs that may stand between the parts of a sentence: notes and captions
_SENTENCE_END = re.compile(r"[.!?:;…。！？؟।]['\"”’»)\]]*(?:\d{1,3})?$")
_ITEM = re.compile(r"(?:[•‣◦▪●■–—*·-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s")
_CAPTION = re.compile(r"(?:fig(?:ure|ura)?|tab(?:le|leau|elle|la)?|abb(?:ildung)?)\.?\s?\d", re.IGNORECASE)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]")
_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]+-[^\W\d_]+(?![\w-])")


@dataclass
class Paragraph:
    """Lines that are one paragraph, or a row of a table; on which pages which of them begin."""

    lines: list[Line]
    page: int
    is_row: bool = False
    breaks: list[tuple[int, int]] = field(default_factory=list)  # page and index of the first line on it

    @property
    def size(self) -> float:
        """The size of the last line's letters."""
        return self.lines[-1].size

    @property
    def ended(self) -> bool:
        """Whether nothing can follow: a row of a table, or the end of a sentence."""
        return self.is_row or _SENTENCE_END.search(self.lines[-1].text) is not None


def paragraphs_of(pages: Sequence[Sequence[Line]]) -> list[Paragraph]:
    """The paragraphs of all pages (numbered from 1) in order."""
    usual = _usual_spacing(pages)
    found: list[Paragraph] = []
    for number, page in enumerate(pages, start=1):
        for column in _columns(page):
            _read_column(column, number, usual, found)
    return found


def _columns(lines: Sequence[Line]) -> Iterator[list[list[Line]]]:
    """Rows that follow each other down the page."""
    column: list[list[Line]] = []
    for row in rows_of(lines):
        if column and row[0].down < column[-1][0].down - 1:
            yield column
            column = []
        column.append(row)
    if column:
        yield column


def _usual_spacing(pages: Sequence[Sequence[Line]]) -> float:
    """The most common distance of lines in font sizes."""
    ratios: Counter[float] = Counter()
    for page in pages:
        ratios.update(
            round((b.down - a.down) / a.size, 1)
            for a, b in pairwise(page)
            if a.size <= 2 * (b.down - a.down) <= 6 * a.size
        )
    return ratios.most_common(1)[0][0] if ratios else USUAL_SPACING


def _read_column(rows: Sequence[list[Line]], page: int, usual: float, found: list[Paragraph]) -> None:
    flat = [row[0] for row in rows]
    pitch = _pitch(flat, usual)
    last: Paragraph | None = None  # what the line before belongs to
    for index, row in enumerate(rows):
        if len(row) > 1:
            last = Paragraph(list(row), page, is_row=True)
            found.append(last)
            continue
        line = row[0]
        if last is not None:
            right = max(near.right for near in flat[max(0, index - NEIGHBOURS) : index + NEIGHBOURS])
            if last.is_row or _begins(last, line, pitch.get(round(line.size, 1), usual * line.size), right):
                last = _unfinished(found, line, below=True)
        else:
            last = _unfinished(found, line, below=False)
        if last is None:
            last = Paragraph([line], page)
            found.append(last)
        else:
            if page != (last.breaks[-1][0] if last.breaks else last.page):
                last.breaks.append((page, len(last.lines)))
            last.lines.append(line)


def _pitch(lines: Sequence[Line], usual: float) -> dict[float, float]:
    """The usual distance of lines of each size in a column, in points."""
    distances: dict[float, Counter[float]] = {}
    for a, b in pairwise(lines):
        if abs(a.size - b.size) < 0.1 and 0 < b.down - a.down < 4 * a.size:
            distances.setdefault(round(a.size, 1), Counter())[round(b.down - a.down, 1)] += 1
    pitches = {}
    for size, counted in distances.items():
        distance, times = max(counted.items(), key=lambda item: (item[1], -item[0]))
        pitches[size] = distance if times > 2 else min(distance, usual * size)
    return pitches


def _begins(last: Paragraph, line: Line, pitch: float, right: float) -> bool:
    """Whether a line begins a paragraph below the last one."""
    before = last.lines[-1]
    lower = line.text[:1].islower()
    if abs(line.size - before.size) > OTHER_SIZE * before.size:
        return not (before.broken and lower)
    distance = line.down - before.down
    if distance > SPACED * pitch + 0.5:
        return last.ended or not lower or distance > 2.5 * pitch
    if before.broken and lower:
        return False
    if _ITEM.match(line.text) and (last.ended or not line.text[0].isalnum()):
        return True
    if last.ended and line.left > before.left + INDENT * line.size and not _ITEM.match(last.lines[0].text):
        return True
    return _leaves_room(before, line, right)


def _leaves_room(before: Line, line: Line, right: float) -> bool:
    """Whether the first word of a line would have fitted into the line before: a break that was meant."""
    word = line.text if not _HAN.match(line.text) else line.text[0]
    word = word.partition(" ")[0]
    width = (line.right - line.left) * len(word) / max(1, len(line.text))
    return right - before.right > width + ROOM * line.size


def _unfinished(found: Sequence[Paragraph], line: Line, *, below: bool) -> Paragraph | None:
    """The paragraph that goes on past notes, tables and captions, at the top of a column or page, or `below` them."""
    for paragraph in () if _CAPTION.match(line.text) else reversed(found[-NOTES:]):
        other_size = abs(paragraph.size - line.size) > OTHER_SIZE * line.size
        if other_size or paragraph.is_row or _CAPTION.match(paragraph.lines[0].text):
            continue
        lower, full = line.text[:1].islower(), _is_full(paragraph)
        goes_on = (lower and full and paragraph is not found[-1]) if below else (lower or full)
        return paragraph if not paragraph.ended and goes_on and not _ITEM.match(line.text) else None
    return None


def _is_full(paragraph: Paragraph) -> bool:
    """Whether the last line is as wide as those before it."""
    widest = max(line.right for line in paragraph.lines)
    return len(paragraph.lines) > 1 and paragraph.lines[-1].right > widest - ROOM * paragraph.size


def compounds_of(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """The words with a hyphen inside a line: they keep it at the end of a line too."""
    return frozenset(word.lower() for page in pages for line in page for word in _COMPOUND.findall(line.text))


def join_lines(lines: Sequence[Line], compounds: frozenset[str]) -> Iterator[str]:
    """The text of each line, with what stands between it and the next."""
    for line, following in pairwise([*lines, None]):
        assert line is not None
        text = line.text
        if following is None:
            yield text
        elif line.broken and following.text[:1].isalpha():
            yield text if _is_compound(text, following.text, compounds) else text[:-1]
        elif _HAN.match(text[-1:]) and _HAN.match(following.text):
            yield text
        else:
            yield text + " "


def _is_compound(text: str, following: str, compounds: frozenset[str]) -> bool:
    before, after = _WORD.findall(text), _WORD.match(following)
    if not before or after is None:
        return True
    return not after[0][0].islower() or f"{before[-1]}-{after[0]}".lower() in compounds


__all__ = ["Paragraph", "compounds_of", "join_lines", "paragraphs_of"]
