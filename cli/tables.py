"""Tables for terminals of any width: columns drop where there is no room, names and numbers are never cut."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

UNLIMITED = 10_000


@dataclass(frozen=True)
class FittingTable:
    """A first column of names and columns of figures, as many as fit.

    Args:
        dispensable: Headings of columns in the order in which they are given up; the others are given up last, from
            the right.
        total: Whether the last row sums up those above it.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    dispensable: Sequence[str] = ()
    title: str = ""
    note: str = ""
    total: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.update(width=UNLIMITED)
        for shown, folded in self._choices():
            table = self._table(shown, folded=folded)
            if Measurement.get(console, wide, table).maximum <= options.max_width:
                break
        yield table
        if missing := [heading for heading in self.headings if heading not in shown]:
            yield Text(f"(no room for {'; '.join(missing)})")
        if self.note:
            yield Text(self.note)

    def _choices(self) -> Iterator[tuple[list[str], bool]]:
        """The headings to show and whether to fold them: all in a line each, all folded, then fewer, at least two."""
        shown = list(self.headings)
        yield list(shown), False
        yield list(shown), True
        later = [heading for heading in reversed(self.headings[2:]) if heading not in self.dispensable]
        for heading in [*self.dispensable, *later]:
            shown.remove(heading)
            yield list(shown), True

    def _table(self, shown: Sequence[str], *, folded: bool) -> Table:
        table = Table(box=box.SIMPLE, pad_edge=False, title=self.title or None, title_justify="left")
        places = [place for place, heading in enumerate(self.headings) if heading in shown]
        for place in places:
            heading = self._folded(place) if folded else self.headings[place]
            table.add_column(
                heading, justify="right" if place else "left", no_wrap=True, overflow="fold", vertical="bottom"
            )
        for number, row in enumerate(self.rows, 1):
            table.add_row(*(row[place] for place in places), end_section=self.total and number == len(self.rows) - 1)
        return table

    def _folded(self, place: int) -> str:
        """A heading in lines no longer than its column has to be: for its longest cell or word."""
        words = self.headings[place].split()
        width = max(map(cell_len, [*words, *(row[place] for row in self.rows)]), default=1)
        return "\n".join(textwrap.wrap(self.headings[place], width, break_on_hyphens=False))


class _FittingTableElement(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        header = self.header.row.cells if self.header and self.header.row else []
        rows = [[cell.content.plain for cell in row.cells] for row in self.body.rows] if self.body else []
        yield FittingTable([cell.content.plain for cell in header], rows)


class Page(Markdown):
    """A page of Markdown on a terminal."""

    elements: ClassVar = {**Markdown.elements, "table_open": _FittingTableElement}


__all__ = ["FittingTable", "Page"]
