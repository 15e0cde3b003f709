"""Documents to summaries in folders: each document is run once, whatever happens to the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path

from summq.programs.config import SummQConfig
from summq.programs.craft import is_short
from summq.programs.errors import DocumentError
from summq.programs.quiz_craft import shortage
from summq.programs.runs.folder import REPORT, Request, RunFolder
from summq.programs.runs.log import append_log, collected_log, logger, run_log
from summq.programs.runs.report import write_report
from summq.programs.runtime.engines import LOCAL, Engine
from summq.programs.runtime.files import as_written
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import as_expected
from summq.programs.settings import Settings
from summq.programs.summq import SummQ
from summq.programs.text.words import count_words, numbered
from summq.signatures import Document, SummQResult, fingerprint

JOBS_AT_ONCE = 16
"""Each holds its log and its lock open, beside the connections; a process may often open no more than 256 files."""


@dataclass(frozen=True)
class Job:
    """A document to summarise, which messages call by its id, and the folder for what comes of it."""

    document: Document
    folder: RunFolder


@dataclass(frozen=True)
class Summarised:
    """The result of a run, and what was logged where its log is out of reach."""

    result: SummQResult
    log: str = ""


@dataclass(frozen=True)
class Summarise:
    """A program that runs on documents; `collects` what is logged, or leaves that to the log of the run."""

    program: SummQ
    collects: bool

    def __call__(self, document: Document) -> Summarised:
        """Run the program."""
        if not self.collects:
            return Summarised(self.program(document=document).result)
        with collected_log(document.key) as log:
            result = self.program(document=document).result
        return Summarised(result, log.getvalue())


def run_jobs(
    program: SummQ,
    jobs: Sequence[Job],
    settings: Settings,
    engine: Engine = LOCAL,
    ended: Callable[[], None] = lambda: None,
) -> "list[SummQResult | Exception]":
    """Run the jobs inside the current session, some at once; an exception stands for a job that raised it.

    A job whose folder holds the result of an equal request is not run again.

    Args:
        engine: Where the program runs. The folders of jobs are written by this process.
        ended: Called after each job.
    """
    with engine.running(Summarise(program, engine.remote), settings.session, JOBS_AT_ONCE) as summarise:

        def one(job: Job) -> SummQResult:
            try:
                return _run_job(job, program, settings, summarise)
            finally:
                ended()

        outcomes = parallel_outcomes(one, jobs, at_once=JOBS_AT_ONCE * engine.workers)
    return [as_expected(outcome) if isinstance(outcome, Exception) else outcome for outcome in outcomes]


def _run_job(job: Job, program: SummQ, settings: Settings, summarise: Callable[[Document], Summarised]) -> SummQResult:
    """Run one job, or read what an equal request left; another process on the same folder is waited for."""
    _require_enough(job.document, program.config)
    request = request_for(program, job.document, settings)
    before = job.folder.lost_by(request)
    with job.folder.alone():
        result = job.folder.finished(request)
        if result is None:
            lost = job.folder.lost_by(request)
            if lost != before:  # by the process that was waited for
                logger.warning(lost)
            result = _run(job, request, summarise)
        if not (job.folder.path / REPORT).exists():
            write_report(job.folder.path)
    return result


def _run(job: Job, request: Request, summarise: Callable[[Document], Summarised]) -> SummQResult:
    path = job.folder.path / "run.log"
    with run_log(path, job.document.key):
        done = summarise(job.document)
        if done.log:
            append_log(path, done.log)
        if short := shortage_of(done.result):
            logger.warning(short)
    job.folder.save(request, job.document, done.result)
    return done.result


def shortage_of(result: SummQResult) -> str:
    """What the quiz of a result lacks and why, in half a line; empty if it lacks nothing, or there is none."""
    return shortage(result.quiz, result.wanted) if result.quiz and result.wanted else ""


def _require_enough(document: Document, config: SummQConfig) -> None:
    if is_short(document, config.target_words):
        default = "" if "target_words" in config.model_fields_set else ", the default"
        words = numbered(count_words(document.text), "word")
        raise DocumentError(
            f"has {words}, too few for a summary of {config.target_words}{default}: ask for fewer with --words"
        )


def request_for(program: SummQ, document: Document, settings: Settings) -> Request:
    """What decides about the result: the document, the configuration, the prompts and the backbones."""
    prompts = repr([(name, predictor.dump_state()) for name, predictor in program.named_predictors()])
    request = Request(
        version=version("summq"),
        document=document.key,
        title=document.title,
        config=program.config.model_dump(mode="json"),
        backbone=settings.backbone,
        roles=settings.roles,
        program=fingerprint(prompts),
        temperatures=settings.temperatures,
        scorer=getattr(program.scorer, "identity", ""),
    )
    return as_written(request)


def job_folders(documents: Sequence[Document], out: Path | None) -> list[Path]:
    """`out` itself for one document, `out/<name>` for each of several; `out` is `runs/<name>` if not given."""
    names = distinct([Path(document.id).name or "stdin" for document in documents])
    if out is None:
        return [Path("runs") / name for name in names]
    return [out] if len(names) == 1 else [out / name for name in names]


def distinct(names: Sequence[str]) -> list[str]:
    """The names, a number behind those that were there before, also where a disk takes no notice of capitals."""
    wanted, taken = {name.casefold() for name in names}, set[str]()
    result = []
    for name in names:
        numbered = (f"{name}-{number}" for number in count(2))
        if name.casefold() in taken:
            name = next(other for other in numbered if other.casefold() not in wanted | taken)
        taken.add(name.casefold())
        result.append(name)
    return result


__all__ = ["Job", "distinct", "job_folders", "request_for", "run_jobs", "shortage_of"]
