"""`report.html` of an evaluation: tables to sort, differences, pictures, the summaries side by side, the judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from summq.eval.archive import RunConfig
from summq.eval.metrics import Column
from summq.eval.pages.documents import MOST_SHOWN, documents_data
from summq.eval.preference.verdicts import JudgeReport
from summq.eval.report.names import short_names
from summq.eval.report.notes import failure_lines, notes_on
from summq.eval.report.plots import MOST_DOTS, can_plot, draw_figures
from summq.eval.report.results import Results, Run
from summq.eval.report.sheet import USE
from summq.programs.errors import DataError
from summq.programs.pages.page import render
from summq.programs.pages.pictures import picture
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
            results.quality,
            _shown(config, names),
        ),
        title=f"{config.data}, {config.split}",
        kicker=f"SummQ {config.version}, evaluation, backbone {config.backbone}",
        config=config,
        ids=config.ids,
        most_shown=MOST_SHOWN,
        results=results,
        names=names,
        tables=tables,
        best={column.key: best_of(results, column) for table in tables[:1] for column in table.columns},
        columns={column.key: column for column in results.columns},
        pictures=pictures_of(run),
        captions=CAPTIONS,
        can_plot=can_plot(),
        notes=notes_on(config, remarks),
        failures=failure_lines(remarks)[1:],
        judged=judged,
    )


def _shown(config: RunConfig, names: Mapping[str, str]) -> list[str]:
    """The systems whose summaries are shown at first: the focus and the first others."""
    ordered = [names[config.focus]] if config.focus in names else []
    return [*ordered, *(name for name in names.values() if name not in ordered)][:SHOWN_AT_FIRST]


def best_of(results: Results, column: Column) -> float | None:
    """The best mean of a quality column."""
    means = [e[column.key].mean for e in results.systems.values() if column.key in e]
    known = [mean for mean in means if mean is not None]
    return (min if column.better == "lower" else max)(known, default=None)


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


__all__ = ["REPORT", "best_of", "eval_page", "read_judgements", "write_page"]
