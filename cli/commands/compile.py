"""`summq compile`: learn the prompts of roles from a training split, for one or several backbones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import notes_on, say, show_markdown, stderr, usage_table
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
    listed,
    with_data_options,
)
from summq.cli.progress import ProgressMode, short_documents_told, watching
from summq.eval.data import DataOptions, Dataset
from summq.eval.metrics.examinee import ExamineeMetric
from summq.optimizers.compiling.artifacts import DIFF
from summq.optimizers.compiling.campaign import CROSS, Campaign
from summq.optimizers.compiling.end_to_end import likeness, tasks_of
from summq.optimizers.compiling.inputs import CompileConfig, CompileData
from summq.optimizers.compiling.registry import OPTIMIZERS
from summq.programs.craft import is_short
from summq.programs.runtime.engines import open_engine
from summq.programs.settings import Settings, parse_questions, parse_roles


@with_data_options
def compile_command(
    data: DataSpec,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the compiled program.")],
    optimizer: Annotated[str, typer.Option(help=f"One of {', '.join(OPTIMIZERS)}.")] = "gepa",
    roles: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Roles to compile, or program for all at once; each role by itself if not given."
        ),
    ] = None,
    backbone: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="Compile for this language model; may be repeated.")
    ] = None,
    prompt_model: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Who writes instructions; the backbone itself if not given.")
    ] = None,
    learned: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Score whole programs by this learned metric, or shipped; else by references."
        ),
    ] = None,
    metric_calls: Annotated[
        int, typer.Option(min=1, help="Scored runs that each role may take to learn, in each fold.")
    ] = 200,
    rollouts: Annotated[int, typer.Option(min=1, help="How often each held-out example is run, before and after.")] = 2,
    folds: Annotated[
        int,
        typer.Option(
            min=1,
            help="Parts of all rows, each scored with prompts learned from the others; 1: learn from --split, score on "
            "--held-out.",
        ),
    ] = 2,
    program_rows: Annotated[
        int, typer.Option(min=1, help="Held-out rows, at most, on which the whole program is run before and after.")
    ] = 24,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    split: Annotated[str, typer.Option(help="The rows to learn from.")] = "train",
    held_out: Annotated[str, typer.Option(help="The split with further rows, to measure on.")] = "dev",
    role: RoleSpecs = None,
    preset: Annotated[str | None, typer.Option(help="solo, combo (three agents each; usual here) or combo_r.")] = None,
    program: Annotated[Path | None, typer.Option(metavar="DIR", help="A compiled program to start from.")] = None,
    words: Annotated[int | None, typer.Option(help="Length of the summary.")] = None,
    questions: QuestionMix = None,
    config: ConfigFile = None,
    install_anyway: Annotated[
        bool, typer.Option("--install-anyway", help="Take the compiled prompts even where they are not better.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the examples, the optimizer and the intervals.")] = 0,
    concurrency: Concurrency = None,
    engine: EngineName = "local",
    address: Address = None,
    workers: Workers = None,
    progress: Progress = ProgressMode.auto,
    *,
    options: DataOptions,
) -> None:
    """Compile the prompts of roles on a training split, and measure them on held-out rows.

    What the optimizer may use is said before it starts, and what came of it afterwards. The same command again goes on
    where it was interrupted; finished calls are not paid again.
    """
    settings = Settings.resolve(
        config,
        roles=parse_roles(role or []),
        usual_preset="combo",
        preset=preset,
        program=program,
        target_words=words,
        questions=parse_questions(questions) if questions else None,
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
    )
    words = settings.config.target_words
    compiling = CompileConfig(
        optimizer=optimizer,
        metric_calls=metric_calls,
        seed=seed,
        threads=settings.concurrency,
        install_anyway=install_anyway,
        rollouts=rollouts,
        folds=folds,
        program_rows=program_rows,
    )
    wanted = listed(roles, "--roles")
    tasks_of(settings.summq(), wanted)  # an unknown role is told before the data are read
    train, measured = (options.request(data, name).load() for name in (split, held_out))
    with open_engine(engine, address, workers) as opened:
        campaign = Campaign(
            settings=settings,
            backbones=backbone or [settings.backbone],
            prompt_model=prompt_model,
            roles=wanted,
            rows=CompileData.of(data, train=train.rows, held_out=measured.rows, folds=folds),
            config=compiling,
            folder=out,
            report=say,
            whole=ExamineeMetric.load(learned, out / "quizzes") if learned else likeness,
            engine=opened,
        )
        run(campaign, progress, [*remarks_on(train, words), *remarks_on(measured, words)])


def run(campaign: Campaign, progress: ProgressMode, remarks: Sequence[str]) -> None:
    """Compile, with what is said about it and the rows on stderr; print the changes of the prompts."""
    console = stderr()
    notes = [*notes_on(*campaign.backbones), *remarks]
    try:
        with short_documents_told(), watching(console, progress, notes) as campaign.watch:
            folders = campaign.run()
    finally:
        for usage in campaign.spent:
            console.print(usage_table(usage))
    for folder in folders.values():
        show_markdown((folder / DIFF).read_text("utf-8"))
    if len(folders) > 1:
        show_markdown((campaign.folder / CROSS).read_text("utf-8"))


def remarks_on(dataset: Dataset, words: int) -> list[str]:
    """Lines on which rows were left out, and how many are no longer than a summary of so many words."""
    where = f"{dataset.name} {dataset.split}"
    remarks = [f"{where}: left out {count} with {reason}" for reason, count in dataset.dropped.items()]
    if short := sum(is_short(row.document, words) for row in dataset):
        what = f"{short} of {len(dataset)} documents have no more than the {words} words of a summary (--words)"
        remarks.append(f"{where}: {what}")
    return remarks


__all__ = ["compile_command"]
