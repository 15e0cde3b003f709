"""Tuning: an Optuna study over the structure of SummQ, quality against calls or cost (DESIGN section 11).

All trials run on the same documents, in the same order, and share the response cache; a cached reply counts in each
trial at its original cost. Several workers, on one machine or many, work on one study through its storage.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import dspy

from summq.eval.data import Row
from summq.optimizers.compiling.guard import require_passing
from summq.optimizers.tuning.engines import find_engine
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

BATCH = 4
"""Documents after which a trial may be pruned."""
ALREADY_FINISHED = "Cannot tell a"
"""Of Optuna's error when two workers took the same waiting trial, which SQLite allows; the slower one goes on."""
MOST_FAILURES = 5
Report = Callable[[str], None]


def to_stderr(line: str) -> None:
    """Report to the terminal; stdout is for results."""
    print(line, file=sys.stderr)


class TrialFailed(Exception):
    """A document could not be summarised or scored, so the trial has no value."""


@dataclass(frozen=True)
class Tuning:
    """A study: which structures are tried, on which rows, by which objectives.

    Args:
        trials: The number of trials at which the study ends; other workers' and earlier trials count.
        data_hash: Of the rows; a study can only go on with the same rows.
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
        """The study, with the paper's presets queued as its first trials.

        Raises:
            DataError: The storage can't be reached.
            ConfigError: The study was begun with other data, another space or other objectives; unknown columns.
        """
        settings = self.settings
        conditions = {
            "data": self.data_hash,
            "space": self.space.model_dump_json(),
            "quality": [self.quality.weights, *sorted(metric.name for metric in self.quality.metrics)],
            "configuration": settings.config.model_dump_json(),
            "backbones": [settings.backbone, settings.roles],
        }
        study = open_study(self.name, self.storage, self.objectives, conditions, self.seed, worker)
        for preset in self.space.presets(settings.config):
            study.enqueue_trial(preset, skip_if_exists=True)
        return study

    def work(self, worker: int = 0, report: Report = to_stderr) -> None:
        """Run trials until the study has `trials` of them.

        Raises:
            BudgetSpent: A limit was reached; the interrupted trial is the first to run next time.
            RunError: Several trials in a row failed.
        """
        study = self.open(worker)
        callbacks = [partial(self._ended, report=report)]
        with self.settings.session():
            while finished(study) < self.trials:
                try:
                    study.optimize(partial(self._run, worker=worker), callbacks=callbacks, catch=(TrialFailed,))
                except ValueError as error:
                    if ALREADY_FINISHED not in str(error):
                        raise

    def _ended(self, study: "Study", trial: "FrozenTrial", report: Report) -> None:
        """Report a trial that has ended, and stop when there are enough trials, or only failures."""
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
        size = BATCH if len(self.objectives) == 1 else len(self.rows)
        for start in range(0, len(self.rows), size):
            scored += self._score(program, lms, self.rows[start : start + size])
            if len(self.objectives) == 1:
                trial.report(fmean(one.quality for one in scored), step=len(scored))
                if trial.should_prune():
                    raise TrialPruned
        trial.set_user_attr("documents", {one.row: one.quality for one in scored})
        return [self._value(name, scored) for name in self.objectives]

    def _score(self, program: SummQ, lms: Mapping[str, Any], rows: Sequence[Row]) -> "list[_ScoredDocument]":
        """Summarise and score rows. Raises `TrialFailed` for the first that fails."""

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
    """The quality and usage of one document of a trial."""

    row: str
    quality: float
    meter: Meter


def tune(tuning: Tuning, workers: int = 1, report: Report = to_stderr, engine: str = "local") -> "Study":
    """Run a study until it has its number of trials; returns it.

    Args:
        engine: Where workers run: `local` or `ray`. A single local worker runs in this process.
    """
    study, run = tuning.open(), find_engine(engine)
    if workers == 1 and engine == "local":
        tuning.work(report=report)
    else:
        run(tuning.work, workers)
    return study


__all__ = ["Tuning", "tune"]
