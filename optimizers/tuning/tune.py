"""Tuning: an Optuna study over the structure of SummQ, quality against calls or cost.

All trials run on the same documents, in the same order, and share the response cache; a cached reply counts in each
trial at its original cost. Several workers, on one machine or many, work on one study through its storage.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from summq.eval.data import Row
from summq.optimizers.tuning.evaluate import (
    DOCUMENTS,
    Evaluator,
    ScoredDocument,
    TrialFailed,
    is_hopeless,
    objective_value,
)
from summq.optimizers.tuning.objectives import Quality
from summq.optimizers.tuning.space import Space, Structure
from summq.optimizers.tuning.study import (
    ERROR,
    PROCESS,
    SURPLUS,
    completed,
    ended_trials,
    finished,
    is_surplus,
    line_of,
    open_study,
    put_back_killed,
    require_success,
    seed_sampler,
    this_process,
    unfinished,
    wait_for_others,
)
from summq.programs.errors import BudgetSpent, ConfigError
from summq.programs.runtime.engines import LOCAL, Engine
from summq.programs.runtime.parallel import every, parallel
from summq.programs.settings import Settings

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

BATCH = 4
"""Documents after which a trial may be pruned."""
ALREADY_FINISHED = "Cannot tell a"
"""Of Optuna's error when two workers took the same waiting trial, which SQLite allows; the slower one goes on."""
MOST_FAILURES = 5
FOLLOWED_EVERY = 2.0
"""Seconds between two looks at what workers have finished."""
Report = Callable[[str], None]


def to_stderr(line: str) -> None:
    """Report to the terminal; stdout is for results."""
    print(line, file=sys.stderr)


class Surplus(Exception):
    """The study has, or is about to have, all the trials that were wanted."""


@dataclass(frozen=True)
class Tuning:
    """A study: which structures are tried, on which rows, by which objectives.

    Args:
        trials: The number of trials at which the study ends; other workers' and earlier trials count.
        data_hash: Of the rows; a study can only go on with the same rows.
        settings: Backbones, limits and everything that is not varied.
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
            DataError: A folder of compiled prompts that the space names holds none.
        """
        settings = self.settings
        self.space.require_prompts()
        conditions = {
            "data": self.data_hash,
            "space": self.space.record,
            "quality": [self.quality.weights, *sorted(metric.name for metric in self.quality.metrics)],
            "configuration": settings.config.model_dump_json(),
            "backbones": [settings.backbone, settings.roles],
        }
        study = open_study(self.name, self.storage, self.objectives, conditions, self.seed, worker)
        for preset in self.space.presets(settings.config):
            study.enqueue_trial(preset, skip_if_exists=True)
        return study

    def finished(self) -> int:
        """How many trials the study has finished; errors as for `open`."""
        return finished(self.open())

    def work(self, worker: int = 0, report: Report = to_stderr) -> None:
        """Run trials until the study has `trials` of them, no more, however many work on it.

        Runs inside the current session.

        Raises:
            BudgetSpent: A limit was reached; the interrupted trial is the first to run next time.
            RunError: Several trials in a row failed.
        """
        study = self.open(worker)
        callbacks = [partial(self._ended, report=report)]
        while finished(study) < self.trials:
            if unfinished(study) + finished(study) >= self.trials:
                wait_for_others(study)
                continue
            seed_sampler(study, self.seed + 1000 * worker)
            try:
                run = partial(self._run, worker=worker)
                study.optimize(run, n_trials=1, callbacks=callbacks, catch=(TrialFailed, Surplus))
            except ValueError as error:
                if ALREADY_FINISHED not in str(error):
                    raise

    def _ended(self, study: "Study", trial: "FrozenTrial", report: Report) -> None:
        """Report a trial that has ended; stop where there are only failures."""
        if not trial.user_attrs.get(SURPLUS):
            report(line_of(trial, self.objectives))
            require_success(study, MOST_FAILURES)

    def _run(self, trial: "Trial", worker: int) -> list[float]:
        """The values of one trial."""
        trial.set_user_attr("worker", worker)
        trial.set_user_attr(PROCESS, this_process())
        params = self.space.suggest(trial)
        if is_surplus(trial, self.trials):
            trial.set_user_attr(SURPLUS, True)
            raise Surplus
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

        evaluator, scored = Evaluator(structure, self.settings, self.quality), list[ScoredDocument]()
        for start in range(0, len(self.rows), BATCH):
            scored += evaluator.score(self.rows[start : start + BATCH])
            trial.set_user_attr(DOCUMENTS, {one.row: one.quality for one in scored})
            values = [objective_value(name, scored) for name in self.objectives]
            if len(scored) < len(self.rows) and is_hopeless(
                {one.row: one.quality for one in scored}, values[1:], completed(trial.study)
            ):
                raise TrialPruned
        return values


def tune(tuning: Tuning, report: Report = to_stderr, engine: Engine = LOCAL) -> "Study":
    """Run a study until it has its number of trials; returns it.

    Args:
        engine: Where trials run: in this process, or by workers that share the storage of the study.

    Raises:
        ConfigError: The storage is a file, and the engine has workers on other machines.
        Exception: Those of `Tuning.work`.
    """
    study = tuning.open()
    if engine.machines > 1 and tuning.storage.startswith("sqlite"):
        raise ConfigError(
            "a SQLite file can't be reached from other machines: give a database that all reach, for instance "
            "--storage postgresql+psycopg://USER@HOST/NAME"
        )
    put_back_killed(study)
    with tuning.settings.session():
        if not engine.remote:
            tuning.work(report=report)
            return study
        work = partial(tuning.work, report=nobody)
        with engine.running(work, tuning.settings.session, 1) as work_elsewhere, following(tuning, report):
            parallel(work_elsewhere, range(engine.workers), at_once=engine.workers)
    return study


def nobody(line: str) -> None:
    """Tell nobody: whoever follows the study sees what came of a trial."""


@contextmanager
def following(tuning: Tuning, report: Report) -> Iterator[None]:
    """Report the trials that others finish while this is open."""
    study = tuning.open()
    told = {trial.number for trial in ended_trials(study)}

    def tell() -> None:
        for trial in ended_trials(study):
            if trial.number not in told:
                told.add(trial.number)
                report(line_of(trial, tuning.objectives))

    try:
        with every(FOLLOWED_EVERY, tell):
            yield
    finally:
        tell()


__all__ = ["Tuning", "tune"]
