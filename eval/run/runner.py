"""Run systems on rows and measure what they write: in parallel, resumable, a line on the disk for each document."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

from summq.eval.archive import EvalFolder, Ledger
from summq.eval.report import write_tables
from summq.eval.report.results import Results, Run
from summq.eval.run.cells import Cell
from summq.eval.run.elsewhere import run_elsewhere
from summq.eval.run.plan import EvalPlan
from summq.eval.run.progress import Listener, ProgressTracker
from summq.eval.systems import System
from summq.programs.runtime.engines import LOCAL, Engine, OpenSession
from summq.programs.runtime.files import make_folder, sole_user
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, for_each


def evaluate(
    plan: EvalPlan,
    out: Path,
    listener: Listener = lambda progress: None,
    prepare: Callable[[Callable[[], Iterator["Cell"]]], object] | None = None,
    engine: Engine = LOCAL,
    session: OpenSession = nullcontext,
) -> Results:
    """Run every system on every row and write the folder `out`.

    A process that works on the folder already is waited for. What a run before this one finished is not run again; its
    summaries are scored by the metrics that it did not have.

    Runs inside the current session. Where a system fails on a document, its outcome holds the error and no score.

    Args:
        listener: Is told after every outcome how far the run is.
        prepare: Is called before any document is run, with a function that goes over what is to be run.
        engine: Where systems and metrics run. The folder is written by this process.
        session: What workers of an engine open, equal to the current session.

    Raises:
        ConfigError: The folder holds an evaluation with other settings.
        BudgetSpent: The budget ended; what was finished is in the folder.
        BackboneError: The backbone will fail every call.
    """
    with sole_user(make_folder(out) / ".lock", out):
        folder = EvalFolder(out, plan.config())
        if prepare:
            prepare(lambda: _cells(plan, folder.ledger))
        return _evaluate(plan, folder, listener, engine, session)


def _evaluate(plan: EvalPlan, folder: EvalFolder, listener: Listener, engine: Engine, session: OpenSession) -> Results:
    ledger, ids = folder.ledger, plan.ids
    todo = {system.name: sum(map(_missing(plan, system, ledger), ids)) for system in plan.systems}
    progress = ProgressTracker(ledger, len(ids) * len(plan.systems), todo, listener)
    try:
        if engine.remote:
            run_elsewhere(plan, _cells(plan, ledger), progress.note, engine, session)
        else:
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


__all__ = ["evaluate"]
