"""Tuning: an Optuna study over the structure of SummQ, quality against calls or cost (DESIGN section 11).

All trials run on the same documents, in the same order, and share the response cache; what a reply had cost counts for
every trial that uses it. Several workers, on one machine or many, work on one study through its storage.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import dspy

from summq.eval.data import Row
from summq.optimizers.compiling.guard import require_passing
from summq.optimizers.tuning.engines import engine as find_engine
from summq.optimizers.tuning.objectives import Quality, expense
from summq.optimizers.tuning.space import Space, Structure
from summq.optimizers.tuning.study import ERROR, finished, line_of, open_study, require_success
from summq.programs.errors import BudgetSpent
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import first_line
from summq.programs.runtime.usage import Meter
from summq.programs.settings import Settings
from summq.programs.summq import SummQ

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

AT_ONCE = 4
ALREADY_TOLD = "Cannot tell a"
"""What Optuna says when two workers took the same waiting trial, which SQLite lets them; the slower one goes on."""
MOST_FAILURES = 5
Report = Callable[[str], None]


def to_stderr(line: str) -> None:
    """Report to the terminal, results being on stdout."""
    print(line, file=sys.stderr)


class TrialFailed(Exception):
    """A document could not be summarised or scored, so the trial has no value."""


@dataclass(frozen=True)
class Tuning:
    """A study: which structures, on which rows, scored by what.

    Args:
        trials: How many trials the study comes to, those of other workers and earlier runs included.
        settings: Backbones, limits and everything that is not varied. Limits hold for each worker.
    """

    name: str
    storage: str
    space: Space
    rows: Sequence[Row]
    data_hash: str
    settings: Settings
    objectives: Sequence[str]
    quality: Quality
    trials: int
    seed: int = 0

    def open(self, worker: int = 0) -> "Study":
        """The study, with the paper's presets to be tried first.

        Raises:
            DataError: The storage can't be reached.
            ConfigError: The study was begun with other data, another space or other objectives; unknown columns.
        """
        settings = self.settings
        asked = {
            "data": self.data_hash,
            "space": self.space.model_dump_json(),
            "quality": [self.quality.weights, *sorted(metric.name for metric in self.quality.metrics)],
            "configuration": settings.config.model_dump_json(),
            "backbones": [settings.backbone, settings.roles],
        }
        study = open_study(self.name, self.storage, self.objectives, asked, self.seed, worker)
        for preset in self.space.presets(settings.config):
            study.enqueue_trial(preset, skip_if_exists=True)
        return study

    def work(self, worker: int = 0, report: Report = to_stderr) -> None:
        """Run trials until the study has as many as wanted.

        Raises:
            BudgetSpent: A limit was reached; the trial that it interrupted is the first to be run next time.
            RunError: One trial after the other failed.
        """
        study = self.open(worker)
        callbacks = [partial(self._ended, report=report)]
        with self.settings.session():
            while finished(study) < self.trials:
                try:
                    study.optimize(partial(self._run, worker=worker), callbacks=callbacks, catch=(TrialFailed,))
                except ValueError as error:
                    if ALREADY_TOLD not in str(error):
                        raise

    def _ended(self, study: "Study", trial: "FrozenTrial", report: Report) -> None:
        """Report a trial that has ended, and stop when there are enough of them, or nothing but failures."""
        report(line_of(trial))
        if finished(study) >= self.trials:
            study.stop()
        require_success(study, MOST_FAILURES)

    def _run(self, trial: "Trial", worker: int) -> list[float]:
        """The values of one trial."""
        trial.set_user_attr("worker", worker)
        params = self.space.suggest(trial)
        try:
            return self._evaluate(trial, self.space.structure(params, self.settings.config))
        except TrialFailed as failure:
            trial.set_user_attr(ERROR, str(failure))
            raise
        except (BudgetSpent, KeyboardInterrupt):
            trial.study.enqueue_trial(params)
            raise

    def _evaluate(self, trial: "Trial", structure: Structure) -> list[float]:
        from optuna import TrialPruned

        program, scored = structure.program(), list[_ScoredDocument]()
        own = {role: self.settings.connected(spec) for role, spec in structure.roles.items()}
        lms = {**(dspy.settings.get("role_lms") or {}), **own}
        for rows in _batches(self.rows, AT_ONCE if len(self.objectives) == 1 else len(self.rows)):
            scored += self._judge(program, lms, rows)
            if len(self.objectives) == 1:
                trial.report(fmean(one.quality for one in scored), step=len(scored))
                if trial.should_prune():
                    raise TrialPruned
        trial.set_user_attr("documents", {one.row: one.quality for one in scored})
        return [self._value(name, scored) for name in self.objectives]

    def _judge(self, program: SummQ, lms: Mapping[str, Any], rows: Sequence[Row]) -> "list[_ScoredDocument]":
        """Summarise and judge rows; raises `TrialFailed` for the first that fails."""

        def one(row: Row) -> _ScoredDocument:
            meter = Meter(parent=dspy.settings.get("meter"))
            with dspy.context(role_lms=lms, meter=meter, document_key=row.document.key):
                summary = program(document=row.document).summary
            quality = self.quality(summary, row)
            if quality is None:
                raise TrialFailed(f"row {row.id}: the summary could not be scored")
            return _ScoredDocument(row.id, quality, meter)

        outcomes = parallel_outcomes(one, rows)
        judged: list[_ScoredDocument] = []
        for row, outcome in zip(rows, outcomes, strict=True):
            if isinstance(outcome, TrialFailed):
                raise outcome
            if isinstance(outcome, Exception):
                require_passing(outcome)
                raise TrialFailed(f"row {row.id}: {first_line(outcome)}") from outcome
            judged.append(outcome)
        return judged

    def _value(self, name: str, scored: "Sequence[_ScoredDocument]") -> float:
        if name == "quality":
            return fmean(one.quality for one in scored)
        spent = expense(name, [one.meter for one in scored])
        if spent is None:
            raise TrialFailed("the price of a call is not known: give prices, or take calls as an objective")
        return spent


@dataclass(frozen=True)
class _ScoredDocument:
    """One document of a trial."""

    row: str
    quality: float
    meter: Meter


def tune(tuning: Tuning, workers: int = 1, report: Report = to_stderr, engine: str = "local") -> "Study":
    """Bring the study to as many trials as wanted, by so many workers; returns it.

    Args:
        engine: Where workers run, see `summq.optimizers.tuning.engines`; a single local one runs right here.
    """
    study, run = tuning.open(), find_engine(engine)
    if workers == 1 and engine == "local":
        tuning.work(report=report)
    else:
        run(tuning.work, workers)
    return study


def _batches(rows: Sequence[Row], size: int) -> Iterator[Sequence[Row]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


__all__ = ["Tuning", "tune"]
