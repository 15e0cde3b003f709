"""Dividing a text into stretches that a page can mark or dress, and a long text into blocks that a browser can skip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from summq.programs.text.markup import dressed

BLOCK = 6000  # characters; a browser lays out only the blocks that are in sight


@dataclass(frozen=True)
class Stretch:
    """A part of a text, the numbers of what points at it, and how it looks: names of `Look` with spaces between."""

    text: str
    numbers: tuple[int, ...] = ()
    looks: str = ""


def stretches(text: str, marks: Mapping[int, slice], window: slice | None = None) -> list[Stretch]:
    """The text (or a window of it) cut where a marked or dressed span begins or ends; together they are the whole."""
    start, stop = (window.start, window.stop) if window else (0, len(text))
    here = {number: span for number, span in marks.items() if span.start < stop and span.stop > start}
    looks = [(slice(start + d.span.start, start + d.span.stop), d.look) for d in dressed(text[start:stop])]
    spans = [*here.values(), *(span for span, _ in looks)]
    inner = {edge for span in spans for edge in (span.start, span.stop) if start < edge < stop}

    def holds(span: slice, one: int, other: int) -> bool:
        return bool(span.start <= one and other <= span.stop)

    return [
        Stretch(
            text[one:other],
            tuple(number for number, span in here.items() if holds(span, one, other)),
            " ".join(look for span, look in looks if holds(span, one, other)),
        )
        for one, other in pairwise(sorted({start, stop, *inner}))
    ]


def blocks(text: str, marks: Mapping[int, slice]) -> list[list[Stretch]]:
    """The text in blocks of about `BLOCK` characters, cut at line ends where there are any, each in stretches."""
    return [stretches(text, marks, window) for window in _windows(text)]


def _windows(text: str) -> Sequence[slice]:
    windows, start = [], 0
    while start < len(text):
        stop = _cut(text, start + BLOCK)
        windows.append(slice(start, stop))
        start = stop
    return windows


def _cut(text: str, earliest: int) -> int:
    """Behind the next line end or, where lines are long, the next space; the end of the text if it is near."""
    for end in ("\n", " "):
        at = text.find(end, earliest, earliest + BLOCK)
        if at >= 0:
            return at + 1
    return min(len(text), earliest + BLOCK)


__all__ = ["Stretch", "blocks", "stretches"]
