"""Calls by role, as foretold and as made."""

from typing import Any

import pytest

from summq.programs import SummQ, SummQConfig
from summq.programs.expected_calls import Calls, expected_calls, expected_calls_of_round, total
from tests.plans import BUSY, SIX
from tests.planted import halls, planted

CONFIGS: list[dict[str, Any]] = [
    {"name": "solo"},
    {"name": "combo"},
    {"name": "combo", "paper_faithful": True},
    {"name": "combo_r", "max_iterations": 2, "return_iteration": "best"},
    {"name": "combo", "quiz_stream": False, "debate_rounds": 0},
    {"name": "combo", "reviews": False},
    {"name": "combo", "debate_rounds": 3, "verify_quiz": False},
    {"name": "solo", "summary_reviewers": 5, "quiz_generators": 2, "paper_faithful": True},
]


def made(plan: dict[str, Any], preset: dict[str, Any]) -> dict[str, int]:
    with planted(plan) as engine:
        SummQ.preset(**{"questions": SIX, **preset})(document=halls())
    return engine.calls


@pytest.mark.parametrize("preset", CONFIGS)
@pytest.mark.parametrize("plan", [{}, BUSY])
def test_a_run_makes_as_many_calls_as_foretold(plan: dict[str, Any], preset: dict[str, Any]) -> None:
    foretold = expected_calls(SummQConfig.preset(**{"questions": SIX, **preset}))
    calls = made(plan, preset)
    assert calls.keys() <= foretold.keys()
    for role, expected in foretold.items():
        assert expected.least <= calls.get(role, 0) <= expected.most, role


@pytest.mark.parametrize("preset", CONFIGS)
def test_a_round_in_which_everything_is_contested_makes_all_calls(preset: dict[str, Any]) -> None:
    config = {**preset, "max_iterations": 1, "return_iteration": "last"}
    config["every_call"] = True
    calls = made(BUSY, config)
    foretold = expected_calls(SummQConfig.preset(**{"questions": SIX, **config}))
    assert calls == {role: expected.most for role, expected in foretold.items()}


def test_a_round_in_the_papers_reading_makes_37_calls_and_those_of_short_answers() -> None:
    round_ = expected_calls_of_round(SummQConfig.preset("combo", paper_faithful=True))
    assert total(round_).most - round_["grader"].most == 37
    assert round_["grader"] == Calls(least=0, most=1)


@pytest.mark.parametrize(("agents", "debate_rounds"), [(2, 1), (3, 1), (3, 2), (5, 1)])
def test_the_papers_formula(agents: int, debate_rounds: int) -> None:
    n, t = agents, debate_rounds
    counts = dict.fromkeys(("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers"), n)
    config = SummQConfig.preset("combo", paper_faithful=True, debate_rounds=t, **counts)
    calls = expected_calls_of_round(config)
    assert total(calls).most - calls["grader"].most == 2 * (2 * n + 2) + 2 * ((2 + t) * n + 1) + 1


def test_a_document_takes_111_calls_in_the_papers_reading() -> None:
    calls = expected_calls(SummQConfig.preset("combo", paper_faithful=True))
    assert total(calls).most - calls["grader"].most == 111


def test_solo_has_one_call_of_each_role_in_a_round_and_more_for_length_kinds_and_rereads() -> None:
    calls = expected_calls_of_round(SummQConfig.preset("solo"))
    assert {role: expected.most for role, expected in calls.items()} == {
        "summary_generator.draft": 1,
        "summary_generator.revise": 1,
        "summary_reviewer.review": 1,
        "quiz_generator.draft": 3,
        "quiz_reviewer.review": 1,
        "examinee": 1,
        "examinee.open_book": 2,
        "examinee.blind": 1,
        "grader": 3,
    }
