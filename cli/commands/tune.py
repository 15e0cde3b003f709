"""`summq tune`: search for the structure of SummQ that is worth its calls."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from summq.cli.commands.compile import remarks_on
from summq.cli.console import notes_on, print_text, say, show_markdown, stderr
from summq.cli.options import (
    Address,
    Concurrency,
    ConfigFile,
    DataSpec,
    EngineName,
    MaxCalls,
    MaxCost,
    Progress,
    QuestionMix,
    RoleSpecs,
    Workers,
    with_data_options,
)
from summq.cli.progress import ProgressMode, short_documents_told, watching
from summq.cli.waiting import waiting_for
from summq.eval.data import DataOptions, Dataset
from summq.eval.metrics import MetricOptions
from summq.optimizers.tuning.choice import Finals, number_of, selection_table, split_rows
from summq.optimizers.tuning.objectives import DEFAULT_QUALITY, Quality, parse_objectives
from summq.optimizers.tuning.page import write_study
from summq.optimizers.tuning.selection import find_trial, write_selection
from summq.optimizers.tuning.space import Params, Space
from summq.optimizers.tuning.tune import Tuning, tune
from summq.programs.config import read_config
from summq.programs.errors import ConfigError
from summq.programs.runtime.engines import open_engine
from summq.programs.runtime.files import make_folder, sole_user, write_model, write_text
from summq.programs.runtime.progress import Count, RunWatch
from summq.programs.settings import Settings, parse_questions, parse_roles

AUTO = "auto"


@with_data_options
def tune_command(
    data: DataSpec,
    trials: Annotated[int, typer.Option(min=1, help="Trials that the study comes to, earlier ones included.")] = 40,
    objectives: Annotated[
        str, typer.Option(metavar="A,B", help="quality; quality,calls; or quality,cost.")
    ] = "quality,calls",
    quality: Annotated[
        str, typer.Option(metavar="COLUMN=WEIGHT,...", help="What quality is: columns of metrics.")
    ] = DEFAULT_QUALITY,
    learned: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The learned metric behind the column examinee; or shipped.")
    ] = None,
    space: Annotated[
        Path | None, typer.Option(metavar="F.toml", help="What may vary, and between which bounds.")
    ] = None,
    storage: Annotated[
        str | None, typer.Option(metavar="URL", help="Database of the study; a SQLite file in the folder if not given.")
    ] = None,
    name: Annotated[str, typer.Option(help="Of the study in its storage.")] = "summq",
    engine: EngineName = "local",
    address: Address = None,
    workers: Workers = None,
    choose_trial: Annotated[
        str | None,
        typer.Option(
            "--choose",
            metavar="auto|N",
            help="Write a configuration as chosen.toml: a trial's, or what is better than SOLO on fresh rows.",
        ),
    ] = None,
    within: Annotated[
        float, typer.Option(help="auto takes the cheapest that is no more than this below the best.")
    ] = 0.01,
    rollouts: Annotated[int, typer.Option(min=1, help="How often auto runs each fresh row.")] = 2,
    split: Annotated[str, typer.Option(help="The split for trials and, other rows of it, for the choice.")] = "train",
    trial_rows: Annotated[
        int | None,
        typer.Option(min=1, help="How many rows trials run on; the others are for the choice. Half if not given."),
    ] = None,
    held_out: Annotated[str, typer.Option(help="The split for the last score, which nothing is chosen by.")] = "dev",
    backbone: Annotated[
        str | None, typer.Option(metavar="SPEC", help="The language model, for instance openai/gpt-4o.")
    ] = None,
    role: RoleSpecs = None,
    words: Annotated[int | None, typer.Option(help="Length of the summary.")] = None,
    questions: QuestionMix = None,
    config: ConfigFile = None,
    seed: Annotated[int, typer.Option(help="Of the search.")] = 0,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    concurrency: Concurrency = None,
    progress: Progress = ProgressMode.auto,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the study, its plots and the choice.")] = Path(
        "runs/tune"
    ),
    *,
    options: DataOptions,
) -> None:
    """Search for the best structure: how many agents, iterations, rounds of debate and questions.

    The same command again goes on where it was interrupted; with more trials it adds them. Several machines share a
    study through one storage.
    """
    settings = Settings.resolve(
        config,
        backbone=backbone,
        roles=parse_roles(role or []),
        target_words=words,
        questions=parse_questions(questions) if questions else None,
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
    )
    wanted = parse_objectives(objectives)
    measure = Quality(quality, MetricOptions(quizzes=out / "quizzes", learned=learned))
    measure.require_columns()
    varied = Space.read(read_config(space) if space else {})
    varied.require_prompts()
    rows = options.request(data, split).load()
    studied, fresh = split_rows(rows.rows, trial_rows)
    auto = choose_trial == AUTO
    unseen = options.request(data, held_out).load() if auto else None
    if auto and not fresh:
        raise ConfigError(f"--choose auto: no row is left to choose by: {len(studied)} of {len(rows)} are for trials")
    tuning = Tuning(
        name=name,
        storage=storage or f"sqlite:///{make_folder(out) / 'study.db'}",
        space=varied,
        rows=tuple(studied),
        data_hash=Dataset(rows.name, split, tuple(studied)).data_hash,
        settings=settings,
        objectives=wanted,
        quality=measure,
        trials=trials,
        seed=seed,
    )
    remarks = [line for each in (rows, unseen) if each for line in remarks_on(each, settings.config.target_words)]
    notes = [*notes_on(settings.backbone), *remarks]
    chosen: tuple[str, Params] | None = None
    with (
        short_documents_told(),
        open_engine(engine, address, workers) as opened,
        watching(stderr(), progress, notes) as watch,
    ):
        watch.count(Count(tuning.finished(), tuning.trials, "trials"))
        study = tune(tuning, partial(report_trial, watch), opened)
        if unseen:
            chosen = select(study, Finals(tuning, fresh, unseen.rows, rollouts, within, say), out)
    if choose_trial and not auto:
        chosen = f"trial {choose_trial}", find_trial(study, choose_trial).params
    show(study, make_folder(out), number_of(study, chosen[1]) if chosen else None)
    if chosen:
        path = write_selection(chosen[1], f"{chosen[0]} of the study {name}", tuning, out)
        print_text(f"chosen: {chosen[0]}, written to {path}: use it with --config {path}")


def select(study: Any, finals: Finals, out: Path) -> tuple[str, Params]:
    """Choose on fresh rows, say what came of it, and keep that; returns the name and parameters of what was chosen."""
    with sole_user(make_folder(out) / ".choice.lock", f"the choice in {out}"):  # trials are shared out by the study
        selection = finals.choose(study)
    table = selection_table(selection, finals.tuning.objectives)
    write_text(out / "choice.md", table)
    write_model(out / "choice.json", selection)
    show_markdown(table)
    return selection.chosen, selection.params


def report_trial(watch: RunWatch, line: str) -> None:
    """Say what came of a trial, and count it."""
    say(line)
    watch.advance()


def show(study: Any, folder: Path, chosen: int | None) -> None:
    """Print the front and what matters; keep them, the plots and the page in the folder."""
    with waiting_for("drawing the page and the plots"):
        table = write_study(study, folder, chosen)
    show_markdown(table)
    say(f"see {folder / 'report.html'}")


__all__ = ["tune_command"]
