"""A tree of HTML elements as text: paragraphs, headings, lists and tables, in one pass that no nesting can overflow.

Headings are marked `#`, list items `*` or by number, cells of a table are divided by `|`. Text inside is kept as it
is, without marks for links, pictures, bold or italics, so that it can be quoted.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lxml import etree

HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
NEVER_TEXT = {"script", "style", "noscript", "template", "svg", "iframe", "object", "select", "textarea", "button"}
SKIPPED = NEVER_TEXT | {"head", "nav"}
_BLOCKS = """
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure
    footer form header hgroup hr html legend main nav ol p pre section summary table tbody tfoot thead ul
"""
BREAKING = {*HEADINGS, *_BLOCKS.split()}
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_BETWEEN_HAN = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]) (?=[\u3040-\u30ff\u3400-\u9fff])")
_NOTE_NUMBER = re.compile(r"\[?\(?(?:\d{1,3}|[*†‡])\)?\]?")
_AT_A_WORD = re.compile(r"[\w.,;:!?”’\"'»)]\Z")  # and no space: "years.1" has a note, "see section 1" has not
LONG_CELL = 300  # characters: a table with longer cells lays out a page


def text_of(root: etree._Element) -> str:
    """The text of a tree of HTML elements, blocks divided by blank lines."""
    writer = _Writer(_layout_tables(root))
    skipping: Any = None
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event in ("comment", "pi"):
            if skipping is None:
                writer.add(element.tail)
        elif event == "start" and skipping is None:
            tag = name_of(element)
            if tag in SKIPPED or _is_note_mark(tag, element):
                skipping = element
            else:
                writer.open(tag, element)
                writer.add(element.text)
        elif event == "end" and (skipping is None or element is skipping):
            if skipping is None:
                writer.close(name_of(element))
            skipping = None
            if element is not root:
                writer.add(element.tail)
    return writer.text()


def _is_note_mark(tag: str, element: etree._Element) -> bool:
    """Whether an element is the number of a note, which would stand in the middle of a sentence."""
    if tag == "sup":
        return len(element) == 1 and name_of(element[0]) == "a" and not (element.text or "").strip()
    if tag == "a" and len(element) == 1 and name_of(element[0]) == "sup":
        return not (element.text or element[0].tail or "").strip()
    if tag == "a" and "#" in element.get("href", "") and _NOTE_NUMBER.fullmatch("".join(element.itertext()).strip()):
        before = _text_before(element)
        return _AT_A_WORD.search(before) is not None or (not before.strip() and (element.tail or "")[:1].isalpha())
    kinds = (element.get("role"), element.get("{http://www.idpf.org/2007/ops}type"), element.get("epub:type"))
    return tag == "a" and not {"doc-noteref", "noteref", "doc-backlink"}.isdisjoint(kinds)


def _text_before(element: etree._Element) -> str:
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        return before.tail or ""
    return (parent.text or "") if parent is not None else ""


def fill(element: etree._Element, pieces: Sequence[str]) -> None:
    """Put text into an element, with a `br` for each line break."""
    first, *others = "".join(pieces).split("\n")
    element.text = first
    for line in others:
        etree.SubElement(element, "br").tail = line


def name_of(element: etree._Element) -> str:
    """The tag without its namespace, in lower case; empty for comments and instructions."""
    return _lower_name(element.tag) if isinstance(element.tag, str) else ""


@lru_cache(maxsize=1000)
def _lower_name(tag: str) -> str:
    return tag.rpartition("}")[2].lower()


def _layout_tables(root: etree._Element) -> set[etree._Element]:
    """The tables that lay out a page rather than hold data: with tables inside, or long cells."""
    layout: set[etree._Element] = set()
    open_tables: list[etree._Element] = []
    lengths: Counter[etree._Element] = Counter()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = name_of(element)
        if tag == "table" and event == "start":
            layout.update(open_tables[-1:])
            open_tables.append(element)
        elif tag == "table":
            open_tables.pop()
        elif event == "end" and open_tables:
            length = lengths.pop(element, 0) + len(element.text or "")
            if tag in ("td", "th") and length > LONG_CELL:
                layout.add(open_tables[-1])
            parent = element.getparent()
            if parent is not None:
                lengths[parent] += length + len(element.tail or "")
    return layout


class _Writer:
    """Blocks as they come: an open line, the lines so far, and what the next line begins with."""

    def __init__(self, layout: set[etree._Element]) -> None:
        self._layout = layout
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._mark = ""
        self._lists: list[int | None] = []
        self._tables: list[bool] = []  # of each open table whether it holds data
        self._cells: list[str] | None = None  # of the open row of a data table
        self._tight = False  # whether the next block follows the last without a blank line
        self._pre = 0

    def add(self, text: str | None) -> None:
        """More of the current line."""
        if text:
            self._line.append(text if self._pre else _SPACE.sub(" ", text))

    def open(self, tag: str, element: etree._Element) -> None:
        """An element begins."""
        in_row = self._cells is not None
        if tag == "br":
            self._line.append(" " if in_row else "\n")
        elif tag in ("td", "th") and in_row:
            self._end_cell()
        elif tag in ("tr", "td", "th", "li") or tag in BREAKING:
            self._line.append(" ") if in_row else self._end_line()
        if tag == "pre":
            self._pre += 1
        elif tag == "table":
            self._tables.append(element not in self._layout)
        elif tag == "tr" and self._tables and self._tables[-1]:
            self._cells = []
        elif tag in ("ul", "ol"):
            self._lists.append(1 if tag == "ol" else None)
        elif tag == "li":
            self._mark = self._bullet(element.get("value", ""))
        elif tag in HEADINGS and not in_row:
            self._mark = HEADINGS[tag]

    def close(self, tag: str) -> None:
        """An element ends."""
        if tag == "tr" and self._cells is not None:
            self._end_row()
        elif self._cells is None and (tag in ("tr", "td", "th", "li") or tag in BREAKING):
            self._end_line()
        elif tag in BREAKING:
            self._line.append(" ")
        if tag == "pre":
            self._pre -= 1
        elif tag == "table":
            self._tables.pop()
            self._tight = False
        elif tag in ("ul", "ol"):
            self._lists.pop()
            self._tight = self._tight and bool(self._lists)

    def text(self) -> str:
        """All blocks."""
        self._end_line()
        return "".join(self._blocks).strip()

    def _bullet(self, value: str) -> str:
        number = int(value) if value.isdecimal() else self._lists[-1] if self._lists else None
        indent = "  " * max(0, len(self._lists) - 1)
        if number is None:
            return f"{indent}* "
        if self._lists:
            self._lists[-1] = number + 1
        return f"{indent}{number}. "

    def _end_cell(self) -> None:
        assert self._cells is not None
        cell = _SPACE.sub(" ", "".join(self._line)).strip()
        if cell:
            self._cells.append(cell)
        self._line = []

    def _end_row(self) -> None:
        self._end_cell()
        cells, self._cells = self._cells, None
        if cells:
            self._write(" | ".join(cells), tight=True)

    def _end_line(self) -> None:
        joined, self._line = "".join(self._line), []
        if self._pre:
            block = joined.strip("\n")
        else:
            lines = (re.sub(" {2,}", " ", line).strip() for line in joined.split("\n"))
            block = "\n".join(filter(None, (_BETWEEN_HAN.sub("", line) for line in lines)))
        if block.strip():
            is_item = self._mark.endswith(("* ", ". "))
            mark, self._mark = self._mark, ""
            self._write(mark + block, tight=is_item)

    def _write(self, block: str, *, tight: bool) -> None:
        self._blocks.append(("\n" if tight and self._tight else "\n\n") + block)
        self._tight = tight


__all__ = ["NEVER_TEXT", "fill", "name_of", "text_of"]
