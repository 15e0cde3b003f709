"""`summq eval`: systems on the rows of a data set, with intervals, tests and cost."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from summq.cli.commands.judge import judged
from summq.cli.console import notes_on, say, show_markdown, stderr, usage_table
from summq.cli.dry_run import show_plan
from summq.cli.options import (
    Address,
    BackboneSpec,
    BatchFlag,
    Concurrency,
    ConfigFile,
    EngineName,
    MaxCalls,
    MaxCost,
    Progress,
    RoleSpecs,
    ShardSpec,
    Workers,
    listed,
    with_data_options,
)
from summq.cli.progress import ProgressMode, count_of, short_documents_told, watching
from summq.eval.archive import References
from summq.eval.data import DataOptions, DataRequest
from summq.eval.metrics import METRICS
from summq.eval.pages.run import REPORT, write_page
from summq.eval.preference import CRITERIA
from summq.eval.report.against import against_page
from summq.eval.report.gates import Gates, failed_gates, parse_gates
from summq.eval.report.notes import short_line
from summq.eval.report.plots import can_plot, write_plots
from summq.eval.report.published import data_of
from summq.eval.report.results import Run
from summq.eval.run.batching import evaluate_in_batches
from summq.eval.run.request import USUAL_METRICS, USUAL_SYSTEMS, EvalRequest
from summq.eval.run.runner import evaluate
from summq.programs.errors import ConfigError
from summq.programs.runs.jobs import distinct
from summq.programs.runtime.engines import Engine, open_engine
from summq.programs.settings import Settings, parse_questions, parse_roles

REFERENCE = "reference"


@with_data_options
def eval_command(
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="mensa, booksum, govreport, hub:ID, a file or folder; may be repeated."),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="train, dev or test; test if not given, all of a single file.")
    ] = None,
    systems: Annotated[str | None, typer.Option(metavar="A,B", help=f"Usually {', '.join(USUAL_SYSTEMS)}.")] = None,
    metrics: Annotated[
        str, typer.Option(metavar="A,B", help=f"Of {', '.join(METRICS)}.", show_default=", ".join(USUAL_METRICS))
    ] = ",".join(USUAL_METRICS),
    words: Annotated[
        str | None, typer.Option(metavar="N|reference", help="Length of every summary; or that of each reference.")
    ] = None,
    references: Annotated[References, typer.Option(help="Which references of a row count.")] = "all",
    sweep: Annotated[
        str | None, typer.Option(help="quiz, component, iterations, agents, backbones or questions.")
    ] = None,
    sweep_base: Annotated[str, typer.Option(metavar="SYSTEM", help="What a sweep varies.")] = "summq-combo",
    backbones: Annotated[str | None, typer.Option(metavar="A,B", help="Those of the sweep over backbones.")] = None,
    paper: Annotated[
        str | None, typer.Option(help="mensa, booksum or govreport: show published rows beside measured ones.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Also let this backbone judge the focus against each other.")
    ] = None,
    focus: Annotated[str | None, typer.Option(metavar="SYSTEM", help="The one to compare the others with.")] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="RUN", help="An earlier run: print what changed, paired, and what got worse.")
    ] = None,
    fail_under: Annotated[
        str | None,
        typer.Option(metavar="COLUMN=N,...", help="Exit with 1 where a mean is under N, 0 to 1: exam=0.6,rouge1=0.3."),
    ] = None,
    backbone: BackboneSpec = None,
    role: RoleSpecs = None,
    scorer: Annotated[str | None, typer.Option(metavar="SPEC", help="A backbone for the metrics alone.")] = None,
    questions: Annotated[
        str | None, typer.Option(metavar="M/T/S", help="Of the exam: multiple choice, true/false, short answer.")
    ] = None,
    quizzes: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where quizzes are kept; the run's folder.")
    ] = None,
    encoder: Annotated[str | None, typer.Option(metavar="MODEL", help="Of BERTScore: a name or folder.")] = None,
    learned: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The metric examinee, learned for a domain; or shipped.")
    ] = None,
    encoder_layer: Annotated[int | None, typer.Option(help="Its layer, where bert-score knows of none.")] = None,
    seed: Annotated[int, typer.Option(help="Of quizzes, intervals and tests.")] = 0,
    config: ConfigFile = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    shard: ShardSpec = None,
    batch: BatchFlag = False,
    engine: EngineName = "local",
    address: Address = None,
    workers: Workers = None,
    progress: Progress = ProgressMode.auto,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the rows and what each system would take, and make no call.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the run; runs/eval-NAME-SPLIT.")] = None,
    *,
    options: DataOptions,
) -> None:
    """Run systems on a data set and measure what they write.

    The report goes to stdout and, with every number, into the folder of the run. The same command again continues where
    it was interrupted; with other systems or metrics it adds them, and runs no system again. With --fail-under the
    exit status is 1 where a mean of the focus, over the documents that it has, is under its gate, and always where a
    document has no summary.
    """
    settings = Settings.resolve(
        config,
        backbone=backbone,
        roles=parse_roles(role or []),
        target_words=parse_words(words),
        questions=parse_questions(questions) if questions else None,
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
    )
    specs = data or ([data_of(paper)] if paper else [])
    if not specs:
        raise ConfigError("no data set is named: give --data SPEC or --paper NAME")
    request = EvalRequest(
        data=options.request(specs[0], split),
        told_length=words is not None or "target_words" in settings.config.model_fields_set,
        systems=listed(systems, "--systems"),
        metrics=listed(metrics, "--metrics"),
        reference_length=words == REFERENCE,
        references=references,
        sweep=sweep,
        sweep_base=sweep_base,
        backbones=listed(backbones, "--backbones"),
        paper=paper,
        focus=focus,
        scorer=scorer,
        quizzes=quizzes,
        encoder=encoder,
        encoder_layer=encoder_layer,
        learned=learned,
        seed=seed,
        shard=shard,
    )
    gates = parse_gates(fail_under or "", measured_columns(request.metrics))
    earlier = Run.read(against) if against else None
    missed: list[str] = []
    requests = [options.request(spec, split) for spec in specs]
    if batch and (engine != "local" or workers):
        raise ConfigError("--batch sends all calls from one process: leave out --engine and --workers")
    with open_engine(engine, address, workers) as opened:
        for each, folder in zip(requests, folders_of(requests, out, shard), strict=True):
            one = request.model_copy(update={"data": each})
            if dry_run:
                show_plan(one, folder, settings)
                continue
            done = run(one, settings, folder, progress, opened, batch=batch)
            if earlier:
                show_markdown(against_page(earlier, done))
            if judge:
                judge_focus(done, settings.model_copy(update={"backbone": judge}), batch=batch)
            missed += [*failures(done), *missed_gates(done, gates)]
    for line in missed:
        say(f"summq: {line}")
    if missed:
        raise typer.Exit(1)


def measured_columns(metrics: list[str]) -> list[str]:
    """The keys of the columns of these metrics."""
    return [column.key for name in metrics if name in METRICS for column in METRICS[name].columns]


def failures(done: Run) -> list[str]:
    """A line if systems of the run have documents without a summary."""
    told = ", ".join(f"{name} on {number}" for name, number in done.results.failures.items() if number)
    return [f"{done.folder}: no summary by {told}; the same command tries these again"] if told else []


def missed_gates(done: Run, gates: Gates) -> list[str]:
    """A line for each gate that the focus of the run misses."""
    focus = done.config.focus
    means = {key: estimate.mean for key, estimate in done.results.systems.get(focus, {}).items()}
    return [f"{done.folder}, {focus}: {line}" for line in failed_gates(gates, means, done.results.columns)]


def run(
    request: EvalRequest,
    settings: Settings,
    out: Path,
    progress: ProgressMode,
    engine: Engine,
    *,
    batch: bool = False,
) -> Run:
    """Evaluate in a session of its own, with progress on stderr; print the report."""
    console = stderr()
    plan = request.plan(settings, out)
    short = short_line(plan.config())
    notes = notes_on(settings.backbone)
    try:
        with short_documents_told(), watching(console, progress, notes) as watch, settings.session() as session:
            if short:
                say(short)
            if batch:
                evaluate_in_batches(plan, out, settings, lambda now: watch.count(count_of(now)), say)
            else:
                evaluate(plan, out, lambda now: watch.count(count_of(now)), engine=engine, session=settings.session)
    except KeyboardInterrupt:
        if (out / "table.md").exists():
            say(f"so far: see {write_page(Run.read(out))}")
        raise
    console.print(usage_table(session.meter.usage()))
    done = Run.read(out)
    draw(done, console)
    show_markdown((out / "table.md").read_text("utf-8"))
    say(f"see {out / REPORT}")
    return done


def judge_focus(done: Run, settings: Settings, *, batch: bool = False) -> None:
    """Judge the focus of a run against every other system in it; print the reports, add them to the page."""
    config, folder = done.config, done.folder
    for number, other in enumerate((name for name in config.systems if name != config.focus), 1):
        systems = f"{folder}:{config.focus}", f"{folder}:{other}"
        to = folder / f"judge-{number}"
        show_markdown(judged(*systems, CRITERIA, settings, to, seed=config.seed, batch=batch))
    write_page(done)


def draw(done: Run, console: Console) -> None:
    """The page, and plots where matplotlib is there, else a line that says how to have them."""
    say("drawing the page and the plots")
    write_page(done)
    if can_plot():
        write_plots(done)
    else:
        console.print("no plots: pip install -e '.[plots]', then summq report")


def parse_words(words: str | None) -> int | None:
    """The number, None for no number or the length of references. Raises `ConfigError` for anything else."""
    if words in (None, REFERENCE):
        return None
    if not words.isdecimal():
        raise ConfigError(f"--words {words!r}: write a number, or reference for the length of each row's reference")
    return int(words)


def folders_of(requests: Sequence[DataRequest], out: Path | None, shard: str | None = None) -> list[Path]:
    """`out` for one data set, `out/reports` for each of several.

    It is `runs/eval-reports-dev` if not given, with `-2-of-4` for a shard.
    """
    names = distinct([Path(request.data.replace(":", "-")).stem for request in requests])
    if out is None:
        part = f"-{shard.replace('/', '-of-')}" if shard else ""
        return [
            Path("runs") / f"eval-{name}-{request.split_read}{part}"
            for name, request in zip(names, requests, strict=True)
        ]
    return [out] if len(names) == 1 else [out / name for name in names]


__all__ = ["draw", "eval_command"]
