"""How benchmarks report: tables and criteria on a terminal, or all of it as JSON. The exit status says what holds."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table

WIDTH = 150


@dataclass(frozen=True)
class Criterion:
    """A figure and its bound: an upper one unless it is `at_least`."""

    name: str
    value: float
    bound: float
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure keeps to its bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


@dataclass(frozen=True)
class Report:
    """What a benchmark found: figures as plain data, tables for people, criteria."""

    figures: dict[str, Any]
    tables: Sequence[Table]
    criteria: Sequence[Criterion]


def table(*headings: str) -> Table:
    """An empty table: a column of names, the other columns to the right."""
    made = Table(box=box.SIMPLE, pad_edge=False)
    for place, heading in enumerate(headings):
        made.add_column(heading, justify="right" if place else "left")
    return made


def add(to: Table, name: str, *cells: object) -> None:
    """Append a row; whole numbers get separators, others two places unless they are text already."""
    to.add_row(name, *map(_shown, cells))


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the option that all benchmarks share."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def finish(report: Report, *, as_json: bool) -> NoReturn:
    """Print the report and exit: 0 if all criteria hold, else 1."""
    show: Callable[[Report], None] = _show_json if as_json else _show_text
    show(report)
    sys.exit(0 if all(criterion.holds for criterion in report.criteria) else 1)


def _show_json(report: Report) -> None:
    criteria = [{**asdict(criterion), "holds": criterion.holds} for criterion in report.criteria]
    print(json.dumps({**report.figures, "criteria": criteria}, indent=2))


def _show_text(report: Report) -> None:
    console = Console(width=WIDTH, highlight=False)
    for each in report.tables:
        console.print(each)
    judged = table("criterion", "measured", "bound", "")
    for c in report.criteria:
        bound = f"{'>=' if c.at_least else '<='} {c.bound:g}"
        add(judged, c.name, f"{c.value:.3g}", bound, "holds" if c.holds else "DOES NOT HOLD")
    console.print(judged)


def _shown(cell: object) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


__all__ = ["Criterion", "Report", "add", "finish", "parser", "table"]
