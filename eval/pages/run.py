"""`report.html` of an evaluation: tables to sort, differences, pictures, the summaries side by side, the judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from pydantic import ValidationError

from summq.eval.archive import RunConfig
from summq.eval.metrics import Column
from summq.eval.preference.verdicts import JudgeReport
from summq.eval.report.names import short_names, written_by_people
from summq.eval.report.notes import failure_lines, notes_on
from summq.eval.report.plots import MOST_DOTS, can_plot, draw_figures
from summq.eval.report.results import Run
from summq.eval.report.sheet import USE
from summq.programs.errors import DataError
from summq.programs.pages.page import picture, render
from summq.programs.runtime.files import write_text

REPORT = "report.html"
CAPTIONS = {
    "tradeoff": "Quality against what a document costs",
    "sweep": "Along the sweep, with 95 % intervals",
    "scores": f"Every document's score (dots; of many documents some {MOST_DOTS:,}), with means and 95 % intervals "
    "(bars, which may run beyond)",
}
SHOWN_AT_FIRST = 3


@dataclass(frozen=True)
class Table:
    """A table of the page: its heading, a line about it, its columns."""

    heading: str
    note: str
    columns: Sequence[Column]


def write_page(run: Run) -> Path:
    """Write the page of an evaluation into its folder; hands back its path.

    Raises:
        DataError: What a judge left in the folder can't be read.
        InputError: The page can't be written.
    """
    write_text(run.folder / REPORT, eval_page(run, read_judgements(run.folder)))
    return run.folder / REPORT


def eval_page(run: Run, judged: Sequence[JudgeReport] = ()) -> str:
    """The page as HTML."""
    config, results, remarks = run.config, run.results, run.sheet.remarks
    names = short_names(results.systems)
    tables = [
        Table("Quality", "Higher is better, but for contradicted and not found. Times 100.", results.quality),
        Table("Length and wording", "", results.neutral),
        Table("Calls, tokens, money, time", "For one document.", USE),
    ]
    return render(
        __package__,
        "run.html.jinja",
        script="run.js",
        data=documents_data(
            config.ids,
            {name: (system, run) for system, name in names.items()},
            results.main,
            _first_shown(config, names),
        ),
        title=f"{config.data}, {config.split}",
        kicker=f"SummQ {config.version}, evaluation, backbone {config.backbone}",
        config=config,
        ids=config.ids,
        most_shown=MOST_SHOWN,
        results=results,
        names=names,
        tables=tables,
        best={column.key: results.best(column, written_by_people(config)) for column in results.quality},
        pictures=pictures_of(run),
        captions=CAPTIONS,
        can_plot=can_plot(),
        notes=notes_on(config, remarks),
        failures=failure_lines(remarks)[1:],
        judged=judged,
    )


def _first_shown(config: RunConfig, names: Mapping[str, str]) -> list[str]:
    """The systems whose summaries are shown at first: the focus and the first others."""
    ordered = [names[config.focus]] if config.focus in names else []
    return [*ordered, *(name for name in names.values() if name not in ordered)][:SHOWN_AT_FIRST]


def pictures_of(run: Run) -> dict[str, str]:
    """The plots as images by their names; none without matplotlib."""
    figures = draw_figures(run) if can_plot() else {}
    return {name: picture(figures[name]) for name in CAPTIONS if name in figures}


def read_judgements(folder: Path) -> list[JudgeReport]:
    """What `--judge` and `summq judge --out` left in folders of the run. Raises DataError for a damaged one."""
    reports = []
    for path in sorted(folder.glob("*/judge.json")):
        try:
            reports.append(JudgeReport.model_validate_json(path.read_text("utf-8")))
        except (OSError, ValidationError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: not the result of a judge; remove it or judge again") from error
    return reports


MOST_SHOWN = 500
"""Of more documents the first so many are on the page; the files of the run have all."""


def documents_data(
    ids: Sequence[str], columns: Mapping[str, tuple[str, Run]], scores: Sequence[Column], shown: Sequence[str]
) -> object:
    """For each of the first documents what each column of the page shows.

    Args:
        columns: The name of each column, with the system and the evaluation that it shows.
        scores: The scores that stand beside each summary.
        shown: The names of the columns that are shown at first.
    """
    names, ids = list(columns), list(ids[:MOST_SHOWN])
    entries = [_entries(run, system, ids, scores) for system, run in columns.values()]
    return {
        "ids": ids,
        "systems": names,
        "shown": [names.index(name) for name in shown],
        "cells": [list(row) for row in zip(*entries, strict=True)],
    }


def _entries(run: Run, system: str, ids: Sequence[str], columns: Sequence[Column]) -> list[object]:
    """Each summary with its scores as they are printed, or why there is none; None if it was not run."""
    values = {column.heading: run.sheet.values_of(system, column.key, ids) for column in columns}
    shown = {column.heading: column for column in columns}

    def entry(place: int, row_id: str) -> object:
        if (system, row_id) not in run.cells:
            return None
        outcome = run.cells[system, row_id]
        known = {heading: column[place] for heading, column in values.items() if not isnan(column[place])}
        scores = {heading: shown[heading].number(value) for heading, value in known.items()}
        return {"summary": outcome.summary, "error": outcome.error, "scores": scores}

    return [entry(place, row_id) for place, row_id in enumerate(ids)]


__all__ = ["MOST_SHOWN", "REPORT", "documents_data", "eval_page", "read_judgements", "write_page"]
