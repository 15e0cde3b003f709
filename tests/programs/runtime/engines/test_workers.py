"""Workers that are other processes: results, errors, deaths and limits. Those of a Ray cluster are held to the same."""

import logging
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.programs.errors import BackboneError, BudgetSpent, ConfigError, DataError, RunError, ShortDocument
from summq.programs.runtime.engines import LOCAL, Engine, open_engine
from summq.programs.runtime.engines.processes import ProcessEngine
from summq.programs.runtime.engines.remote import ignored_warnings
from summq.programs.runtime.parallel import parallel, parallel_outcomes
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import session
from tests.fakes import FakeProvider

GOOD = "[[ ## gist ## ]]\nlamps\n\n[[ ## completed ## ]]"
pytestmark = pytest.mark.slow
Opening = Callable[[], AbstractContextManager[Engine]]


@pytest.fixture(params=["local", pytest.param("ray", marks=[pytest.mark.extra_ray, pytest.mark.simulation])])
def opening(request: pytest.FixtureRequest) -> Opening:
    """Opens an engine with two workers."""
    return partial(open_engine, request.param, workers=2)


def told(item: int) -> tuple[int, int]:
    if item < 0:
        raise DataError(f"{item}: less than nothing")
    time.sleep(0.2)
    return item * 2, os.getpid()


def told_by_both(folder: Path, item: int) -> tuple[int, int]:
    """The same, once two processes are at work: on a busy machine one may come up late."""
    (folder / str(os.getpid())).touch()
    patience = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < patience:
        time.sleep(0.05)
    return told(item)


def fatal(folder: Path, item: int) -> int:
    """Kills its process the first time it is called for item 3, and always for item 7."""
    if item == 7 or (item == 3 and not (folder / "killed").exists()):
        (folder / "killed").write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return item


def ask(text: str) -> str:
    role = Role(dspy.Signature("text -> gist"), "summary_generator")
    gist: str = role(text=text).gist
    return gist


@contextmanager
def keyless() -> Iterator[None]:
    raise BackboneError("no key")
    yield


def test_items_go_to_all_workers_and_errors_come_back(opening: Opening, tmp_path: Path) -> None:
    offline = partial(session, "offline")
    with opening() as engine, offline(), engine.running(partial(told_by_both, tmp_path), offline, 2) as elsewhere:
        outcomes = parallel_outcomes(elsewhere, [1, 2, -1, 3, 4], at_once=4)
    error = outcomes.pop(2)
    assert [outcome[0] for outcome in outcomes if not isinstance(outcome, Exception)] == [2, 4, 6, 8]
    processes = {outcome[1] for outcome in outcomes if not isinstance(outcome, Exception)}
    assert len(processes) == 2
    assert os.getpid() not in processes
    assert isinstance(error, DataError)
    assert str(error) == "-1: less than nothing"


def test_a_worker_that_dies_is_replaced_and_its_items_are_done_again(
    opening: Opening, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    offline = partial(session, "offline")
    with opening() as engine, offline(), engine.running(partial(fatal, tmp_path), offline, 2) as elsewhere:
        assert parallel(elsewhere, range(6), at_once=4) == list(range(6))
    (line,) = (record.getMessage() for record in caplog.records if record.levelno == logging.WARNING)
    assert line.endswith("has died and is replaced: what it had not finished is done again")


@pytest.mark.simulation
def test_an_item_that_kills_every_worker_is_given_up(opening: Opening, tmp_path: Path) -> None:
    offline = partial(session, "offline")
    with opening() as engine, offline(), engine.running(partial(fatal, tmp_path), offline, 1) as elsewhere:
        with pytest.raises(RunError, match="5 workers in a row died"):
            elsewhere(7)
        assert elsewhere(1) == 1


def test_what_keeps_workers_from_working_is_told(opening: Opening) -> None:
    with (
        opening() as engine,
        session("offline"),
        engine.running(told, keyless, 2) as elsewhere,
        pytest.raises(BackboneError, match=r"^no key"),
    ):
        elsewhere(1)


def test_all_workers_keep_one_limit_and_one_budget(opening: Opening) -> None:
    with FakeProvider(GOOD, delay=0.1) as provider:
        opened = partial(session, f"hosted_vllm/fake-model@{provider.url}", concurrency=3, max_calls=20)
        with opening() as engine, opened() as here:
            with engine.running(ask, opened, 8) as elsewhere:
                outcomes = parallel_outcomes(elsewhere, [f"text {number % 30}" for number in range(40)], at_once=16)
            usage = here.meter.usage()
    spent = [outcome for outcome in outcomes if isinstance(outcome, BudgetSpent)]
    assert provider.peak <= 3
    assert len(provider.requests) == here.budget.calls == usage.calls == 20
    assert len(spent) >= 10
    assert len(outcomes) - len(spent) == sum("lamps" in str(outcome) for outcome in outcomes) >= 20


def test_engines_are_named_and_go_with_their_options() -> None:
    def opened(*arguments: Any) -> Engine:
        with open_engine(*arguments) as engine:
            return engine

    assert opened() is LOCAL
    assert isinstance(opened("local", None, 2), ProcessEngine)
    with pytest.raises(ConfigError, match="unknown engine 'spark': there are local, ray"):
        opened("spark")
    with pytest.raises(ConfigError, match="add --engine ray"):
        opened("local", "host:6379")
    with LOCAL.running(told, nullcontext, 1) as here:
        assert here(1)[1] == os.getpid()


@pytest.mark.extra_ray
def test_an_address_at_which_nothing_answers_is_told_at_once() -> None:
    with pytest.raises(ConfigError, match=r"no cluster answers at 127\.0\.0\.1:1 "), open_engine("ray", "127.0.0.1:1"):
        pass


def test_workers_ignore_the_warnings_that_the_command_ignores() -> None:
    assert ShortDocument not in ignored_warnings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortDocument)
        assert ShortDocument in ignored_warnings()
