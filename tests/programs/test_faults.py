"""Runs on a backbone that spoils a share of its replies, and on a server that does anything wrong one time in five."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from summq.programs import SummQ
from summq.programs.documents import load_document
from summq.programs.errors import SummQError
from summq.programs.runtime.offline import OfflineEngine
from summq.programs.runtime.session import session
from summq.signatures import KINDS, LostAgent, SummQResult
from tests.documents import HARBOUR
from tests.fault_server import FaultServer
from tests.planted import Faulty, on


def lost_in(result: SummQResult) -> Iterator[LostAgent]:
    """Everybody that a result names as lost."""
    yield from result.lost
    for iteration in result.iterations:
        yield from iteration.lost
        records = (
            iteration.summary_generation,
            iteration.quiz_generation,
            iteration.summary_review,
            iteration.quiz_review,
        )
        for record in records:
            yield from record.lost if record else ()


def spoiled_run(seed: int, rate: float) -> "tuple[SummQResult, Faulty]":
    """COMBO over the example with that share of the replies spoiled."""
    engine = Faulty(OfflineEngine(), rate=rate, seed=seed)
    with on(engine):
        program = SummQ.preset("combo", target_words=200, questions=dict.fromkeys(KINDS, 4))
        return program(document=load_document(str(HARBOUR))).result, engine


def check_runs(number: int, rate: float) -> None:
    lost: list[LostAgent] = []
    spoiled = 0
    roles = {"summary_generator", "quiz_generator"}  # lost while they drafted or revised
    for seed in range(number):
        result, engine = spoiled_run(seed, rate)
        spoiled += engine.spoiled
        assert result.summary.strip()
        assert result.quiz is not None
        assert not [fault for question in result.quiz.questions for fault in question.faults()]
        assert max(Counter(q.kind for q in result.quiz.questions).values()) <= 4
        assert SummQResult.model_validate_json(result.model_dump_json(by_alias=True)) == result
        lost += lost_in(result)
        roles |= {asked.role for asked in engine.asked}
    assert spoiled > 0
    assert lost
    assert all(agent.error for agent in lost)
    assert {agent.role for agent in lost} <= roles


def faulty_run(preset: str, seed: int, endpoint: str = "openai") -> "SummQResult | SummQError":
    """A run against a server at which a fifth of all requests goes wrong in one way or another."""
    with FaultServer(seed=seed, hang=2.0) as server:
        options: dict[str, Any] = {"cache_dir": "", "deadline": 1.0, "longest_wait": 0.05, "max_calls": 400}
        with session(f"{endpoint}/m@{server.url}", **options):
            program = SummQ.preset(preset, target_words=150, questions=dict.fromkeys(KINDS, 3))
            try:
                result: SummQResult = program(document=load_document(str(HARBOUR))).result
            except SummQError as error:
                return error
        assert server.faults
        return result


def check_faulty_runs(preset: str, number: int) -> int:
    """How many runs came to their end; whatever came out of them is valid."""
    finished = 0
    for seed in range(number):
        result = faulty_run(preset, seed)
        if isinstance(result, SummQError):
            assert "\n" not in str(result)
            continue
        finished += 1
        assert result.summary.strip()
        result.summary.encode()
        assert SummQResult.model_validate_json(result.model_dump_json(by_alias=True)) == result
    return finished


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["solo", "combo"])
def test_runs_end_well_though_a_fifth_of_all_requests_fails(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summq.programs.runtime.retries.FIRST_WAIT", 0.01)
    assert check_faulty_runs(preset, 2) >= 1


@pytest.mark.simulation
@pytest.mark.parametrize(("preset", "finished"), [("solo", 95), ("combo", 100)])
def test_a_hundred_runs_end_well_though_a_fifth_of_all_requests_fails(
    preset: str, finished: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summq.programs.runtime.retries.FIRST_WAIT", 0.01)
    assert check_faulty_runs(preset, 100) >= finished


@pytest.mark.slow
def test_runs_finish_and_name_who_was_lost() -> None:
    check_runs(3, rate=0.35)


@pytest.mark.simulation
def test_fifty_runs_finish_and_name_who_was_lost() -> None:
    check_runs(50, rate=0.25)
