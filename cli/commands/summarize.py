"""`summq summarize`: documents in, examined summaries out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from summq.cli.commands.text import tell_unread
from summq.cli.console import ending, notes_on, print_json, print_usage, say, show_result, stderr, stdout
from summq.cli.dry_run import show_forecasts, spanned
from summq.cli.options import (
    Address,
    BackboneSpec,
    Concurrency,
    ConfigFile,
    EngineName,
    MaxCalls,
    MaxCost,
    Progress,
    QuestionMix,
    RoleSpecs,
    ShardSpec,
    Workers,
)
from summq.cli.progress import ProgressMode, watching
from summq.eval.metrics.examinee import ExamineeMetric
from summq.programs.config import DEFAULT_PRESET, SummQConfig
from summq.programs.craft import length_issues
from summq.programs.documents import Loaded, files_in, folders_in, id_of, read_documents
from summq.programs.errors import BudgetSpent, ConfigError, SummQError
from summq.programs.expected_calls import Calls
from summq.programs.forecast import RunForecast, forecast
from summq.programs.runs.folder import REPORT, RunFolder
from summq.programs.runs.jobs import Job, job_folders, request_for, run_jobs, shortage_of
from summq.programs.runs.shards import Shard
from summq.programs.runtime.engines import Engine, open_engine
from summq.programs.runtime.progress import Count
from summq.programs.settings import Settings, parse_questions, parse_roles
from summq.programs.summq import SummQ
from summq.programs.text.words import count_words, numbered
from summq.signatures import Document, SummQResult

DEFAULTS = SummQConfig()


def summarize(
    documents: Annotated[
        list[str],
        typer.Argument(
            metavar="DOC...", help="Files (txt, md, html, pdf, docx, odt, rtf, epub), folders of them, or - for stdin."
        ),
    ],
    backbone: BackboneSpec = None,
    role: RoleSpecs = None,
    preset: Annotated[
        str | None, typer.Option(help=f"solo, combo (three agents each) or combo_r; {DEFAULT_PRESET} by default.")
    ] = None,
    paper_faithful: Annotated[
        bool, typer.Option("--paper-faithful", help="Save no call and take the paper's reading throughout.")
    ] = False,
    economy: Annotated[
        bool,
        typer.Option("--economy", help="Also leave out what may change the outcome; see README."),
    ] = False,
    config: ConfigFile = None,
    program: Annotated[Path | None, typer.Option(metavar="DIR", help="A compiled program.")] = None,
    words: Annotated[
        int | None, typer.Option(help=f"Length of the summary; {DEFAULTS.target_words} by default.")
    ] = None,
    questions: QuestionMix = None,
    iterations: Annotated[
        int | None,
        typer.Option(help=f"Rounds of drafting and review at most; {DEFAULTS.max_iterations} by default."),
    ] = None,
    returned: Annotated[
        Literal["last", "best"] | None,
        typer.Option("--return", help="The last summary, or the one that does best; last by default."),
    ] = None,
    metric: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="What best is: a learned metric, or shipped; the last quiz if not given."),
    ] = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    engine: EngineName = "local",
    address: Address = None,
    workers: Workers = None,
    shard: ShardSpec = None,
    progress: Progress = ProgressMode.auto,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the run; runs/NAME if not given.")] = None,
    quiz: Annotated[bool, typer.Option("--quiz", help="Also print every question with its answer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print results as JSON, one line per document.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what the run would use, from a least to a most, and make no call.")
    ] = False,
) -> None:
    """Summarise documents and examine the summaries.

    The summary and its exam go to stdout, progress to stderr, everything else into the folder of the run. The same
    command again continues where it was interrupted; what is finished is not run again.
    """
    settings = Settings.resolve(
        config,
        backbone=backbone,
        roles=parse_roles(role or []),
        program=program,
        preset=preset,
        paper_faithful=paper_faithful or None,
        economy=economy or None,
        target_words=words,
        questions=parse_questions(questions) if questions else None,
        max_iterations=iterations,
        return_iteration=returned,
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
    )
    summq = settings.summq()
    if metric is not None:
        if summq.config.return_iteration != "best":
            raise ConfigError("--metric says which summary is best: add --return best")
        summq.scorer = ExamineeMetric.load(metric).scorer()
    sources = files_named(documents)
    loaded, unread = read(Shard.parse(shard).of(sources) if shard else sources)
    named = told_apart(loaded)
    if dry_run:
        show_forecasts(summq, named, settings, as_json=as_json)
        raise typer.Exit(unread)
    folders = shard_folders(sources, list(loaded), out) if shard else job_folders(list(loaded.values()), out)
    jobs = [Job(document, RunFolder(folder)) for document, folder in zip(named.values(), folders, strict=True)]
    with open_engine(engine, address, workers) as opened:
        outcomes = run(summq, jobs, settings, progress, opened)
    show = show_json if as_json else partial(show_text, headed=len(jobs) > 1, quiz=quiz)
    for job, outcome in zip(jobs, outcomes, strict=True):
        if isinstance(outcome, SummQResult):
            show(job, outcome)
            tell_shortage(job, outcome)
    failed = status_of(jobs, outcomes)
    raise typer.Exit(unread or failed)


def files_named(sources: Sequence[str]) -> list[str]:
    """The files that were named, each once. Prints one line on stderr for each source that is left out."""
    for folder in folders_in(sources):
        say(f"summq: {folder} is left out: folders within a folder are not read")
    times = Counter(files_in(sources))
    for source, count in times.items():
        if count > 1:
            say(f"summq: {source} is named more than once, and read once")
    return list(times)


def shard_folders(sources: Sequence[str], own: Sequence[str], out: Path | None) -> list[Path]:
    """The folders of a shard's own sources, which no other shard's documents have."""
    folders = job_folders([Document(text="", id=id_of(source)) for source in sources], out)
    of = dict(zip(sources, folders, strict=True))
    return [of[source] for source in own]


def read(sources: Sequence[str]) -> tuple[dict[str, Document], int]:
    """The documents that can be read, by their sources, and the exit status of the others (0 if none).

    Prints one line on stderr for each document, page or chapter that could not be read.
    """
    documents, status = {}, 0
    for source, loaded in zip(sources, read_documents(sources), strict=True):
        if isinstance(loaded, Loaded):
            tell_unread(source, loaded)
            documents[source] = loaded.document
        else:
            say(f"summq: {loaded}")
            status = loaded.exit_status
    if not documents:
        raise typer.Exit(status)
    return documents, status


def told_apart(documents: Mapping[str, Document]) -> dict[str, Document]:
    """The documents by their ids; those that share one are called by their sources."""
    times = Counter(document.id for document in documents.values())
    alone = (
        document if times[document.id] == 1 else document.model_copy(update={"id": source})
        for source, document in documents.items()
    )
    return {document.id: document for document in alone}


def run(
    summq: SummQ, jobs: Sequence[Job], settings: Settings, progress: ProgressMode, engine: Engine
) -> "list[SummQResult | Exception]":
    """Run the jobs in a session of their own, with progress and at last the usage on stderr."""
    console = stderr()
    with watching(console, progress, notes_on(settings.backbone)) as watch, settings.session() as session:
        tell_losses(summq, jobs, settings)
        calls = foresee(summq, jobs, settings)
        watch.expect(calls.least, calls.most)
        if len(jobs) > 1:
            watch.count(Count(0, len(jobs), "documents"))
        outcomes = run_jobs(summq, jobs, settings, engine, watch.advance)
    usage = session.meter.usage()
    if not usage.roles and any(isinstance(outcome, SummQResult) for outcome in outcomes):
        console.print("finished before: nothing was run again")
    print_usage(usage, console)
    return outcomes


def tell_losses(summq: SummQ, jobs: Sequence[Job], settings: Settings) -> None:
    """One line on stderr for each folder in which something of an earlier run is replaced."""
    for job in jobs:
        if lost := job.folder.lost_by(request_for(summq, job.document, settings)):
            say(lost)


def foresee(summq: SummQ, jobs: Sequence[Job], settings: Settings) -> Calls:
    """How many calls the jobs that are not finished will take.

    Prints one line on stderr for each document that will be read through notes: of how many passages, in how many
    calls.
    """
    calls = Calls()
    for job in jobs:
        if job.folder.finished(request_for(summq, job.document, settings)) is None:
            foreseen = forecast(summq, job.document)
            calls += foreseen.calls
            if foreseen.passages:
                say(f"{job.document.id}: {passages_line(job.document, foreseen)}")
    return calls


def passages_line(document: Document, foreseen: RunForecast) -> str:
    """What it takes to read a document that exceeds the window, in half a line."""
    return (
        f"{count_words(document.text):,} words exceed the window of the backbone: it reads them through notes on "
        f"{numbered(foreseen.passages, 'passage')}; the run takes {spanned(foreseen.calls, ',.0f')} calls"
    )


def show_text(job: Job, result: SummQResult, *, headed: bool, quiz: bool) -> None:
    """The exam and the summary on stdout, headed by the document; on stderr how the run ended and where its page is."""
    if headed:
        stdout().rule(job.document.id, align="left")
    show_result(result, stdout(), quiz=quiz)
    say(f"\n{job.document.id}: {ending(result)}; see {job.folder.path / REPORT}")


def show_json(job: Job, result: SummQResult) -> None:
    """The whole result in one line on stdout."""
    print_json(result.model_dump_json(by_alias=True))


def tell_shortage(job: Job, result: SummQResult) -> None:
    """A line on stderr if the quiz has fewer questions than wanted, and what is to be said of the summary's length."""
    if short := shortage_of(result):
        say(f"{job.document.id}: {short}")
    if result.left_out:
        say(
            f"{job.document.id}: drafts stayed too long when they were sent back; left out of them: "
            f"{numbered(len(result.left_out), 'sentence')} (see {job.folder.path / REPORT})"
        )
    for issue in length_issues(result.summary, result.wanted_words) if result.wanted_words else []:
        say(f"{job.document.id}: the summary is off the wanted length. {issue.explanation}")


def status_of(jobs: Sequence[Job], outcomes: Sequence[SummQResult | Exception]) -> int:
    """The exit status: that of the first document that failed or ran out of budget; prints a line for each."""
    statuses = []
    for job, outcome in zip(jobs, outcomes, strict=True):
        if isinstance(outcome, SummQError):
            say(f"summq: {job.document.id}: {outcome}")
            statuses.append(outcome.exit_status)
        elif isinstance(outcome, Exception):
            raise outcome
        elif outcome.stop_reason == "budget":
            say(
                f"summq: {job.document.id}: the budget is spent; the summary is the best there was by then, and the "
                "same command with a larger --max-calls or --max-cost goes on"
            )
            statuses.append(BudgetSpent.exit_status)
    return next(iter(statuses), 0)


__all__ = ["summarize"]
