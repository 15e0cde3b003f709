"""`summq eval`, `report`, `judge`, `sheets` and `votes`, and the table of what can be wrong with their input."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch_server import WRITTEN, BatchServer, reply
from tests.command import Ran, mistake
from tests.documents import HARBOUR

Summq = Callable[..., Ran]
METRICS = "rouge,exam,faithfulness,surface"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data set of two short documents, in the current folder. Nothing is drawn, which takes seconds."""
    monkeypatch.chdir(tmp_path)
    for module in ("summq.cli.commands.eval", "summq.eval.pages.run"):
        monkeypatch.setattr(f"{module}.can_plot", lambda: False)
    text = HARBOUR.read_text()
    records = [
        {"id": "first", "document": text[: len(text) // 2], "summary": "The harbour was closed. " * 20},
        {"id": "second", "document": text[len(text) // 2 :], "summary": "The harbour was opened. " * 20},
    ]
    path = tmp_path / "harbour.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def evaluated(summq: Summq, data: Path, *more: object) -> Ran:
    options = (
        "--systems",
        "lead,direct,summq-solo=summq-solo:max_iterations=1",
        "--metrics",
        METRICS,
        "--words",
        80,
        "--out",
        "run",
    )
    return summq("eval", "--data", data, *options, *more)


@pytest.mark.slow
def test_systems_are_run_measured_and_reported(summq: Summq, data: Path) -> None:
    ran = evaluated(summq, data)
    assert ran.status == 0, ran.err
    assert "# harbour.jsonl, all: 2 documents" in ran.out
    assert "## summq-solo minus each other system" in ran.out
    assert "8 of 8 summaries" in ran.err
    assert "offline is an extractive reader" in ran.err
    assert "no plots: pip install" in ran.err
    results = json.loads(Path("run/metrics.json").read_text())["systems"]
    assert results["direct"]["calls"]["mean"] == 1
    assert results["lead"]["exam"]["n"] == 2
    assert len(list(Path("run/quizzes").glob("*.json"))) == 2


@pytest.mark.slow
def test_the_same_command_again_runs_nothing_and_prints_the_same(summq: Summq, data: Path) -> None:
    first, again = evaluated(summq, data), evaluated(summq, data)
    assert again.out == first.out
    assert "latest:" not in again.err
    assert len(Path("run/predictions.jsonl").read_text().splitlines()) == 8  # three systems and the reference


@pytest.mark.slow
def test_a_report_is_rebuilt_as_it_was(summq: Summq, data: Path) -> None:
    first = evaluated(summq, data)
    Path("run/table.md").unlink()
    Path("run/metrics.json").unlink()
    ran = summq("report", "run")
    assert (ran.status, ran.out) == (0, first.out)
    assert Path("run/metrics.json").exists()


def test_the_folder_is_named_after_the_split_that_is_read(summq: Summq, data: Path) -> None:
    ran = summq("eval", "--data", data, "--systems", "lead", "--metrics", "surface", "--words", 80)
    assert ran.status == 0, ran.err
    assert [path.name for path in Path("runs").iterdir()] == ["eval-harbour-all"]
    assert "too short" not in ran.err


def test_documents_no_longer_than_their_summaries_are_told(summq: Summq, data: Path) -> None:
    ran = summq("eval", "--data", data, "--systems", "lead", "--metrics", "surface", "--words", 5000, "--out", "run")
    line = "too short: 2 of 2 documents have no more than the 5000 words that a summary is to have (first, second)"
    assert (ran.status, ran.err.count(line), ran.out.count(line)) == (0, 1, 1)


def test_several_data_sets_get_a_folder_each(summq: Summq, data: Path) -> None:
    other = data.with_name("other.jsonl")
    other.write_text(data.read_text().replace("first", "third"))
    ran = summq("eval", "--data", data, "--data", other, "--systems", "lead", "--metrics", "surface", "--out", "run")
    assert ran.status == 0, ran.err
    assert {path.name for path in Path("run").iterdir()} == {"harbour", "other"}


@pytest.mark.slow
def test_a_sweep_and_published_rows_are_one_option_each(summq: Summq, data: Path) -> None:
    ran = summq(
        "eval", "--data", data, "--sweep", "questions", "--sweep-base", "summq-solo:max_iterations=1",
        "--paper", "mensa", "--metrics", "rouge", "--words", 60, "--limit", 1, "--out", "run",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    assert "summq-solo:max_iterations=1+questions=2/2/1" in ran.out
    assert "| SummQ COMBO | published | 41.58 |" in ran.out
    points = json.loads(Path("run/config.json").read_text())["sweep"]["points"]
    assert [point["x"] for point in points] == [5, 10, 30]


@pytest.mark.slow
def test_a_config_file_holds_for_the_systems_of_an_evaluation(summq: Summq, data: Path) -> None:
    Path("few.toml").write_text("preset = 'combo'\nmax_iterations = 1\nquiz_stream = false\nsummary_reviewers = 1\n")
    ran = summq("eval", "--data", data, "--metrics", "surface", "--config", "few.toml", "--out", "run")
    assert ran.status == 0, ran.err
    roles = {
        role
        for line in Path("run/predictions.jsonl").read_text().splitlines()
        if (outcome := json.loads(line))["system"] == "summq-combo"
        for role in outcome["usage"]["roles"]
    }
    assert "summary_aggregator" in roles
    assert not [role for role in roles if "quiz" in role or role in ("summary_grouper", "examinee")]


@pytest.mark.slow
def test_two_systems_are_judged_in_both_orders(summq: Summq, data: Path) -> None:
    evaluated(summq, data)
    ran = summq("judge", "run:summq-solo", "run:lead", "--criteria", "coverage", "--out", "judged")
    assert ran.status == 0, ran.err
    assert "# summq-solo against lead, judged by offline" in ran.out
    assert "of the same family" in ran.out
    assert len(Path("judged/judgements.jsonl").read_text().splitlines()) == 2


@pytest.mark.slow
def test_an_evaluation_can_be_judged_at_once(summq: Summq, data: Path) -> None:
    ran = evaluated(summq, data, "--judge", "offline")
    assert ran.status == 0, ran.err
    assert "# summq-solo against lead, judged by offline" in ran.out
    assert "# summq-solo against direct, judged by offline" in ran.out
    assert {"judge-1", "judge-2"} <= {path.name for path in Path("run").iterdir()}


@pytest.mark.slow
def test_people_compare_two_systems_on_sheets(summq: Summq, data: Path) -> None:
    evaluated(summq, data)
    ran = summq("sheets", "run:summq-solo", "run:lead", "--out", "study", "--judges", 2, "--criteria", "coverage")
    assert (ran.status, ran.out.split()) == (0, ["study/sheet-1.html", "study/sheet-2.html"])
    for sheet in (1, 2):
        with Path(f"study/sheet-{sheet}.csv").open(newline="") as source:
            rows = [{**row, "coverage": "left"} for row in csv.DictReader(source)]
        with Path(f"study/filled-{sheet}.csv").open("w", newline="") as target:
            writer = csv.DictWriter(target, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    ran = summq("votes", "study", "study/filled-1.csv", "study/filled-2.csv")
    assert ran.status == 0, ran.err
    assert "| coverage | 4 | 50 % |" in ran.out


GOOD = {"document": "The ferry sank in 1994. Nobody was hurt.", "summary": "A ferry sank."}
FILES: dict[str, list[dict[str, object]]] = {
    "good.jsonl": [{"id": "a", **GOOD}, {"id": "b", **GOOD}],
    "columns.jsonl": [{"id": "a", "script": "x", "plot": "y"}],
    "mixed.jsonl": [{"id": "a", **GOOD}, {"id": "b", **GOOD, "document": 7}],
    "twice.jsonl": [{"id": "a", **GOOD}, {"id": "a", **GOOD}],
    "blank.jsonl": [{"id": "a", "document": " ", "summary": "x"}],
    "missing.jsonl": [{"id": "a", "summary": "x"}],
    "extra.jsonl": [{"id": name, "summary": "x"} for name in "abc"],
    "other.jsonl": [{"id": "z", **GOOD}],
}

TABLE = [
    ("eval", "no data set is named"),
    ("eval --data nowhere.jsonl", "nowhere.jsonl names no data set and no file"),
    ("eval --data columns.jsonl", "columns.jsonl line 1: no column for the summary"),
    ("eval --data columns.jsonl", "; name one with --summary-column."),
    ("eval --data mixed.jsonl", "mixed.jsonl line 2: column 'document' holds int, not text"),
    ("eval --data twice.jsonl", "two rows have the id 'a'"),
    ("eval --data blank.jsonl", "no row to use"),
    ("eval --data good.jsonl --split test --limit 0", "limit must be 1 or more"),
    ("eval --data corrupt.jsonl", "corrupt.jsonl line 2 is not JSON"),
    ("eval --data good.jsonl --systems predictions:missing.jsonl", "it lacks 1 (b)"),
    ("eval --data good.jsonl --systems predictions:extra.jsonl", "it has besides 1 (c)"),
    ("eval --data good.jsonl --systems predictions:corrupt.jsonl", "corrupt.jsonl line 2 is not JSON"),
    ("eval --data good.jsonl --systems direkt", "unknown system 'direkt'"),
    ("eval --data good.jsonl --systems ,", "--systems names nothing: write --systems A,B, or leave it out"),
    ("eval --data good.jsonl --systems lead,direct,lead", "--systems names 'lead' twice: name it once"),
    ("eval --data good.jsonl --metrics ,", "--metrics names nothing"),
    ("eval --data good.jsonl --systems second-human --metrics rouge", "--references first"),
    ("eval --data good.jsonl --metrics bleu", "unknown metric 'bleu'"),
    ("eval --data good.jsonl --words many", "--words 'many'"),
    ("eval --data good.jsonl --focus direkt", "'direkt' is none of the systems"),
    ("eval --data good.jsonl --sweep depth", "unknown sweep 'depth'"),
    ("eval --data good.jsonl --sweep backbones", "needs backbones"),
    ("eval --data good.jsonl --paper cnn", "nothing is published about 'cnn'"),
    ("eval --data good.jsonl --scorer gpt-4o", "'gpt-4o' names no backbone"),
    ("eval --data good.jsonl --systems direct@gpt-4o", "'gpt-4o' names no backbone"),
    ("eval --data other.jsonl --systems lead --metrics surface --out done", "holds an evaluation with another data"),
    ("report nowhere", "name the folder of a run of `summq eval`"),
    ("judge nowhere:a nowhere:b", "name the folder of a run of `summq eval`"),
    ("judge done:lead done:direct", "holds no system 'direct'"),
    ("judge done:lead done:lead --criteria beauty", "unknown criterion 'beauty'"),
    ("votes nowhere good.jsonl", "name the folder of a study"),
]


@pytest.fixture
def folder(summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the table and a run in `done`."""
    monkeypatch.chdir(tmp_path)
    for module in ("summq.cli.commands.eval", "summq.eval.pages.run"):
        monkeypatch.setattr(f"{module}.can_plot", lambda: False)
    for name, records in FILES.items():
        Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))
    Path("corrupt.jsonl").write_text('{"id": "a", "document": "x", "summary": "y"}\n{"id": "b", "docu')
    summq("eval", "--data", "good.jsonl", "--systems", "lead", "--metrics", "surface", "--out", "done")
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_every_mistake_is_one_line_and_exit_status_2(summq: Summq) -> None:
    for arguments, said in TABLE:
        ran = summq(*arguments.split())
        (line,) = [line for line in ran.err.splitlines() if line.startswith("summq: ")]
        assert said in line, arguments
        assert "Traceback" not in ran.err
        assert ran.status == 2, arguments


def outcomes(run: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(run, "predictions.jsonl").read_text().splitlines()]


QUICK = ("--systems", "lead,tail", "--words", 80, "--focus", "lead")


def test_a_mean_under_its_gate_is_exit_status_1(summq: Summq, data: Path) -> None:
    command = ("eval", "--data", data, *QUICK, "--metrics", "rouge", "--out", "run", "--fail-under")
    missed = summq(*command, "rouge1=0.9,rouge2=0")
    assert missed.status == 1
    assert "summq: run, lead: rouge1 is 0." in missed.err
    assert "under 0.9" in missed.err
    assert "rouge2" not in missed.err
    assert summq(*command, "rouge1=0.001").status == 0
    unknown = summq(*command, "exam=0.5")
    assert (unknown.status, "no column 'exam' is measured: there are rouge1" in unknown.err) == (2, True)


def test_a_run_is_compared_with_an_earlier_one(summq: Summq, data: Path) -> None:
    shared = ("eval", "--data", data, "--words", 80, "--metrics", "rouge")
    summq(*shared, "--systems", "mine=lead", "--out", "before")
    ran = summq(*shared, "--systems", "mine=tail", "--out", "after", "--against", "before")
    assert ran.status == 0, ran.err
    assert "## Against before" in ran.out
    assert "paired over 2 documents" in ran.out
    assert "| ROUGE-1 | mine | 2 | " in ran.out
    assert "Not known: there are too few documents for a test." in ran.out
    assert summq(*shared, "--systems", "mine=lead", "--out", "x", "--against", "nowhere").status == 2
    assert not Path("x").exists()


def test_a_finished_run_is_scored_by_further_metrics_without_running_systems_again(summq: Summq, data: Path) -> None:
    command = ("eval", "--data", data, *QUICK, "--out", "run", "--metrics")
    summq(*command, "rouge")
    before = {(o["system"], o["id"]): o for o in outcomes("run")}
    summq(*command, "surface")
    after = {(o["system"], o["id"]): o for o in outcomes("run")}
    assert after.keys() == before.keys()
    for key, outcome in after.items():
        assert outcome["seconds"] == before[key]["seconds"]
        assert outcome["metrics"]["rouge1"] == before[key]["metrics"]["rouge1"]
        assert outcome["metrics"]["words"] > 0
    assert set(json.loads(Path("run/config.json").read_text())["metrics"]) == {"rouge", "surface"}
    assert json.loads(Path("run/metrics.json").read_text())["systems"]["lead"]["words"]["n"] == 2


def test_a_document_without_a_summary_is_exit_status_1(summq: Summq, data: Path) -> None:
    Path("documents").mkdir()
    Path("documents/good.txt").write_text(HARBOUR.read_text())
    Path("documents/empty.txt").write_text("")
    ran = summq(
        "eval", "--data", "documents", "--systems", "lead", "--metrics", "surface", "--words", 60, "--out", "run"
    )
    assert ran.status == 1
    assert ran.err.splitlines()[-1] == "summq: run: no summary by lead on 1; the same command tries these again"


def test_shards_are_run_apart_and_merged_by_the_report(summq: Summq, data: Path) -> None:
    command = ("eval", "--data", data, "--systems", "lead", "--metrics", "surface,rouge", "--words", 60)
    whole = summq(*command, "--out", "whole")
    for shard in ("1/2", "2/2"):
        ran = summq(*command, "--shard", shard)
        assert ran.status == 0, ran.err
        assert ": 1 document\n" in ran.out
    ran = summq("report", "merged", "runs/eval-harbour-all-1-of-2", "runs/eval-harbour-all-2-of-2")
    assert ran.status == 0, ran.err
    assert Path("merged/config.json").read_text() == Path("whole/config.json").read_text()
    assert [o["id"] for o in outcomes("merged")] == ["first", "second"]
    assert without_time("merged") == without_time("whole")
    assert Path("merged/report.html").exists()
    assert "n`: documents with a summary, of 2" in whole.out
    again = summq(*command, "--out", "merged")
    assert again.status == 0
    assert without_time("merged") == without_time("whole")


def without_time(folder: str) -> list[str]:
    return [line for line in Path(folder, "table.csv").read_text().splitlines() if ",seconds," not in line]


def test_a_shard_that_is_none_or_missing_is_one_line(summq: Summq, data: Path) -> None:
    command = ("eval", "--data", data, "--systems", "lead", "--metrics", "surface", "--words", 60)
    assert "write I/N" in mistake(summq(*command, "--shard", "3/2"))
    assert "shard 3/3 is empty: there are only 2" in mistake(summq(*command, "--shard", "3/3"))
    summq(*command, "--shard", "1/2", "--out", "one")
    assert "of 2 shards 2 is missing" in mistake(summq("report", "merged", "one"))


@pytest.mark.slow
def test_batches_answer_direct_and_the_judge(summq: Summq, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summq.programs.runtime.batches.time.sleep", lambda seconds: None)
    verdict = "[[ ## reasons ## ]]\nMore.\n\n[[ ## verdict ## ]]\nfirst\n\n[[ ## completed ## ]]"
    with BatchServer(lambda body, before: reply(verdict if "verdict" in str(body) else WRITTEN), looks=2) as server:
        spec = f"openai/m@{server.url}"
        command = ("--systems", "direct,lead", "--metrics", "surface", "--words", 60, "--out", "run", "--batch")
        ran = summq("eval", "--data", data, "--backbone", spec, "--judge", spec, *command)
        assert ran.status == 0, ran.err
        assert (len(server.batches), server.direct) == (2, 0)
    assert f"{spec}: batch batch_1 with 2 calls is submitted" in ran.err
    assert "batch batch_2 is in_progress, 0 of 20 calls; the same command again waits for it" in ran.err
    assert "Win rate" in ran.out or "win rate" in ran.out
    refused = summq("eval", "--data", data, "--systems", "direct", "--metrics", "surface", "--words", 60, "--batch")
    assert "offline has no batch endpoint: --batch takes openai/MODEL" in mistake(refused)
