"""The report of a run, made from its folder: `metrics.json`, `table.md`, `table.csv` and `table.tex`."""

from collections.abc import Sequence
from pathlib import Path

from summq.eval.report.latex import latex_table
from summq.eval.report.published import beside_published
from summq.eval.report.results import Results, Run
from summq.eval.report.tables import csv_table, markdown_report
from summq.programs.runtime.files import write_model, write_text


def write_report(folder: Path, columns: Sequence[str] = ()) -> Results:
    """Rebuild the tables of a run, and hand back its results.

    Args:
        columns: Those of `table.tex`; the main ones if not given.

    Raises:
        DataError: The folder holds no run, or a line of it can't be read.
        ConfigError: A column that was not scored.
    """
    return write_tables(Run.read(folder), columns).results


def write_tables(run: Run, columns: Sequence[str] = ()) -> Run:
    """Like `write_report`, of a run that was read already, which is handed back."""
    config, results, folder = run.config, run.results, run.folder
    write_model(folder / "metrics.json", results)
    published = f"\n{beside_published(config.paper, results, config.sweep)}\n" if config.paper else ""
    write_text(folder / "table.md", markdown_report(config, results, run.sheet.remarks) + published)
    write_text(folder / "table.csv", csv_table(results))
    write_text(folder / "table.tex", latex_table(config, results, columns))
    return run


__all__ = ["write_report", "write_tables"]
