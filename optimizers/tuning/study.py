"""The Optuna study behind `summq tune`: its storage, and the conditions under which it can go on."""

import os
import platform
import random
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from summq.optimizers.tuning.objectives import OBJECTIVES, SHOWN, Direction
from summq.programs.errors import ConfigError, DataError, RunError
from summq.programs.runtime.replies import first_line

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

HEARTBEAT = 30
GRACE = 90
"""Seconds without a heartbeat after which a trial counts as killed, and another worker tries it again."""
STARTUP_TRIALS = 8
ERROR, SURPLUS = "error", "surplus"
"""User attributes of trials that failed: why, and whether only because there were enough already."""
PROCESS = "process"
"""The user attribute of a trial that says which process runs it."""
PAUSE = 1.0
"""Seconds between two looks at what other workers do."""
ATTEMPTS = 8
MADE_AT_ONCE = ("already exists", "unique constraint", "duplicate", "no such table", "database is locked")
"""Signs of two processes that made the tables of one database at the same time."""
DRIVERS = {"psycopg": "'psycopg[binary]'", "psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient"}
"""Packages of database drivers that are not called as the module is."""


def open_study(
    name: str, storage: str, objectives: Sequence[str], conditions: Mapping[str, Any], seed: int, worker: int = 0
) -> "Study":
    """Open the study of that name, or create it.

    Args:
        storage: URL of a database.
        conditions: All that the values of trials depend on; a study only goes on under the same.
        worker: The number of the worker; each one samples with a seed of its own.

    Raises:
        DataError: The storage can't be reached.
        ConfigError: The study was begun under other conditions.
    """
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    directions = [OBJECTIVES[objective] for objective in objectives]
    try:
        study = _created(name, storage, directions)
        _require_same(study, {**conditions, "objectives": list(objectives)})
    except (ImportError, SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        raise DataError(f"storage {_without_password(storage)} can't be reached: {_reason(error)}") from error
    seed_sampler(study, seed + 1000 * worker)
    return study


def seed_sampler(study: "Study", seed: int) -> None:
    """Let the next trial be drawn from that seed and the trials so far alone, whatever was drawn or killed before."""
    from optuna.samplers import TPESampler

    number = seed + finished(study)
    study.sampler = TPESampler(multivariate=True, constant_liar=True, n_startup_trials=STARTUP_TRIALS, seed=number)


def put_back_killed(study: "Study") -> None:
    """Let the trials wait again whose process on this machine has ended: they come next, as they were drawn.

    Those of other machines are given up when their heartbeat has stopped for some time.
    """
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if _has_ended(trial.user_attrs.get(PROCESS, "")):
            study._storage.set_trial_state_values(trial._trial_id, TrialState.WAITING)


def this_process() -> str:
    """What a trial keeps of the process that runs it."""
    return f"{platform.node()}:{os.getpid()}"


def _has_ended(process: str) -> bool:
    """Whether it was a process of this machine and is no more; on Windows nobody can ask without harm."""
    machine, _, number = process.rpartition(":")
    if machine != platform.node() or sys.platform == "win32":
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def _created(name: str, storage: str, directions: Sequence[Direction]) -> "Study":
    """The study; tried again where another process makes the tables of the same database at the same moment."""
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    for attempt in range(ATTEMPTS):
        try:
            return optuna.create_study(
                study_name=name, storage=_storage(storage), directions=directions, load_if_exists=True
            )
        except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
            reason = f"{error} {error.__cause__}".lower()
            if attempt == ATTEMPTS - 1 or not any(sign in reason for sign in MADE_AT_ONCE):
                raise
            time.sleep(random.uniform(0.2, 0.5) * (attempt + 1))
    raise AssertionError("the last attempt returns or raises")


def completed(study: "Study") -> "list[FrozenTrial]":
    """The trials that have a value."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def finished(study: "Study") -> int:
    """How many trials have a value or were pruned."""
    from optuna.trial import TrialState

    return len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)))


def ended_trials(study: "Study") -> "list[FrozenTrial]":
    """The trials that have ended, but for those that there were enough of already."""
    return [t for t in study.get_trials(deepcopy=False) if t.state.is_finished() and not t.user_attrs.get(SURPLUS)]


def unfinished(study: "Study") -> int:
    """How many trials are running, here or elsewhere."""
    from optuna.trial import TrialState

    return len(study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)))


def wait_for_others(study: "Study") -> None:
    """Wait a moment for trials of other workers; those whose worker has died are given up."""
    from optuna.storages import fail_stale_trials

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # experimental since 2021
        fail_stale_trials(study)
    time.sleep(PAUSE)


def is_surplus(trial: "Trial", trials: int) -> bool:
    """Whether as many trials as are wanted, or the same queued one, came before this: two workers asked at once."""
    from optuna.trial import TrialState

    everything = trial.study.get_trials(deepcopy=False)
    alive = [t for t in everything if t.number < trial.number and t.state != TrialState.FAIL]
    queued = "fixed_params" in everything[trial.number].system_attrs
    twice = queued and any(t.state != TrialState.WAITING and t.params == trial.params for t in alive)
    return twice or len(alive) >= trials


def require_success(study: "Study", failures: int) -> None:
    """Raise `RunError` when the last `failures` trials have all failed."""
    from optuna.trial import TrialState

    latest = [t for t in study.get_trials(deepcopy=False) if not t.user_attrs.get(SURPLUS)][-failures:]
    if len(latest) == failures and all(trial.state == TrialState.FAIL for trial in latest):
        raise RunError(
            f"{failures} trials failed one after the other; the last one: {latest[-1].user_attrs.get(ERROR)}"
        )


def line_of(trial: "FrozenTrial", objectives: Sequence[str]) -> str:
    """A trial that has ended, in one line: its values, or why it has none."""
    values = [SHOWN[name].format(value) for name, value in zip(objectives, trial.values or (), strict=False)]
    ending = ", ".join(values) or trial.user_attrs.get(ERROR) or "it could not become one of the best"
    params = " ".join(f"{name}={value}" for name, value in trial.params.items())
    return f"trial {trial.number} {trial.state.name.lower()}: {ending} ({params})"


def read_study(database: Path) -> "Study":
    """The only study of an SQLite file.

    Raises:
        DataError: It holds none or several.
    """
    import optuna

    storage = _storage(f"sqlite:///{database}")
    names = optuna.get_all_study_names(storage)
    if len(names) != 1:
        held = f"the studies {', '.join(names)}" if names else "no study"
        raise DataError(f"{database} holds {held}: run summq tune with --name again, which writes the page of one")
    return optuna.load_study(study_name=names[0], storage=storage)


def _storage(url: str) -> Any:
    from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback

    arguments = {"connect_args": {"timeout": 60}} if url.startswith("sqlite") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heartbeats are called experimental since 2021
        return RDBStorage(
            url,
            engine_kwargs=arguments,
            heartbeat_interval=HEARTBEAT,
            grace_period=GRACE,
            heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(max_retry=3),
        )


def _require_same(study: "Study", conditions: Mapping[str, Any]) -> None:
    earlier = study.user_attrs
    changed = [key for key in conditions if key in earlier and earlier[key] != conditions[key]]
    if changed:
        raise ConfigError(f"study {study.study_name!r} was begun with another {changed[0]}: give it another --name")
    for key in conditions.keys() - earlier.keys():
        study.set_user_attr(key, conditions[key])


def _reason(error: Exception) -> str:
    """The message of the database, or how to install the driver that is missing."""
    missing = error.__cause__
    if isinstance(missing, ModuleNotFoundError) and missing.name:
        return f"its driver {missing.name} is not installed: pip install {DRIVERS.get(missing.name, missing.name)}"
    return first_line(getattr(error, "orig", None) or error)


def _without_password(url: str) -> str:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return repr(url)


__all__ = [
    "ERROR",
    "PROCESS",
    "SURPLUS",
    "completed",
    "ended_trials",
    "finished",
    "is_surplus",
    "line_of",
    "open_study",
    "put_back_killed",
    "read_study",
    "require_success",
    "seed_sampler",
    "this_process",
    "unfinished",
    "wait_for_others",
]
