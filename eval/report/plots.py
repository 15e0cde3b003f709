"""Plots of a run (extra `plots`): every document's score by system, quality against cost, and a sweep."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summq.eval.archive import SweepAxis
from summq.eval.metrics import Column
from summq.eval.report.names import short_names
from summq.eval.report.results import Results, Run
from summq.eval.report.sheet import USE, Sheet
from summq.eval.statistics import Estimate
from summq.programs.errors import ConfigError

FORMATS = ("png", "svg")
ACROSS = 3
PANEL = (3.6, 2.9)  # inches
LINE = 0.24  # inches for each system in a plot that lists them
COSTS = tuple(column for key in ("cost", "calls") for column in USE if column.key == key)
WIDE = 20  # the largest over the smallest cost from which the axis is logarithmic
HEADING = 30  # characters in a line of a panel's heading
CROWD = 15  # more systems get smaller dots
MOST_DOTS = 1000  # of one system; of more documents so many, evenly spaced, are drawn
BLUE, ORANGE = "tab:blue", "tab:orange"


def can_plot() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def write_plots(run: Run) -> list[Path]:
    """Draw a run into its folder: `scores`, `tradeoff` (quality against cost), and `sweep` if it is one.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    figures = draw_figures(run)
    return [path for name, figure in figures.items() for path in _save(figure, run.folder, name)]


def draw_figures(run: Run) -> dict[str, Any]:
    """The figures by their names; one that would show nothing is left out. Raises ConfigError without matplotlib."""
    if not can_plot():
        raise ConfigError("plots need matplotlib: pip install -e '.[plots]'")
    results, sheet = run.results, run.sheet
    figures = {"scores": _scores(results, sheet), "tradeoff": _tradeoff(results)}
    if sheet.config.sweep:
        figures["sweep"] = _sweep(sheet.config.sweep, results, sheet)
    return {name: figure for name, figure in figures.items() if figure is not None}


def _scores(results: Results, sheet: Sheet) -> Any:
    """A panel for each quality column, systems down the side: documents as dots, means and intervals as bars."""
    names = short_names(results.systems)

    def draw(panel: Any, column: Column) -> None:
        for place, system in enumerate(results.systems):
            known = _known(column, sheet, system)
            dots = known[:: -(-len(known) // MOST_DOTS) or 1]
            panel.scatter(dots, [place] * len(dots), s=12, alpha=0.8, color=BLUE, linewidths=0, zorder=3)
            _bar(panel, place, results.systems[system][column.key], column, sideways=True)
        panel.set_yticks(range(len(names)), list(names.values()), fontsize=8)
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.set_xlim(*_limits(column, sheet, list(results.systems)))
        panel.tick_params("x", labelsize=8)
        panel.grid(axis="x", alpha=0.3)

    height = max(1.2, LINE * len(names) + 0.6)
    return _grid(_varying(results.quality, results), (PANEL[0], height), draw, sharey=True)


def _tradeoff(results: Results) -> Any:
    """Quality against what a document costs, or against calls where no cost is known; numbers stand for systems."""
    cost = next((column for column in COSTS if _varying([column], results)), None)
    if cost is None:
        return None
    names = short_names(results.systems)
    size = 140 if len(names) <= CROWD else 100

    def draw(panel: Any, column: Column) -> None:
        means = {system: (e[cost.key].mean, e[column.key].mean) for system, e in results.systems.items()}
        points = {
            system: (cost.factor * x, column.factor * y)
            for system, (x, y) in means.items()
            if x is not None and y is not None
        }
        sign = -1 if column.better == "lower" else 1
        front = [a for a, one in points.items() if not any(_beats(other, one, sign) for other in points.values())]
        for number, system in enumerate(results.systems, 1):
            if system in points:
                color = ORANGE if system in front else "0.85"
                panel.scatter(*points[system], s=size, color=color, edgecolors="0.3", linewidths=0.8)
                panel.annotate(str(number), points[system], ha="center", va="center", fontsize=size / 20, color="0.1")
        steps = sorted(points[name] for name in front)
        panel.plot([x for x, _ in steps], [y for _, y in steps], color=ORANGE, linewidth=1, zorder=0)
        _set_scale(panel, [x for x, _ in points.values()])
        panel.xaxis.set_major_formatter("{x:g}")
        panel.set_xlabel(f"{cost.heading} for a document", fontsize=8)
        panel.tick_params(labelsize=8)
        panel.margins(0.12)
        panel.grid(alpha=0.3)

    figure = _grid(_varying(results.main, results), (PANEL[0], PANEL[1] + 0.3), draw)
    if figure is not None:
        listed = "\n".join(f"{number}  {name}" for number, name in enumerate(names.values(), 1))
        figure.text(1.01, 0.98, f"{listed}\n\nOrange: no other system is\nbetter and costs less.", fontsize=8, va="top")
    return figure


def _set_scale(panel: Any, costs: Sequence[float]) -> None:
    """Logarithmic where costs are far apart, but linear from 0 to the lowest where something costs nothing."""
    known = [cost for cost in costs if cost > 0]
    if not known or max(known) <= WIDE * min(known):
        return
    if len(known) == len(costs):
        panel.set_xscale("log")
    else:
        panel.set_xscale("symlog", linthresh=min(known))


def _beats(one: tuple[float, float], other: tuple[float, float], sign: int) -> bool:
    return one != other and one[0] <= other[0] and sign * one[1] >= sign * other[1]


def _sweep(axis: SweepAxis, results: Results, sheet: Sheet) -> Any:
    """One panel for each main column over the axis of the sweep."""
    points = [point for point in axis.points if point.system in results.systems]
    labels = [f"{point.x:g}" if isinstance(point.x, float) else point.x for point in points]
    is_numeric = all(isinstance(point.x, float) for point in points)

    def draw(panel: Any, column: Column) -> None:
        estimates = [results.systems[point.system][column.key] for point in points]
        means = [column.factor * e.mean if e.mean is not None else float("nan") for e in estimates]
        panel.plot(range(len(points)), means, color=BLUE, linewidth=1 if is_numeric else 0)
        for place, estimate in enumerate(estimates):
            _bar(panel, place, estimate, column)
        panel.set_ylim(*_limits(column, sheet, [point.system for point in points]))
        slant = {} if is_numeric else {"rotation": 30, "ha": "right"}
        panel.set_xticks(range(len(points)), labels, fontsize=8, **slant)
        panel.tick_params("y", labelsize=8)
        panel.grid(axis="y", alpha=0.3)
        panel.set_xlabel(axis.label, fontsize=9)

    return _grid(_varying([*results.main, *COSTS], results), PANEL, draw)


def _known(column: Column, sheet: Sheet, system: str) -> NDArray[np.float64]:
    """The values that the documents have, as they are printed."""
    values = column.factor * np.array(sheet.values(system, column.key))
    return values[~np.isnan(values)]


def _limits(column: Column, sheet: Sheet, systems: Sequence[str]) -> tuple[float, float]:
    """Room for every document's value; an interval that few documents make wide runs beyond it."""
    known = np.concatenate([_known(column, sheet, system) for system in systems])
    low, high = float(known.min()), float(known.max())
    margin = 0.1 * (high - low) or 0.1 * abs(high) or 1.0
    return low - margin, high + margin


def _bar(panel: Any, place: int, estimate: Estimate, column: Column, *, sideways: bool = False) -> None:
    if estimate.mean is None:
        return
    low = estimate.mean if estimate.low is None else estimate.low
    high = estimate.mean if estimate.high is None else estimate.high
    errors = [[column.factor * (estimate.mean - low)], [column.factor * (high - estimate.mean)]]
    mean = column.factor * estimate.mean
    at = {"x": mean, "y": place, "xerr": errors} if sideways else {"x": place, "y": mean, "yerr": errors}
    panel.errorbar(**at, fmt="o", color="black", markersize=3.5, capsize=2.5, linewidth=1)


def _varying(columns: Sequence[Column], results: Results) -> list[Column]:
    """The columns that every system has and that differ from 0 somewhere: others make no picture."""
    return [
        column
        for column in columns
        if all(column.key in estimates for estimates in results.systems.values())
        and any(estimates[column.key].mean for estimates in results.systems.values())
    ]


def _grid(
    columns: Sequence[Column], size: tuple[float, float], draw: Callable[[Any, Column], None], *, sharey: bool = False
) -> Any:
    """A figure with a panel for each column; None without columns."""
    from matplotlib.figure import Figure

    if not columns:
        return None
    across = 2 if len(columns) == 4 else min(ACROSS, len(columns))
    down = -(-len(columns) // across)
    figure = Figure(figsize=(size[0] * across, size[1] * down), layout="constrained")
    panels = list(figure.subplots(down, across, squeeze=False, sharey=sharey).flat)
    for panel, column in zip(panels, columns, strict=False):
        draw(panel, column)
        panel.set_title(fill(column.heading, HEADING), fontsize=10)
    for unused in panels[len(columns) :]:
        unused.set_axis_off()
    return figure


def _save(figure: Any, folder: Path, name: str) -> list[Path]:
    paths = [folder / f"{name}.{kind}" for kind in FORMATS]
    for path in paths:
        figure.savefig(path, dpi=150, bbox_inches="tight")
    return paths


__all__ = ["can_plot", "draw_figures", "write_plots"]
