"""The lines of a PDF page, as PDFium reads them: text, place and size, in the order in which the page draws them."""

import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from statistics import median
from typing import Any

HYPHENS = "\x02\ufffe"  # what PDFium puts for a hyphen at the end of a line
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
GAP = 2.2  # font sizes between two pieces of text on a line that stand in different columns or cells
UPRIGHT = 0.01  # radians
# TeX's ligatures and marks in bitmap fonts, which have no names for them, by their codes in its encodings OT1 and T1.
_TEX = {
    **dict(enumerate(("ff", "fi", "fl", "ffi", "ffl", "“", "”", "„", "«", "»", "–", "—"), 0x0B)),
    **dict(enumerate(("ff", "fi", "fl", "ffi", "ffl"), 0x1B)),
}
WIDE = 0.6  # font sizes between the number of a line and the line
RAISED, SMALL = 0.15, 0.9  # of the size of a line: how far above its base marks of notes stand, and how large they are
_NOTE_MARK = re.compile(r"[\d*†‡§,\s]+")
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]{3}|[.,;:!?”’\"'»)\]])\s?$")
_LINE_NUMBER = re.compile(r"\d{1,4}")
ALIGNED = 4.0  # points in which numbers of lines end
FEWEST_NUMBERS = 6  # that count the lines of a page
EVENLY = 0.8  # share of the numbers that rise evenly, and of the lines that stand beside them


@dataclass(frozen=True)
class Line:
    """A stretch of text on one line: from `left` to `right`, its base `down` from the top of the page, in points.

    `pieces` are what stands between wide spaces in it, if there are any.
    """

    text: str
    left: float
    right: float
    down: float
    size: float
    goes_on: bool = False  # behind a number and a wide space
    pieces: "tuple[Line, ...]" = ()

    @property
    def broken(self) -> bool:
        """Whether a word goes on in the next line."""
        return self.text.endswith("-")


@dataclass(frozen=True)
class _Character:
    text: str
    left: float
    right: float
    base: float
    size: float
    angle: float


@dataclass
class _Open:
    """A line that is being read; `base` and `size` are those of its last letter."""

    characters: list[_Character] = field(default_factory=list)
    letters: list[_Character] = field(default_factory=list)
    ended: bool = False  # as PDFium sees it: raised marks, too, end lines to it

    def add(self, c: _Character) -> None:
        self.characters.append(c)
        if c.text.strip():
            self.letters.append(c)
            self.ended = False

    def parted_from(self, c: _Character) -> bool:
        """Whether a letter stands on another line or in another column."""
        if not self.letters:
            return False
        last = self.letters[-1]
        if self.ended:
            return abs(c.base - last.base) > max(c.size, last.size) / 2 or not 0 <= c.left - last.right < WIDE * c.size
        return abs(c.base - last.base) > c.size or c.left - last.right > GAP * c.size

    def is_number_before(self, c: _Character) -> bool:
        """Whether a letter follows what may be the number of a line, after a wide space."""
        if not self.letters or c.left - self.letters[-1].right < WIDE * c.size:
            return False
        return c.text.isdecimal() or (len(self.letters) < 5 and all(letter.text.isdecimal() for letter in self.letters))

    def closed(self, height: float, *, goes_on: bool = False) -> Iterator[Line]:
        if not self.letters:
            return
        size, base = median(c.size for c in self.letters), median(c.base for c in self.letters)
        whole = _line(self.characters, height, base, size)
        if whole.text:
            lines = (_line(piece, height, base, size) for piece in _pieces(self.characters, size))
            pieces = tuple(piece for piece in lines if piece.text)
            yield replace(whole, goes_on=goes_on, pieces=pieces if len(pieces) > 1 else ())


def _line(characters: Sequence[_Character], height: float, base: float, size: float) -> Line:
    """Characters, some of which are letters, as a line."""
    letters = [c for c in characters if c.text.strip()]
    text = "".join(_without_note_marks(characters, base, size)).translate(_LIGATURES)
    return Line(" ".join(text.split()), letters[0].left, letters[-1].right, height - base, size)


def _pieces(characters: Sequence[_Character], size: float) -> Iterator[list[_Character]]:
    """The characters from one wide space to the next."""
    piece: list[_Character] = []
    right: float | None = None
    for c in characters:
        if c.text.strip():
            if right is not None and c.left - right > WIDE * size:
                yield piece
                piece = []
            right = c.right
        piece.append(c)
    yield piece


def _without_note_marks(characters: Sequence[_Character], base: float, size: float) -> Iterator[str]:
    """The characters but for raised numbers behind words and at the beginning: those of notes, not of powers."""
    before = ""
    for raised, group in groupby(characters, key=lambda c: c.base > base + RAISED * size and c.size < SMALL * size):
        text = "".join(c.text for c in group)
        is_mark = raised and _NOTE_MARK.fullmatch(text) and (not before.strip() or _WORD_BEFORE.search(before))
        yield " " * text.endswith(" ") if is_mark else text
        before = text


def lines_of(textpage: Any, height: float) -> list[Line]:
    """The lines of a page, without their numbers.

    Text that stands at an angle to most of it, such as a stamp in the margin, is left out.
    """
    characters = list(_characters(textpage))
    if not characters:
        return []
    angle = Counter(round(c.angle, 1) for c in characters if c.text.strip()).most_common(1)
    upright = angle[0][0] if angle else 0.0
    kept = [c for c in characters if not c.text.strip() or abs(c.angle - upright) < 0.1]
    if abs(upright) >= UPRIGHT:
        return list(_turned(kept))
    return list(_joined(without_line_numbers(list(_lines(kept, height)))))


def _characters(textpage: Any) -> Iterator[_Character]:
    from pypdfium2 import raw

    page, box, x, y = textpage.raw, raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(page, index)
        raw.FPDFText_GetCharOrigin(page, index, x, y)
        raw.FPDFText_GetLooseCharBox(page, index, box)
        text = chr(code) if code and not 0xD800 <= code < 0xE000 else ""
        if code in _TEX and not raw.FPDFText_IsGenerated(page, index) and _has_no_name(page, index):
            text = _TEX[code]
        angle = raw.FPDFText_GetCharAngle(page, index)
        yield _Character(text, box.left, box.right, y.value, abs(box.top - box.bottom), max(0.0, angle))


def _has_no_name(page: Any, index: int) -> bool:
    """Whether the font of a character has no name, as TeX's bitmap fonts; others have encodings of their own."""
    from pypdfium2 import raw

    return bool(raw.FPDFText_GetFontInfo(page, index, None, 0, None) <= 1)


def _lines(characters: list[_Character], height: float) -> Iterator[Line]:
    line = _Open()
    for c in characters:
        if c.text in ("\r", "\n"):
            line.add(replace(c, text=" "))
            line.ended = True
            continue
        if c.text in HYPHENS and c.text:
            line.add(replace(c, text="-"))
            yield from line.closed(height)
            line = _Open()
            continue
        if c.text.strip() and (line.parted_from(c) or line.is_number_before(c)):
            yield from line.closed(height, goes_on=not line.parted_from(c))
            line = _Open()
        line.add(c)
    yield from line.closed(height)


def without_line_numbers(lines: Sequence[Line]) -> list[Line]:
    """The lines but for numbers in the margin that count them, as in drafts and transcripts."""
    columns: dict[tuple[str, int], list[Line]] = defaultdict(list)
    for line in lines:
        if _LINE_NUMBER.fullmatch(line.text):
            for side in ("left", "right"):
                columns[side, round(getattr(line, side) / ALIGNED)].append(line)
    counting = {line for column in columns.values() if _counts_lines(column, lines) for line in column}
    following = [*lines[1:], None]
    return [
        replace(line, goes_on=False) if after in counting else line
        for line, after in zip(lines, following, strict=True)
        if line not in counting
    ]


def _counts_lines(column: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Whether numbers one below the other rise evenly, beside the text."""
    ordered = sorted(column, key=lambda line: line.down)
    steps = Counter(int(b.text) - int(a.text) for a, b in pairwise(ordered))
    if len(column) < FEWEST_NUMBERS or not steps:
        return False
    step, times = steps.most_common(1)[0]
    if step not in (1, 5, 10) or times < EVENLY * (len(column) - 1):
        return False
    others = [line for line in lines if not _LINE_NUMBER.fullmatch(line.text)]
    left, right = min(line.left for line in column), max(line.right for line in column)
    beside = max(sum(line.left > right for line in others), sum(line.right < left for line in others))
    return beside >= EVENLY * len(others)


def _joined(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, those together again that were parted behind a number which counts no lines."""
    last: Line | None = None
    for line in lines:
        if last is not None and last.goes_on:
            pieces = (*(last.pieces or [last]), *(line.pieces or [line]))
            line = replace(line, text=f"{last.text} {line.text}", left=last.left, pieces=pieces)
        elif last is not None:
            yield last
        last = line
    if last is not None:
        yield last


def _turned(characters: list[_Character]) -> Iterator[Line]:
    """Lines of a page whose text stands upright only when the page is turned: their places are their numbers."""
    text = "".join("-\n" if c.text in HYPHENS and c.text else c.text for c in characters).replace("\r", "")
    for number, line in enumerate(text.translate(_LIGATURES).splitlines()):
        if line.strip():
            yield Line(" ".join(line.split()), 0.0, float(len(line)), 12.0 * number, 10.0)


__all__ = ["Line", "lines_of"]
