"""Rows that other processes run and measure: what they are sent, and what comes back.

A row goes to one worker with all its systems, so that these take the same quiz. Workers share no folder with the
command: it sends them the quizzes that it has of the document, and keeps those that they make.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from summq.eval.archive import Outcome
from summq.eval.data import Dataset, Row
from summq.eval.metrics import make_metric
from summq.eval.run.cells import Cell
from summq.eval.run.plan import EvalPlan
from summq.eval.systems import System, Written
from summq.eval.systems.base import Identity
from summq.eval.systems.people import Reference, SecondHuman
from summq.eval.systems.program import Program
from summq.programs.errors import DataError
from summq.programs.runtime.engines import Engine, OpenSession
from summq.programs.runtime.files import make_folder, write_text
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, for_each

OF_THE_ROW = (Program, Reference, SecondHuman)
"""Systems that need nothing but the row; others have their summaries in the process of the command."""


class KnownSummary:
    """Stands in for a system whose summary is known already, or known to be missing."""

    def __init__(self, system: System, summary: Written | DataError | None = None) -> None:
        self.name = system.name
        self.identity: Identity = {}
        self._summary = summary or DataError("there is no summary")

    def summarize(self, row: Row, words: int) -> Written:
        """The summary."""
        if isinstance(self._summary, DataError):
            raise self._summary
        return self._summary


@dataclass(frozen=True)
class RowTask:
    """A row, what is there of each system's outcome, the summaries that workers can't make, quizzes by file name."""

    row: Row
    earlier: Mapping[str, Outcome | None]
    known: Mapping[str, KnownSummary]
    quizzes: Mapping[str, str]


@dataclass(frozen=True)
class RowResult:
    """The outcomes of a row, and the quizzes about its document by file name."""

    outcomes: list[Outcome]
    quizzes: Mapping[str, str]


class RowRunner:
    """Runs rows in a worker, with metrics of its own that keep quizzes in a folder of the worker."""

    def __init__(self, plan: EvalPlan, session: OpenSession) -> None:
        systems = [system if isinstance(system, OF_THE_ROW) else KnownSummary(system) for system in plan.systems]
        nothing = Dataset(plan.dataset.name, plan.dataset.split, ())
        self._metrics = [metric.name for metric in plan.metrics]
        self._plan = replace(plan, dataset=nothing, metrics=(), systems=systems, source=None)
        self._open = session

    @contextmanager
    def session(self) -> Iterator[None]:
        """What is open while a worker runs rows."""
        with TemporaryDirectory(prefix="summq-quizzes-") as folder, self._open():
            options = replace(self._plan.metric_options, quizzes=Path(folder))
            metrics = [make_metric(name, options) for name in self._metrics]
            self._plan = replace(self._plan, metrics=metrics, metric_options=options)
            yield

    def __call__(self, task: RowTask) -> RowResult:
        """Run and measure the systems of a row; raises what keeps all rows from running."""
        folder, key = self._plan.metric_options.quizzes, task.row.document.key
        for name, text in task.quizzes.items():
            write_text(folder / name, text)
        systems = {system.name: system for system in self._plan.systems} | dict(task.known)
        cells = [Cell(self._plan, systems[name], task.row, earlier) for name, earlier in task.earlier.items()]
        result = RowResult([cell.run() for cell in cells], quizzes_about(key, folder))
        for path in [*folder.glob(f"{key}-*"), *folder.glob(f".{key}-*")]:
            path.unlink(missing_ok=True)
        return result


def quizzes_about(document: str, folder: Path) -> dict[str, str]:
    """The quizzes about a document in a folder, by file name."""
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob(f"{document}-*.json"))}


def run_elsewhere(
    plan: EvalPlan, cells: Iterable[Cell], note: Callable[[Outcome], None], engine: Engine, session: OpenSession
) -> None:
    """Run the cells by the workers of an engine, row by row; `note` is told each outcome.

    Raises whatever keeps all rows from running.
    """
    folder = make_folder(plan.metric_options.quizzes)
    runner = RowRunner(plan, session)
    with engine.running(runner, runner.session, DOCUMENTS_AT_ONCE) as measured:

        def run(task: RowTask) -> None:
            result = measured(task)
            for name, text in result.quizzes.items():
                if name not in task.quizzes:
                    write_text(folder / name, text)
            for outcome in result.outcomes:
                note(outcome)

        for_each(run, _tasks(cells, folder), at_once=DOCUMENTS_AT_ONCE * engine.workers)


def _tasks(cells: Iterable[Cell], folder: Path) -> Iterator[RowTask]:
    for _, group in groupby(cells, lambda cell: cell.row.id):
        of_row = list(group)
        row = of_row[0].row
        yield RowTask(
            row=row,
            earlier={cell.system.name: cell.earlier for cell in of_row},
            known={
                cell.system.name: _known_summary(cell) for cell in of_row if not isinstance(cell.system, OF_THE_ROW)
            },
            quizzes=quizzes_about(row.document.key, folder),
        )


def _known_summary(cell: Cell) -> KnownSummary:
    try:
        return KnownSummary(cell.system, cell.system.summarize(cell.row, cell.plan.words_for(cell.row)))
    except DataError as error:
        return KnownSummary(cell.system, error)


__all__ = ["run_elsewhere"]
