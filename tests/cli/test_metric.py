"""`summq metric learn` and `show`, and `summq summarize --return best --metric`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from summq.cli.main import one_line
from tests.command import Ran, mistake
from tests.documents import HARBOUR
from tests.optimizers.domain import ROWS

Summq = Callable[..., Ran]
SOLO = ("--preset", "solo", "--words", "80", "--questions", "2/2/2", "--iterations", "2")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tests run in a folder of their own, with a data set of two rows."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": row.id, "document": row.document.text, "summary": row.references[0]}) for row in ROWS]
    for split in ("train", "dev"):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(lines))
    return tmp_path


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_a_metric_is_learned_shown_and_used(summq: Summq, folder: Path) -> None:
    learned = summq("metric", "learn", "--data", ".", "--out", "metric")
    assert learned.status == 0
    stored = json.loads((folder / "metric/metric.json").read_text())
    assert {gate["damage"] for gate in stored["gates"][0]["gates"]} >= {"word_salad", "changed_facts"}
    assert stored["agreement"][0]["name"].endswith("dev")
    shown = summq("metric", "show", "metric")
    assert shown.status == 0
    assert shown.out == learned.out
    assert "| word_order |" in shown.out
    used = summq("summarize", HARBOUR, *SOLO, "--return", "best", "--metric", "metric", "--out", "run")
    assert used.status == 0
    assert json.loads((folder / "run/request.json").read_text())["scorer"]


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_the_same_command_again_learns_the_same(summq: Summq, folder: Path) -> None:
    learned = [summq("metric", "learn", "--data", ".", "--references", "--out", "metric") for _ in range(2)]
    assert learned[0].out == learned[1].out
    assert "needs references" in learned[0].out


def test_a_metric_that_was_never_tried_warns_in_one_line(summq: Summq) -> None:
    old = Path(__file__).parents[1] / "compatibility" / "v0.1.0" / "metric"
    with pytest.warns(UserWarning, match="never tried on damaged summaries") as caught:
        ran = summq("metric", "show", old)
    assert ran.status == 0
    assert one_line(caught[0].message).startswith("warning: ")
    assert one_line(caught[0].message).count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("metric", "show", "nowhere"), "nowhere/metric.json"),
        (("metric", "learn", "--data", ".", "--out", "m", "--judgements", "none.jsonl"), "none.jsonl"),
        (("summarize", HARBOUR, "--metric", "shipped"), "add --return best"),
        (("summarize", HARBOUR, "--return", "best", "--metric", "shipped-with-references"), "uses references"),
    ],
)
def test_a_mistake_is_one_line(summq: Summq, arguments: tuple[str, ...], words: str) -> None:
    ran = summq(*arguments)
    assert ran.status == 2
    assert words in mistake(ran)
