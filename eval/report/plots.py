"""Plots of a run, as png and svg: every document's score by system, and a sweep's quality and cost (extra `plots`)."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from summq.eval.archive import PREDICTIONS, Cells, RunConfig, SweepAxis, read_config, read_outcomes
from summq.eval.report.fresh import with_fresh_exam
from summq.eval.report.results import Results, results_of, value_of
from summq.eval.report.tables import KNOWN, QUALITY, Column
from summq.eval.statistics import Estimate
from summq.programs.errors import ConfigError

FORMATS = ("png", "svg")
PANEL = (4.2, 3.4)  # inches
ACROSS = 3
SWEPT = ("rouge1", "rougeL", "bertscore_f1", "exam", "faithful", "cost", "calls")


def can_plot() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def write_plots(folder: Path) -> list[Path]:
    """Draw what lies in the folder of a run: `scores`, and `sweep` if it is one.

    Raises:
        ConfigError: matplotlib is not installed.
        DataError: The folder holds no run.
    """
    config, cells = read_config(folder), with_fresh_exam(read_outcomes(folder / PREDICTIONS))
    results = results_of(config, cells)
    written = _save(_scatter(config, results, cells), folder, "scores")
    if config.sweep:
        written += _save(_sweep(config.sweep, results), folder, "sweep")
    return written


def _scatter(config: RunConfig, results: Results, cells: Cells) -> Any:
    """One panel for each quality column: a dot for each document, a bar for the mean and its interval."""
    columns = _scored(QUALITY, results)
    names = list(results.systems)
    figure, panels = _grid(len(columns), width=max(PANEL[0], 0.5 * len(names)))
    for panel, column in zip(panels, columns, strict=False):
        for place, name in enumerate(names):
            values = [value_of(cells.get((name, row_id)), column.key) for row_id in config.ids]
            known = [column.factor * value for value in values if value is not None]
            panel.scatter([place] * len(known), known, s=8, alpha=0.4, color="tab:blue", linewidths=0)
            _bar(panel, place, results.systems[name][column.key], column)
        _label(panel, column, names)
    return figure


def _sweep(axis: SweepAxis, results: Results) -> Any:
    """One panel for each main column over the axis of the sweep."""
    columns = _scored([KNOWN[key] for key in SWEPT], results)
    points = [point for point in axis.points if point.system in results.systems]
    figure, panels = _grid(len(columns), width=PANEL[0])
    for panel, column in zip(panels, columns, strict=False):
        estimates = [results.systems[point.system][column.key] for point in points]
        means = [column.factor * e.mean if e.mean is not None else float("nan") for e in estimates]
        panel.plot(range(len(points)), means, color="tab:blue", linewidth=1)
        for place, estimate in enumerate(estimates):
            _bar(panel, place, estimate, column)
        _label(panel, column, [f"{point.x:g}" if isinstance(point.x, float) else point.x for point in points])
        panel.set_xlabel(axis.label)
    return figure


def _bar(panel: Any, place: int, estimate: Estimate, column: Column) -> None:
    if estimate.mean is None:
        return
    low = estimate.mean if estimate.low is None else estimate.low
    high = estimate.mean if estimate.high is None else estimate.high
    errors = [[column.factor * (estimate.mean - low)], [column.factor * (high - estimate.mean)]]
    panel.errorbar(place, column.factor * estimate.mean, yerr=errors, fmt="o", color="black", markersize=4, capsize=3)


def _label(panel: Any, column: Column, names: Sequence[str]) -> None:
    panel.set_title(column.heading, fontsize=10)
    panel.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
    panel.grid(axis="y", alpha=0.3)


def _scored(columns: Sequence[Column], results: Results) -> list[Column]:
    return [
        column
        for column in columns
        if all(column.key in estimates for estimates in results.systems.values())
        and any(estimates[column.key].n for estimates in results.systems.values())
    ]


def _grid(panels: int, width: float) -> tuple[Any, list[Any]]:
    if not can_plot():
        raise ConfigError("plots need matplotlib: pip install -e '.[plots]'")
    from matplotlib.figure import Figure

    across = min(ACROSS, max(1, panels))
    down = -(-max(1, panels) // across)
    figure = Figure(figsize=(width * across, PANEL[1] * down), layout="constrained")
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for unused in grid[panels:]:
        unused.set_axis_off()
    return figure, grid


def _save(figure: Any, folder: Path, name: str) -> list[Path]:
    paths = [folder / f"{name}.{kind}" for kind in FORMATS]
    for path in paths:
        figure.savefig(path, dpi=150)
    return paths


__all__ = ["can_plot", "write_plots"]
