"""Runs on a backbone that spoils one reply in ten."""

from collections import Counter
from collections.abc import Iterator

import pytest

from summq.programs import SummQ
from summq.programs.documents import load_document
from summq.programs.runtime.offline import OfflineEngine
from summq.signatures import KINDS, LostAgent, SummQResult
from tests.documents import HARBOUR
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


def spoiled_run(seed: int) -> "tuple[SummQResult, Faulty]":
    """COMBO over the example with one reply in ten spoiled."""
    engine = Faulty(OfflineEngine(), rate=0.1, seed=seed)
    with on(engine):
        program = SummQ.preset("combo", target_words=200, questions=dict.fromkeys(KINDS, 4))
        return program(document=load_document(str(HARBOUR))).result, engine


def check_runs(number: int) -> None:
    lost: list[LostAgent] = []
    spoiled = 0
    roles = {"summary_generator", "quiz_generator"}  # lost while they drafted or revised
    for seed in range(number):
        result, engine = spoiled_run(seed)
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


@pytest.mark.slow
def test_runs_finish_and_name_who_was_lost() -> None:
    check_runs(5)


@pytest.mark.simulation
def test_fifty_runs_finish_and_name_who_was_lost() -> None:
    check_runs(50)
