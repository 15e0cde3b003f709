"""Marks of Markdown in plain text: where headings and emphasis stand, and which signs only mark them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

EMPHASIS = re.compile(r"(?<![\w*])(?P<mark>\*{1,3}|_)(?=[^\s*_])(?P<text>[^*_\n]+)(?<=\S)(?P=mark)(?![\w*])")
_HEADING = re.compile(r"^(?P<mark>#{1,6}[ \t]+)(?P<text>\S[^\n]*)", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?P<text>[^\s=-][^\n]*)(?P<mark>\n(?:={3,}|-{3,}))$", re.MULTILINE)

Look = Literal["heading", "strong", "emphasis", "sign"]


@dataclass(frozen=True, slots=True)
class Dressed:
    """A span of a text and how it is meant to look; a `sign` only marks its neighbour."""

    span: slice
    look: Look


def dressed(text: str) -> Iterator[Dressed]:
    """The headings and emphasised words of a text, and their signs; a heading may hold emphasis."""
    for pattern in (_HEADING, _UNDERLINED):
        for match in pattern.finditer(text):
            yield Dressed(slice(*match.span("text")), "heading")
            yield Dressed(slice(*match.span("mark")), "sign")
    for match in EMPHASIS.finditer(text):
        yield Dressed(slice(*match.span("text")), "strong" if match["mark"] in ("**", "***") else "emphasis")
        yield Dressed(slice(match.start(), match.start("text")), "sign")
        yield Dressed(slice(match.end("text"), match.end()), "sign")


__all__ = ["EMPHASIS", "Dressed", "Look", "dressed"]
