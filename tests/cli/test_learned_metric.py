"""`summq exam --metric` and `summq eval --metrics examinee` rate summaries by a learned metric."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran, mistake
from tests.documents import HARBOUR

Summq = Callable[..., Ran]
OLD = Path(__file__).parents[1] / "compatibility" / "v0.1.0" / "metric"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tests run in a folder of their own, with a good and a bad summary of the demo document."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.txt").write_text(
        "The linkspan at Berth 2 of Kestrel Harbour collapsed on 14 February 2017 while a ferry was loading, and two "
        "people died. Water had got into the northern cylinder. Kestrel Harbour Company had cut its maintenance."
    )
    (tmp_path / "bad.txt").write_text("Cheese is made of milk. It ripens for 17 months in the cellars of Gruyere.")
    return tmp_path


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_a_good_summary_scores_higher_than_a_bad_one_without_a_call(summq: Summq) -> None:
    command = ("--document", HARBOUR, "--metric", "shipped", "--json")
    good, bad = (json.loads(summq("exam", name, *command).out) for name in ("good.txt", "bad.txt"))
    assert good["score"] > bad["score"]
    assert good["exam"] is None
    assert bad["feedback"].startswith("Score")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*don't trust this metric")
def test_a_metric_with_features_of_the_exam_shows_the_exam(summq: Summq) -> None:
    ran = summq("exam", "good.txt", "--document", HARBOUR, "--metric", OLD, "--json")
    assert json.loads(ran.out)["exam"]["answers"]


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_the_rating_says_what_is_wrong_and_what_the_metric_reaches(summq: Summq) -> None:
    ran = summq("exam", "bad.txt", "--document", HARBOUR, "--metric", "shipped")
    assert ran.status == 0
    assert "The document does not bear out" in ran.out
    assert "fitted on: " in ran.out


def test_a_folder_without_a_metric_is_one_line(summq: Summq) -> None:
    ran = summq("exam", "good.txt", "--document", HARBOUR, "--metric", "nowhere")
    assert ran.status == 2
    assert "nowhere/metric.json" in mistake(ran)


def test_a_metric_brings_its_own_quiz(summq: Summq) -> None:
    ran = summq("exam", "good.txt", "--document", HARBOUR, "--metric", "shipped", "--questions", "4/4/4")
    assert ran.status == 2
    assert "leave out" in mistake(ran)


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_an_evaluation_measures_with_it(summq: Summq, folder: Path) -> None:
    row = {"id": "harbour", "document": HARBOUR.read_text("utf-8"), "summary": (folder / "good.txt").read_text()}
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    ran = summq("eval", "--data", "rows.jsonl", "--systems", "direct", "--metrics", "examinee", "--out", "run")
    assert ran.status == 0
    measured = json.loads((folder / "run/metrics.json").read_text())
    assert 0 < measured["systems"]["direct"]["examinee"]["mean"] < 1
