"""`summq report`: the tables and plots of an evaluation, made again from what lies in its folder."""

from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import stderr
from summq.cli.eval import draw
from summq.eval.report import write_report


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run of `summq eval`.")],
) -> None:
    """Rebuild metrics.json, the tables (md, csv, tex) and the plots of an evaluation, and print the report."""
    write_report(run)
    draw(run, stderr())
    print((run / "table.md").read_text("utf-8"))


__all__ = ["report"]
