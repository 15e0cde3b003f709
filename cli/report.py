"""`summq report`: the page of a run, made again from what lies in its folder."""

from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import stderr
from summq.cli.eval import draw
from summq.eval.archive import CONFIG
from summq.eval.report import write_report as write_tables
from summq.programs.errors import DataError
from summq.programs.runs.folder import RESULT
from summq.programs.runs.report import write_report as write_page


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run of `summq summarize` or `eval`.")],
) -> None:
    """Rebuild report.html of a run; of an evaluation also metrics.json, the tables and the plots, and print these."""
    if (run / CONFIG).exists():
        write_tables(run)
        draw(run, stderr())
        print((run / "table.md").read_text("utf-8"))
    elif (run / RESULT).exists():
        print(write_page(run))
    else:
        raise DataError(f"{run} holds no run; name the folder of a run of `summq eval` or `summq summarize`")


__all__ = ["report"]
