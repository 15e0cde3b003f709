"""The teachable model: what is declared makes replies better, over HTTP, and nothing else does."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import dspy
import pytest
from recovery import TeachableTask, program, rows
from teachable import ROLES, World, serve

from summq.optimizers.compiling.guard import score_examples
from summq.optimizers.compiling.student import Lesson, teach
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.session import session

DRAFT = "summary_generator.draft"
WORLD = World(5, {DRAFT: 0.3}, noise=0.05, luck=0.0)


@pytest.fixture
def model() -> Iterator[None]:
    with serve(WORLD) as provider, session(connect(f"hosted_vllm/teachable@{provider.url}")):
        yield


def mean(role: str, addendum: str = "", *demos: dspy.Example) -> float:
    taught = program()
    teach(taught, {role: Lesson(addendum, demos)})
    task = TeachableTask(role, WORLD)
    scores = score_examples(task.module(taught), task.examples(rows(0, 12), 0), task.metric)
    return fmean(score for score in scores if score is not None)


@pytest.mark.slow
def test_the_right_advice_is_worth_what_is_declared(model: Any) -> None:
    right = WORLD.aspect(DRAFT)
    assert mean(DRAFT, f"State the {right}.") - mean(DRAFT) == pytest.approx(0.3, abs=0.05)


@pytest.mark.slow
def test_other_advice_changes_nothing_and_some_does_harm(model: Any) -> None:
    wrong = "places" if WORLD.aspect(DRAFT) != "places" else "dates"
    assert mean(DRAFT, f"State the {wrong}.") == pytest.approx(mean(DRAFT), abs=0.05)
    assert mean(DRAFT, "Be funny.") < mean(DRAFT) - 0.05


def test_a_demo_teaches_what_it_shows(model: Any) -> None:
    demo = dspy.Example(target_words=50, summary=f"Quality 0.500; attends to the {WORLD.aspect(DRAFT)}.")
    assert mean(DRAFT, "", demo) > mean(DRAFT) + 0.2


def test_a_role_without_a_gain_learns_nothing(model: Any) -> None:
    role = "summary_aggregator"
    assert mean(role, f"State the {WORLD.aspect(role)}.") == pytest.approx(mean(role), abs=0.05)


def test_it_plays_the_whole_program(model: Any) -> None:
    summary = program()(document=rows(3, 1)[0].document).summary
    assert summary.startswith("Quality ")


@pytest.mark.slow
def test_every_role_is_asked_for_something_that_it_can_answer(model: Any) -> None:
    for role in ROLES:
        assert 0 <= mean(role) <= 1
