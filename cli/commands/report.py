"""`summq report`: the page of a run, made again from what lies in its folder."""

from pathlib import Path
from typing import Annotated

import typer

from summq.cli.commands.eval import draw
from summq.cli.console import print_text, say, show_markdown, stderr
from summq.cli.options import listed
from summq.cli.waiting import waiting_for
from summq.eval.archive import CONFIG
from summq.eval.pages.compared import write_compared
from summq.eval.report import write_tables
from summq.eval.report.results import Run
from summq.eval.run.merging import is_shard, merge_shards
from summq.optimizers.tuning.page import kept_choice, write_study
from summq.optimizers.tuning.study import read_study
from summq.programs.errors import DataError
from summq.programs.runs.folder import RESULT
from summq.programs.runs.report import write_report as write_page

STUDY = "study.db"


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder that `summq summarize`, `eval` or `tune` left.")
    ],
    others: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN_B | SHARD...]",
            help="Another evaluation, to be compared with the first; or the shards of one, to be joined into RUN.",
        ),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B", help="Those of table.tex, as in metrics.json: rouge1,exam.")
    ] = None,
) -> None:
    """Rebuild report.html of a run; of an evaluation also metrics.json, tables and plots; of a study front and plots.

    With two evaluations: write compared.html into the folder of the second. With the shards of an evaluation, which
    `summq eval --shard` left: join them in the new folder RUN, as if one run had made it.
    """
    if others and (len(others) > 1 or is_shard(others[0])):
        merge_shards(others, run)
    elif others:
        print_text(str(write_compared(run, others[0])))
        return
    if (run / CONFIG).exists():
        draw(write_tables(Run.read(run), listed(columns, "--columns")), stderr())
        show_markdown((run / "table.md").read_text("utf-8"))
    elif (run / RESULT).exists():
        print_text(str(write_page(run)))
    elif (run / STUDY).exists():
        study = read_study(run / STUDY)
        with waiting_for("drawing the page and the plots"):
            table = write_study(study, run, kept_choice(study, run))
        show_markdown(table)
        say(f"see {run / 'report.html'}")
    else:
        raise DataError(f"{run} holds no run; name the folder of a run of `summq eval`, `tune` or `summarize`")


__all__ = ["report"]
