"""The lines of a PDF page, as PDFium reads them: text, place and size, in the order in which the page draws them."""

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

HYPHENS = "\x02\ufffe"  # what PDFium puts for a hyphen at the end of a line
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
GAP = 2.2  # font sizes between two pieces of text on a line that stand in different columns or cells
UPRIGHT = 0.01  # radians


@dataclass(frozen=True)
class Line:
    """A stretch of text on one line: from `left` to `right`, its base `down` from the top of the page, in points."""

    text: str
    left: float
    right: float
    down: float
    size: float

    @property
    def broken(self) -> bool:
        """Whether a word goes on in the next line."""
        return self.text.endswith("-")


@dataclass
class _Open:
    """A line that is being read."""

    characters: list[str] = field(default_factory=list)
    left: float = 0.0
    right: float = 0.0
    bases: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)

    def closed(self) -> Iterator[Line]:
        text = "".join(self.characters).translate(_LIGATURES)
        if text.strip() and self.bases:
            yield Line(" ".join(text.split()), self.left, self.right, median(self.bases), median(self.sizes))


@dataclass(frozen=True)
class _Character:
    text: str
    left: float
    right: float
    base: float
    size: float
    angle: float


def lines_of(textpage: Any, height: float) -> list[Line]:
    """The lines of a page; text that stands at an angle to most of it, such as a stamp in the margin, is left out."""
    characters = list(_characters(textpage))
    if not characters:
        return []
    angle = Counter(round(c.angle, 1) for c in characters if c.text.strip()).most_common(1)
    upright = angle[0][0] if angle else 0.0
    kept = [c for c in characters if not c.text.strip() or abs(c.angle - upright) < 0.1]
    return list(_lines(kept, height)) if abs(upright) < UPRIGHT else list(_turned(kept))


def _characters(textpage: Any) -> Iterator[_Character]:
    from pypdfium2 import raw

    page, box, x, y = textpage.raw, raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(page, index)
        raw.FPDFText_GetCharOrigin(page, index, x, y)
        raw.FPDFText_GetLooseCharBox(page, index, box)
        text = chr(code) if code and not 0xD800 <= code < 0xE000 else ""
        angle = raw.FPDFText_GetCharAngle(page, index)
        yield _Character(text, box.left, box.right, y.value, abs(box.top - box.bottom), max(0.0, angle))


def _lines(characters: list[_Character], height: float) -> Iterator[Line]:
    line = _Open()
    for c in characters:
        if c.text in ("\r", "\n"):
            yield from line.closed()
            line = _Open()
            continue
        if c.text in HYPHENS and c.text:
            line.characters.append("-")
            yield from line.closed()
            line = _Open()
            continue
        if c.text.strip():
            if line.bases and (abs(height - c.base - line.bases[-1]) > c.size or c.left - line.right > GAP * c.size):
                yield from line.closed()
                line = _Open()
            line.left = min(line.left, c.left) if line.bases else c.left
            line.right = c.right
            line.bases.append(height - c.base)
            line.sizes.append(c.size)
        line.characters.append(c.text)
    yield from line.closed()


def _turned(characters: list[_Character]) -> Iterator[Line]:
    """Lines of a page whose text stands upright only when the page is turned: their places are their numbers."""
    text = "".join("-\n" if c.text in HYPHENS and c.text else c.text for c in characters).replace("\r", "")
    for number, line in enumerate(text.translate(_LIGATURES).splitlines()):
        if line.strip():
            yield Line(" ".join(line.split()), 0.0, float(len(line)), 12.0 * number, 10.0)


__all__ = ["Line", "lines_of"]
