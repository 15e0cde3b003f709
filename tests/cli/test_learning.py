"""`summq compile` and `summq tune` on the small domain that is shipped, and what can be wrong with their input."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from summq.cli.commands.compile import remarks_on
from summq.cli.commands.tune import select
from summq.eval.data import DataOptions
from summq.eval.metrics.reference import ReferenceScore
from summq.programs.runtime.files import sole_user
from tests.command import Ran, mistake

Summq = Callable[..., Ran]
DOMAIN = Path(__file__).resolve().parents[2] / "examples" / "domain"
FAST = ("--backbone", "offline", "--words", 60)


def compiled(summq: Summq, out: Path, *more: object) -> Ran:
    return summq("compile", "--data", DOMAIN, "--out", out, *FAST, "--metric-calls", 24, "--folds", 1, *more)


@pytest.mark.slow
def test_compile_says_what_it_does_and_leaves_a_program(summq: Summq, tmp_path: Path) -> None:
    ran = compiled(summq, tmp_path / "out", "--optimizer", "bootstrap", "--roles", "examinee")
    assert ran.status == 0, ran.err
    assert "examples in 1 fold: at most" in ran.err
    assert (
        "examinee, fold 1: 1.0000 before, on 4 held-out examples, about 1.0 LM calls each; nothing is left" in ran.err
    )
    assert "examinee: not better, not installed" in ran.err
    assert ran.out.startswith("# Prompts compiled by bootstrap for offline")
    summary = summq("summarize", DOMAIN.parent / "harbour.md", "--program", tmp_path / "out", "--out", tmp_path / "run")
    assert summary.status == 0, summary.err


def test_documents_shorter_than_their_summaries_are_told_in_a_line(tmp_path: Path) -> None:
    data = tmp_path / "train.jsonl"
    data.write_text("".join(f'{{"document": "{"The ferry sank. " * n}", "summary": "It sank."}}\n' for n in (2, 9)))
    assert remarks_on(DataOptions().request(str(data), "train").load(), 10) == [
        "train.jsonl train: 1 of 2 documents have no more than the 10 words of a summary (--words)"
    ]


@pytest.mark.slow
def test_several_backbones_make_a_cross_table(summq: Summq, tmp_path: Path) -> None:
    ran = compiled(
        summq, tmp_path, "--optimizer", "bootstrap", "--roles", "examinee", "--backbone", "offline:examinee=0.5"
    )
    assert ran.status == 0, ran.err
    assert {path.parent.name for path in tmp_path.glob("*/manifest.json")} == {"offline", "offline-examinee-0.5"}
    assert "| compiled for | run on offline | run on offline:examinee=0.5 |" in (tmp_path / "cross.md").read_text()
    assert "| nothing (as it was) | 1.0000, n 4 |" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--optimizer", "gpea"), "unknown optimizer 'gpea': there are bootstrap, "),
        (("--roles", "examiner"), "unknown role 'examiner': there are "),
        (
            ("--roles", "summary_ranker", "--preset", "solo"),
            "this program has no summary_ranker: choose a preset",
        ),
        (("--limit", 1), "number of train rows: 1; compiling needs 2 or more"),
        (("--split", "nowhere"), "has no file for split 'nowhere'"),
        (("--prompt-model", "nobody"), "'nobody' names no backbone"),
        (("--optimizer", "gepa", "--roles", "summary_reviewer.review"), "offline answers SummQ's own roles by rule"),
        (("--metric-calls", 1, "--optimizer", "mipro", "--roles", "examinee"), "mipro needs at least 7 metric calls"),
        (("--program", "/nowhere"), "can't be read (No such file or directory); name a folder that `summq compile`"),
    ],
)
def test_a_mistake_in_compiling_is_one_line(
    summq: Summq, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    ran = compiled(summq, tmp_path / "out", *arguments)
    assert ran.status == 2
    assert message in mistake(ran)
    assert "for offline: at most" not in ran.err  # told before anything starts


def test_a_missing_encoder_is_told_before_the_first_call(
    summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summq.eval.metrics.encoders.MODEL_FILE", ("no_such_package", "model.onnx"))
    monkeypatch.setattr("summq.optimizers.compiling.campaign.reference_score", ReferenceScore)
    ran = compiled(summq, tmp_path, "--optimizer", "bootstrap", "--roles", "examinee,summary_generator.draft")
    assert ran.status == 2
    assert "BERTScore needs an encoder: pip install" in mistake(ran)
    assert "for offline: at most" not in ran.err


def test_rows_without_references_are_refused(summq: Summq, tmp_path: Path) -> None:
    rows = [{"id": str(n), "document": "A text. " * 50, "summary": ""} for n in range(3)]
    for split in ("train", "dev"):
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = summq("compile", "--data", tmp_path, "--out", tmp_path / "out")
    assert ran.status == 2
    assert "no row to use in split 'train' (3 with no summary)" in mistake(ran)


@pytest.mark.slow
def test_compile_keeps_to_its_budget(summq: Summq, tmp_path: Path) -> None:
    ran = compiled(summq, tmp_path, "--optimizer", "bootstrap", "--roles", "examinee", "--max-calls", 5, "--seed", 7)
    assert ran.status == 3
    assert "stopped after 5 calls: the limit is 5 (--max-calls)" in mistake(ran)


@pytest.mark.slow
def test_tune_shows_the_front_and_writes_the_choice(
    summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summq.optimizers.tuning.page.study_figures", lambda *_: {})  # takes seconds
    space = tmp_path / "space.toml"
    space.write_text("summary_generators = [1, 2]\nmax_iterations = 1\nquestions = 1\ndebate_rounds = false\n")
    arguments = ("tune", "--data", DOMAIN, *FAST, "--limit", 2, "--space", space, "--out", tmp_path / "study")
    ran = summq(*arguments, "--trials", 3, "--choose", "auto")
    assert ran.status == 0, ran.err
    assert ran.err.count("complete: ") == 3
    assert "| trial | quality | calls |" in ran.out
    assert "<span>chosen</span>" in (tmp_path / "study" / "report.html").read_text("utf-8")
    written = tmp_path / "study" / "chosen.toml"
    assert f"see {tmp_path / 'study' / 'report.html'}" in ran.err
    assert "Chosen: solo, since nothing is shown to be better than it." in ran.out
    assert ran.out.endswith(f"chosen: solo, written to {written}: use it with --config {written}\n")
    assert "summary_generators = 1" in written.read_text()
    again = summq(*arguments, "--trials", 3)
    assert "complete: " not in again.err
    (tmp_path / "study" / "report.html").unlink()
    page = summq("report", tmp_path / "study")
    assert page.status == 0, page.err
    assert "| trial | quality | calls |" in page.out
    assert "<span>chosen</span>" in (tmp_path / "study" / "report.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--objectives", "speed"), "--objectives speed: write quality, or quality and calls or cost"),
        (("--quality", "rogue1=1"), "--quality: no metric has a column 'rogue1'"),
        (
            ("--storage", "postgresql://me:pw@127.0.0.1:1/x"),
            "storage postgresql://***@127.0.0.1:1/x can't be reached",
        ),
        (("--space", "nowhere.toml"), "nowhere.toml: No such file or directory"),
        (("--space", DOMAIN / "space.toml"), "name a folder that `summq compile` wrote"),
        (("--choose", "auto", "--limit", 1), "--choose auto: no row is left to choose by: 1 of 1 are for trials"),
    ],
)
def test_a_mistake_in_tuning_is_one_line(
    summq: Summq, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    ran = summq("tune", "--data", DOMAIN, *FAST, "--out", tmp_path / "study", "--trials", 1, *arguments)
    assert ran.status == 2
    assert message in mistake(ran)
    assert not list(tmp_path.iterdir())


def test_who_chooses_after_a_study_waits_for_another_process_that_does(tmp_path: Path) -> None:
    class Chosen(Exception):
        pass

    class Finals:
        def choose(self, study: object) -> None:
            entered.set()
            raise Chosen

    def choose() -> None:
        with pytest.raises(Chosen):
            select(None, Finals(), tmp_path)  # type: ignore[arg-type]

    entered, waiting = threading.Event(), threading.Thread(target=choose)
    with sole_user(tmp_path / ".choice.lock", "the choice"):
        waiting.start()
        assert not entered.wait(0.3)
    waiting.join(10)
    assert entered.is_set()
