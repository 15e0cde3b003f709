"""`summq doctor` tells what is installed and what answers."""

from collections.abc import Callable

import pytest

from summq.programs.runtime.checkup import PARTS
from tests.command import Ran
from tests.fakes import FakeProvider

Summq = Callable[..., Ran]


@pytest.mark.slow
def test_a_backbone_that_answers_is_shown_with_its_models(summq: Summq) -> None:
    with FakeProvider() as server:
        server.models = [f"model-{number}" for number in range(10)]
        ran = summq("doctor", "--backbone", f"hosted_vllm/model-3@{server.url}")
    assert ran.status == 0
    assert "model-0, model-1" in ran.out
    assert "and 2 more" in ran.out


def test_a_named_backbone_that_does_not_answer_exits_1(summq: Summq) -> None:
    ran = summq("doctor", "--backbone", "hosted_vllm/m@http://127.0.0.1:9/v1")
    assert ran.status == 1
    assert "does not answer" in ran.out


def test_every_optional_part_is_listed(summq: Summq) -> None:
    ran = summq("doctor", "--backbone", "offline")
    assert all(part.name in ran.out for part in PARTS)


def test_a_malformed_spec_exits_2(summq: Summq) -> None:
    ran = summq("doctor", "--backbone", "gpt-4o")
    assert ran.status == 2
    assert ran.err.startswith("summq: 'gpt-4o' names no backbone")
