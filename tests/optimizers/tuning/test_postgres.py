"""A study in a real PostgreSQL, which several processes work on: each trial once, and those of the dead again."""

import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import dspy
import pytest
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from summq.optimizers.tuning.study import PROCESS, finished
from summq.optimizers.tuning.tune import Tuning, tune
from summq.programs.errors import BudgetSpent
from summq.programs.runtime.engines.processes import ProcessEngine
from summq.programs.runtime.progress import RunWatch
from tests.optimizers.studies import silent, tuning

pytestmark = pytest.mark.simulation
PROCESSES, TRIALS = 4, 16


@pytest.fixture(scope="module")
def storage() -> Iterator[str]:
    """The URL of a database on a server of its own."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    programs = found[-1].parent if found else Path(shutil.which("initdb") or "").parent
    if not (programs / "initdb").exists() or not find_spec("psycopg"):
        pytest.skip("needs PostgreSQL (apt-get install postgresql) and the extra postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="summq-postgres-"))
    as_user: list[str] = []
    if os.getuid() == 0:  # the server refuses to run as root
        shutil.chown(folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    run = partial(subprocess.run, check=True, cwd="/", stdout=subprocess.DEVNULL, timeout=120)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    data, log = folder / "data", folder / "log"
    try:
        run([*as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "summq"])
        run([*as_user, programs / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start"])
        yield f"postgresql+psycopg://summq@127.0.0.1:{port}/postgres"
        run([*as_user, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def named(name: str, storage: str, trials: int, folder: Path) -> Tuning:
    return replace(tuning(folder, trials=trials), name=name, storage=storage)


def running(study: Study) -> list[FrozenTrial]:
    return [trial for trial in study.get_trials(deepcopy=False) if trial.state == TrialState.RUNNING]


def killed_at_work(study: Study) -> FrozenTrial:
    """Kill the process of a trial that is running, once some are finished."""
    while finished(study) < PROCESSES:
        time.sleep(0.05)
    for _ in range(200):
        for trial in running(study):
            if process := trial.user_attrs.get(PROCESS):
                os.kill(int(process.rpartition(":")[2]), signal.SIGKILL)
                time.sleep(0.5)
                if study.trials[trial.number].state == TrialState.RUNNING:  # it was still at it
                    return trial
        time.sleep(0.05)
    raise TimeoutError


def test_each_trial_runs_once_and_that_of_a_killed_process_again(storage: str, tmp_path: Path) -> None:
    wanted = named("shared", storage, TRIALS, tmp_path)
    study = wanted.open()
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=tune, args=(wanted,)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    lost = killed_at_work(study)
    for process in processes:
        process.join()
    assert sorted(process.exitcode or 0 for process in processes)[1:] == [0] * (PROCESSES - 1)
    assert finished(study) == TRIALS
    ended = [trial for trial in study.trials if trial.state in (TrialState.COMPLETE, TrialState.PRUNED)]
    assert len({trial.user_attrs[PROCESS] for trial in ended}) >= PROCESSES - 1
    again = [trial for trial in study.trials if trial.system_attrs.get("failed_trial") == lost.number]
    assert study.trials[lost.number].state == TrialState.FAIL
    assert [trial.params for trial in again] == [study.trials[lost.number].params]
    assert again[0].state in (TrialState.COMPLETE, TrialState.PRUNED)
    queued = [str(t.system_attrs["fixed_params"]) for t in ended if "fixed_params" in t.system_attrs]
    assert len(queued) == len(set(queued))


def test_workers_share_one_budget(storage: str, tmp_path: Path) -> None:
    usual = named("frugal", storage, TRIALS, tmp_path)
    poor = replace(usual, settings=usual.settings.model_copy(update={"max_calls": 30}))
    watch = RunWatch()
    with dspy.context(watches=[watch]), pytest.raises(BudgetSpent, match=r"the limit is 30|a limit on calls"):
        tune(poor, silent, ProcessEngine(2))
    assert watch.progress().calls == 30
    assert not running(usual.open())
