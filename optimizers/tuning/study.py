"""The Optuna study behind `summq tune`: its storage, and what has to be the same when it goes on."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from summq.optimizers.tuning.objectives import OBJECTIVES
from summq.programs.errors import ConfigError, DataError, RunError
from summq.programs.runtime.replies import first_line

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

HEARTBEAT = 30
GRACE = 90
"""Seconds after which a trial without a sign of life is taken for killed, and tried again by whoever is there."""
QUIET_START = 8
ERROR = "error"
DRIVERS = {"psycopg": "'psycopg[binary]'", "psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient"}
"""Packages of database drivers that are not called as the module is."""


def open_study(
    name: str, storage: str, objectives: Sequence[str], asked: Mapping[str, Any], seed: int, worker: int = 0
) -> "Study":
    """The study of that name, made if there is none.

    Args:
        storage: URL of a database.
        asked: What decides about the value of a trial; a study is only continued with the same.
        worker: Workers draw different structures.

    Raises:
        DataError: The storage can't be reached.
        ConfigError: The study was asked for differently.
    """
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        study = optuna.create_study(
            study_name=name,
            storage=_storage(storage),
            directions=[OBJECTIVES[objective] for objective in objectives],
            load_if_exists=True,
        )
        _require_same(study, {**asked, "objectives": list(objectives)})
    except (ImportError, SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        raise DataError(f"storage {_without_password(storage)} can't be reached: {_reason(error)}") from error
    begun = len(study.get_trials(deepcopy=False))
    study.sampler = optuna.samplers.TPESampler(
        multivariate=True, constant_liar=True, n_startup_trials=QUIET_START, seed=seed + 1000 * worker + begun
    )
    study.pruner = optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=2)
    return study


def completed(study: "Study") -> "list[FrozenTrial]":
    """The trials that came to a value."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def finished(study: "Study") -> int:
    """How many trials came to a value or were cut short because they could not win."""
    from optuna.trial import TrialState

    return len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)))


def require_success(study: "Study", failures: int) -> None:
    """Raise RunError when so many trials have failed one after the other."""
    from optuna.trial import TrialState

    latest = study.get_trials(deepcopy=False)[-failures:]
    if len(latest) == failures and all(trial.state == TrialState.FAIL for trial in latest):
        raise RunError(
            f"{failures} trials failed one after the other; the last one: {latest[-1].user_attrs.get(ERROR)}"
        )


def line_of(trial: "FrozenTrial") -> str:
    """A trial that has ended, in one line."""
    values = ", ".join(f"{value:.4f}" for value in trial.values or ()) or trial.user_attrs.get(ERROR, "")
    params = " ".join(f"{name}={value}" for name, value in trial.params.items())
    return f"trial {trial.number} {trial.state.name.lower()}: {values} ({params})"


def _storage(url: str) -> Any:
    from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback

    patient = {"connect_args": {"timeout": 60}} if url.startswith("sqlite") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heartbeats are called experimental since 2021
        return RDBStorage(
            url,
            engine_kwargs=patient,
            heartbeat_interval=HEARTBEAT,
            grace_period=GRACE,
            heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(max_retry=3),
        )


def _require_same(study: "Study", asked: Mapping[str, Any]) -> None:
    earlier = study.user_attrs
    changed = [key for key in asked if key in earlier and earlier[key] != asked[key]]
    if changed:
        raise ConfigError(f"study {study.study_name!r} was begun with another {changed[0]}: give it another --name")
    for key in asked.keys() - earlier.keys():
        study.set_user_attr(key, asked[key])


def _reason(error: Exception) -> str:
    """What the database says, or which package has the driver that is not installed."""
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


__all__ = ["ERROR", "completed", "finished", "line_of", "open_study", "require_success"]
