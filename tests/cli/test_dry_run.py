"""`summq summarize --dry-run`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran
from tests.documents import HARBOUR

Summq = Callable[..., Ran]


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_dry_run_shows_what_each_role_would_use_and_leaves_nothing_behind(summq: Summq, tmp_path: Path) -> None:
    ran = summq("summarize", HARBOUR, "--preset", "combo", "--dry-run")
    assert ran.status == 0
    assert ran.err == ""
    assert "harbour, 2,867 words" in ran.out
    assert "summary_generator.draft" in ran.out
    assert not list(tmp_path.iterdir())


def test_the_real_run_stays_within_it(summq: Summq) -> None:
    arguments = ("summarize", HARBOUR, "--preset", "solo", "--json")
    foreseen, made = (json.loads(summq(*arguments, *extra).out) for extra in (["--dry-run"], []))
    for name in ("calls", "input_tokens", "output_tokens", "cost"):
        assert foreseen[name]["least"] <= made["usage"][name] <= foreseen[name]["most"]


def test_nothing_is_sent_to_the_backbone(summq: Summq) -> None:
    ran = summq("summarize", HARBOUR, "--backbone", "hosted_vllm/m@http://127.0.0.1:9/v1", "--dry-run")
    assert ran.status == 0
    assert "unknown" in ran.out
