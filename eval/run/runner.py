"""Run systems on rows and measure what they write: in parallel, resumable, a line on the disk for each document."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
from dspy.utils.exceptions import LMError

from summq.eval.archive import EvalFolder, Ledger, Outcome
from summq.eval.data import Row
from summq.eval.metrics import Metric, Score, unscored
from summq.eval.report import write_tables
from summq.eval.report.results import Results, Run
from summq.eval.run.plan import EvalPlan
from summq.eval.run.progress import Listener, ProgressTracker
from summq.eval.systems import System, Written
from summq.eval.systems.base import separate_cache
from summq.programs.errors import DataError, DocumentError, RunError
from summq.programs.runtime.files import make_folder
from summq.programs.runtime.locks import sole_user
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, for_each
from summq.programs.runtime.replies import first_line, lost_agent
from summq.programs.runtime.role import UnusableReply
from summq.programs.runtime.usage import Meter


def evaluate(
    plan: EvalPlan,
    out: Path,
    listener: Listener = lambda progress: None,
    prepare: Callable[[Callable[[], Iterator["Cell"]]], object] | None = None,
) -> Results:
    """Run every system on every row and write the folder `out`.

    A process that works on the folder already is waited for. What a run before this one finished is not run again; its
    summaries are scored by the metrics that it did not have.

    Runs inside the current session. Where a system fails on a document, its outcome holds the error and no score.

    Args:
        listener: Is told after every outcome how far the run is.
        prepare: Is called before any document is run, with a function that goes over what is to be run.

    Raises:
        ConfigError: The folder holds an evaluation with other settings.
        BudgetSpent: The budget ended; what was finished is in the folder.
        BackboneError: The backbone will fail every call.
    """
    with sole_user(make_folder(out) / ".lock", out):
        folder = EvalFolder(out, plan.config())
        if prepare:
            prepare(lambda: _cells(plan, folder.ledger))
        return _evaluate(plan, folder, listener)


def _evaluate(plan: EvalPlan, folder: EvalFolder, listener: Listener) -> Results:
    ledger, ids = folder.ledger, plan.ids
    todo = {system.name: sum(map(_missing(plan, system, ledger), ids)) for system in plan.systems}
    progress = ProgressTracker(ledger, len(ids) * len(plan.systems), todo, listener)
    try:
        for_each(lambda cell: progress.note(cell.run()), _cells(plan, ledger), at_once=DOCUMENTS_AT_ONCE)
        ledger.order([(name, row_id) for row_id in folder.config.ids for name in folder.config.systems])
    finally:
        results = write_tables(Run.of(folder.path, folder.config, ledger.outcomes)).results
    return results


def _missing(plan: EvalPlan, system: System, ledger: Ledger) -> Callable[[str], bool]:
    """Whether a document has no summary by the system, or none that every metric of the plan scored."""
    columns = {column.key for metric in plan.metrics for column in metric.columns}

    def is_missing(row_id: str) -> bool:
        scored = ledger.outcomes.scored(system.name, row_id)
        return scored is None or not columns <= scored

    return is_missing


def _cells(plan: EvalPlan, ledger: Ledger) -> Iterator["Cell"]:
    """What is to be run or measured, row by row, each read when its turn has come."""
    missing = {system.name: _missing(plan, system, ledger) for system in plan.systems}
    for place, row_id in enumerate(plan.ids):
        systems = [system for system in plan.systems if missing[system.name](row_id)]
        if not systems:
            continue
        row = plan.row(place)
        for system in systems:
            has_summary = ledger.outcomes.scored(system.name, row_id) is not None
            yield Cell(plan, system, row, ledger.outcomes[system.name, row_id] if has_summary else None)


@dataclass(frozen=True)
class Cell:
    """One system on one row; `earlier` is what a run before this one finished of it."""

    plan: EvalPlan
    system: System
    row: Row
    earlier: Outcome | None = None

    @property
    def metrics(self) -> list[Metric]:
        """Those by which the summary is not scored yet; what was unscored stays so."""
        scored = self.earlier.metrics.keys() if self.earlier else frozenset()
        return [metric for metric in self.plan.metrics if any(c.key not in scored for c in metric.columns)]

    def run(self) -> Outcome:
        """Summarise and measure.

        Raises whatever will keep all other cells from running too.
        """
        if self.earlier:
            return self._scored_further(self.earlier)
        meter = Meter(parent=dspy.settings.get("meter"))
        words = self.plan.words_for(self.row)
        started = time.monotonic()
        with dspy.context(meter=meter, document_key=self.row.document.key):
            attempt = self._attempt(words)
        seconds = time.monotonic() - started
        written = attempt.written
        scores = self._scores(written.summary if written else None)
        return Outcome(
            id=self.row.id,
            system=self.system.name,
            summary=written.summary if written else None,
            metrics=_values(scores),
            usage=meter.usage(),
            error=attempt.error,
            seconds=seconds,
            words_wanted=(written.words_wanted if written else None) or words,
            cluster=self.row.cluster,
            asked=list(written.questions) if written else [],
            unscored=_reasons(scores),
            details=_details(scores),
        )

    def _scored_further(self, earlier: Outcome) -> Outcome:
        scores = self._scores(earlier.summary)
        return earlier.model_copy(
            update={
                "metrics": {**earlier.metrics, **_values(scores)},
                "unscored": {**earlier.unscored, **_reasons(scores)},
                "details": {**earlier.details, **_details(scores)},
            }
        )

    def _attempt(self, words: int) -> "Attempt":
        if self.row.error:
            return Attempt(error=self.row.error)
        try:
            return Attempt(self.system.summarize(self.row, words))
        except (LMError, UnusableReply) as error:
            return Attempt(error=lost_agent(self.system.name, error).error)
        except (RunError, DocumentError, DataError) as error:
            return Attempt(error=first_line(error))

    def _scores(self, summary: str | None) -> dict[str, Score]:
        """What each metric says; where there is no summary nothing is scored."""
        if summary is None:
            return {metric.name: unscored(metric.columns, "no summary") for metric in self.plan.metrics}
        row = self.plan.scored(self.row, self.system)
        with separate_cache("eval/scoring", self.plan.scorer):
            return {metric.name: _score(metric, summary, row) for metric in self.metrics}


def _score(metric: Metric, summary: str, row: Row) -> Score:
    """What the metric says; unscored where it can't be had of this document."""
    try:
        return metric.score(summary, row)
    except DocumentError as error:
        return unscored(metric.columns, first_line(error))


Scores = Mapping[str, Score]


def _values(scores: Scores) -> dict[str, float | None]:
    return {column: value for score in scores.values() for column, value in score.values.items()}


def _reasons(scores: Scores) -> dict[str, str]:
    return {name: score.reason for name, score in scores.items() if score.reason}


def _details(scores: Scores) -> dict[str, dict[str, Any]]:
    return {name: dict(score.details) for name, score in scores.items() if score.details}


@dataclass(frozen=True)
class Attempt:
    """A summary, or why there is none."""

    written: Written | None = None
    error: str | None = None


__all__ = ["Cell", "evaluate"]
