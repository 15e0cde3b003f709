"""`summq summarize --dry-run` and `summq eval --dry-run`."""

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


@pytest.mark.slow
def test_the_real_run_stays_within_it(summq: Summq) -> None:
    arguments = ("summarize", HARBOUR, "--preset", "solo", "--json")
    foreseen, made = (json.loads(summq(*arguments, *extra).out) for extra in (["--dry-run"], []))
    for name in ("calls", "input_tokens", "output_tokens", "cost"):
        assert foreseen[name]["least"] <= made["usage"][name] <= foreseen[name]["most"]


def test_nothing_is_sent_to_the_backbone(summq: Summq) -> None:
    ran = summq("summarize", HARBOUR, "--backbone", "hosted_vllm/m@http://127.0.0.1:9/v1", "--dry-run")
    assert ran.status == 0
    assert "unknown" in ran.out


@pytest.mark.slow
def test_a_provider_needs_no_key_where_no_call_is_made(
    summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ran = summq("summarize", HARBOUR, "--backbone", "openai/gpt-4o", "--dry-run")
    assert (ran.status, ran.err) == (0, "")
    assert "unknown" not in ran.out

    data = tmp_path / "two.jsonl"
    data.write_text(json.dumps({"id": "a", "document": "The ferry sank.", "summary": "It sank."}) + "\n")
    ran = summq("eval", "--data", data, "--systems", "direct@openai/gpt-4o", "--metrics", "rouge", "--dry-run")
    assert ran.status == 0, ran.err
    assert "too short: 1 of 1 documents have no more than the 400 words that a summary is to have (a)" in ran.err


def test_an_evaluation_tells_its_rows_and_what_each_system_would_take(summq: Summq, tmp_path: Path) -> None:
    data = tmp_path / "harbour.jsonl"
    data.write_text(json.dumps({"id": "a", "document": HARBOUR.read_text(), "summary": "It was closed."}) + "\n")
    arguments = ("eval", "--data", data, "--systems", "lead,direct,hm-sr,summq-solo", "--metrics", "rouge")
    ran = summq(*arguments, "--words", 80, "--out", tmp_path / "run", "--dry-run")
    assert ran.status == 0, ran.err
    cells = {line.split()[0]: line.split()[1:] for line in ran.out.splitlines() if line.strip()}
    assert cells["lead"][:2] == ["1", "0"]
    assert cells["direct"][:2] == ["1", "1"]
    assert cells["hm-sr"] == ["1", "not", "foreseen"]
    assert cells["summq-solo"][1:5] == ["34", "(9", "-", "45)"]
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_what_is_in_the_folder_is_not_foreseen_again(summq: Summq, tmp_path: Path) -> None:
    data = tmp_path / "harbour.jsonl"
    data.write_text(json.dumps({"id": "a", "document": HARBOUR.read_text(), "summary": "It was closed."}) + "\n")
    arguments = ("eval", "--data", data, "--metrics", "rouge", "--words", 80, "--out", tmp_path / "run")
    assert summq(*arguments, "--systems", "lead").status == 0
    ran = summq(*arguments, "--systems", "lead,tail", "--dry-run")
    assert [line.split()[:2] for line in ran.out.splitlines() if "tail" in line or "lead" in line] == [
        ["lead", "0"],
        ["tail", "1"],
    ]
