"""The example that makes something else."""

import runpy
from pathlib import Path

import pytest

from tests.planted import found, halls, issue, planted, stands

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPT = EXAMPLES / "headlines.py"


def test_a_headline_is_written_reviewed_and_mended_by_roles_of_its_own() -> None:
    plan = {
        "headline_generator.draft": {"summary": "Lamps Counted"},
        "headline_aggregator": {"summary": "Lamps Counted in Halls"},
        "headline_generator.revise": {"summary": "Hundred Halls Lit"},
        "headline_ranker": {"best": "B"},
        "headline_generator.vote": {"better": "second"},
        "headline_reviewer.review#1": found(issue("Lamps", "omission", "How many halls?")),
        "headline_reviewer.debate": stands(default=True),
        "headline_reviewer.verdict": stands(default=True),
    }
    headlines = runpy.run_path(str(SCRIPT))["Headlines"]()
    with planted(plan) as engine:
        made = headlines(document=halls())
    assert made.first in ("Lamps Counted", "Lamps Counted in Halls")
    assert [i.target for i in made.issues] == ["Lamps"]
    assert {asked.role.partition("_")[0] for asked in engine.asked} == {"headline"}
    (asked, *_) = engine.of("headline_generator.revise")
    assert "How many halls?" in asked["feedback"]
    assert "Rewrite the headline" in asked.text


def test_the_script_runs_offline(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["headlines.py", str(EXAMPLES / "harbour.md")])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    headline = capsys.readouterr().out.splitlines()[-1].removeprefix("headline: ")
    assert 5 <= len(headline.split()) <= 12
