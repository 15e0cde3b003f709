"""`summq metric`: learn a metric of summaries, and show what it has learned."""

from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import notes_on, print_text, print_usage, say, stderr
from summq.cli.options import (
    BackboneSpec,
    Concurrency,
    ConfigFile,
    DataSpec,
    MaxCalls,
    MaxCost,
    Progress,
    RoleSpecs,
    listed,
    with_data_options,
)
from summq.cli.progress import ProgressMode, watching
from summq.eval.data import DataOptions
from summq.eval.metrics.examinee import ExamineeMetric, described
from summq.optimizers.learned_metric import MetricPlan, learn_metric
from summq.programs.settings import Settings, parse_roles


@with_data_options
def learn(
    data: DataSpec,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the metric.")],
    judgements: Annotated[
        Path | None,
        typer.Option(metavar="F.jsonl", help="Summaries that people have judged; the references decide if not given."),
    ] = None,
    references: Annotated[
        bool, typer.Option("--references", help="Learn a metric that compares summaries with references, too.")
    ] = False,
    exam: Annotated[
        bool, typer.Option("--exam", help="Let every summary take a quiz: needs a backbone that reads, costs calls.")
    ] = False,
    split: Annotated[str, typer.Option(help="The split to learn from.")] = "train",
    held_out: Annotated[str, typer.Option(metavar="A,B", help="Splits on which the gates are run.")] = "dev",
    backbone: BackboneSpec = None,
    role: RoleSpecs = None,
    seed: Annotated[int, typer.Option(help="Of damages, quizzes and intervals.")] = 0,
    config: ConfigFile = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    progress: Progress = ProgressMode.auto,
    *,
    options: DataOptions,
) -> None:
    """Learn to order summaries as people do, or as references do.

    Drafts of the backbone and human summaries are damaged in ways that nobody wants (word salad, changed facts,
    padding ...); a metric must score these lower. How well it does on held-out documents is part of the metric, and one
    that fails says so whenever it is loaded. The same command again goes on where it was interrupted.
    """
    settings = Settings.resolve(
        config,
        backbone=backbone,
        roles=parse_roles(role or []),
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
    )
    train = options.request(data, split).load()
    plan = MetricPlan(
        name=f"{train.name} {split}",
        train=train.rows,
        held_out={
            f"{train.name} {name}": options.request(data, name).load().rows for name in listed(held_out, "--held-out")
        },
        folder=out / "kept",
        judgements=judgements,
        references=references,
        exam=exam,
        questions=settings.config.questions,
        seed=seed,
    )
    console = stderr()
    with watching(console, progress, notes_on(settings.backbone)), settings.session() as session:
        metric = learn_metric(plan, say)
    print_usage(session.meter.usage(), console)
    metric.save(out)
    print_text(described(metric.learned))


def show(
    metric: Annotated[
        Path, typer.Argument(metavar="DIR", help="A learned metric, or shipped, or shipped-with-references.")
    ],
) -> None:
    """Show what a metric weighs and how much, how well it agrees with what it was fitted to, and its gates."""
    print_text(described(ExamineeMetric.load(metric).learned))


__all__ = ["learn", "show"]
