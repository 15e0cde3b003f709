"""`summq summarize` on the offline reader: what goes where, and what a second run does."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from summq.cli.commands.summarize import tell_shortage
from summq.programs import SummQ
from summq.programs.config import SummQConfig
from tests.command import Ran, mistake
from tests.documents import HARBOUR
from tests.planted import halls, planted

Summq = Callable[..., Ran]
QUICK = ("--questions", "2/2/2", "--words", "150", "--iterations", "2")


def result_in(folder: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((folder / "result.json").read_text())
    return content


def test_the_help_tells_the_defaults(summq: Summq) -> None:
    told = " ".join(summq("summarize", "--help").out.replace("│", " ").split())
    assert "solo by default" in told
    assert f"Length of the summary; {SummQConfig().target_words} by default" in told
    assert f"at most; {SummQConfig().max_iterations} by default" in told


@pytest.mark.slow
def test_results_go_to_stdout_and_everything_into_the_folder(summq: Summq, tmp_path: Path) -> None:
    ran = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    assert ran.status == 0
    assert ran.out.startswith("Exam: ")
    assert ran.out.endswith(f"\n\n{(tmp_path / 'summary.md').read_text().strip()}\n")
    assert "answer from the summary" not in ran.out
    assert {path.name for path in tmp_path.iterdir()} == {
        ".lock",
        "quiz.json",
        "document.txt",
        "report.html",
        "request.json",
        "result.json",
        "run.log",
        "summary.md",
        "usage.json",
    }
    assert len(json.loads((tmp_path / "quiz.json").read_text())["questions"]) == 6


def test_progress_usage_and_the_note_on_offline_go_to_stderr(summq: Summq, tmp_path: Path) -> None:
    ran = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    assert ran.err.startswith("offline is an extractive reader, not a language model")
    assert "tokens in" in ran.err
    assert ran.err.rstrip().endswith(f"see {tmp_path / 'report.html'}")


def test_the_quiz_is_printed_when_it_is_asked_for(summq: Summq, tmp_path: Path) -> None:
    assert "answer from the summary" in summq("summarize", HARBOUR, "--out", tmp_path, *QUICK, "--quiz").out


def test_json_is_the_result_and_nothing_else(summq: Summq, tmp_path: Path) -> None:
    ran = summq("summarize", HARBOUR, "--out", tmp_path, "--json", *QUICK)
    assert json.loads(ran.out) == result_in(tmp_path)


def test_the_same_command_again_runs_nothing(summq: Summq, tmp_path: Path) -> None:
    first = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    again = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    assert again.out == first.out
    assert "summary_generator.draft" not in again.err
    assert (tmp_path / "run.log").read_text().count("started") == 1


@pytest.mark.slow
def test_another_command_on_the_same_folder_says_so_and_runs_again(summq: Summq, tmp_path: Path) -> None:
    first = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    other = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK, "--preset", "combo")
    assert f"{tmp_path} holds a run of another document, other settings" in other.err
    assert "holds a run" not in first.err
    assert len(result_in(tmp_path)["iterations"][0]["summary_generation"]["drafts"]) == 3  # type: ignore[index]


def test_a_missing_key_is_told_alone(summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    ran = summq("summarize", HARBOUR, "--out", tmp_path, "--backbone", "openai/gpt-4o")
    assert (ran.status, ran.err) == (2, "summq: openai/gpt-4o is not configured: set OPENAI_API_KEY\n")


@pytest.mark.slow
@pytest.mark.parametrize("content", ['{"a":', "", None])
def test_a_damaged_result_is_run_again(summq: Summq, tmp_path: Path, content: str | None) -> None:
    first = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    (tmp_path / "result.json").unlink() if content is None else (tmp_path / "result.json").write_text(content)
    again = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    assert f"{tmp_path}/result.json is missing or damaged: the document is run again\n" in again.err
    assert again.out == first.out
    assert "finished before" in summq("summarize", HARBOUR, "--out", tmp_path, *QUICK).err


@pytest.mark.slow
def test_each_of_several_documents_gets_a_folder_and_a_heading(summq: Summq, tmp_path: Path) -> None:
    other = tmp_path / "harbour.md"
    other.write_text(HARBOUR.read_text().replace("Kestrel", "Falcon"))
    ran = summq("summarize", HARBOUR, other, "--out", tmp_path / "runs", *QUICK)
    assert ran.status == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["harbour", "harbour-2"]
    assert ran.out.count("Exam: ") == 2
    assert ran.out.startswith(f"{HARBOUR} ─")
    assert f"\n{other}: iterations: " in ran.err
    assert "exams so far: 2 documents" in ran.err


@pytest.mark.slow
def test_a_document_that_is_named_twice_is_read_once(summq: Summq, tmp_path: Path) -> None:
    ran = summq("summarize", HARBOUR, HARBOUR, "--out", tmp_path, *QUICK)
    assert f"{HARBOUR} is named more than once, and read once" in ran.err
    assert ran.out.startswith("Exam: ")


def test_a_folder_is_summarised_and_what_cannot_be_read_stops_nothing(summq: Summq, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "harbour.md").write_bytes(HARBOUR.read_bytes())
    (folder / "empty.md").touch()
    (folder / "short.md").write_text("Too short a text.")
    (folder / "inner").mkdir()
    ran = summq("summarize", folder, tmp_path / "missing.md", *QUICK, "--out", tmp_path / "run")
    assert "empty.md is empty" in ran.err
    assert "short: has 4 words, too few" in ran.err
    assert f"{folder / 'inner'} is left out" in ran.err
    assert "missing.md does not exist" in ran.err
    assert str(result_in(tmp_path / "run/harbour")["summary"]) in ran.out
    assert ran.status == 2


def test_the_folder_is_named_after_the_document(summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    summq("summarize", HARBOUR, *QUICK)
    assert (tmp_path / "runs/harbour/summary.md").is_file()


def test_standard_input_is_a_document(summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HARBOUR.read_bytes())))
    ran = summq("summarize", "-", "--out", tmp_path, *QUICK)
    assert ran.status == 0
    assert "stdin: iterations: " in ran.err


@pytest.mark.slow
def test_a_budget_that_ends_after_an_iteration_exits_3_with_its_result(summq: Summq, tmp_path: Path) -> None:
    summq("summarize", HARBOUR, "--out", tmp_path / "one", *QUICK, "--iterations", "1")
    calls = json.loads((tmp_path / "one/usage.json").read_text())["calls"]
    limited = ("--max-calls", calls + 1, "--backbone", "offline:seed=2")  # another seed: nothing comes from the cache
    ran = summq("summarize", HARBOUR, "--out", tmp_path / "two", *QUICK, *limited)
    assert ran.status == 3
    assert "Exam: " in ran.out
    assert "stopped by the budget" in ran.err
    again = summq("summarize", HARBOUR, "--out", tmp_path / "two", *QUICK, "--backbone", "offline:seed=2")
    assert again.status == 0  # what the budget stopped is no finished run


def test_a_quiz_that_stays_short_is_said_to_be(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(
        "The ferry sank off Brannoch in 1994. Helen Sorley saw it from the quay.\n\n" * 9
    )
    command = ("summarize", tmp_path / "small.txt", "--out", tmp_path / "run", "--words", "20", "--questions", "9/1/1")
    told, machine, again = summq(*command), summq(*command, "--json"), summq(*command)
    result = json.loads(machine.out)
    lacking = result["missing"]["multiple_choice"]
    there = len(result["quiz"]["questions"])
    assert (result["wanted"]["multiple_choice"], there + sum(result["missing"].values())) == (9, 11)
    says = f"the quiz has {there} of 11 questions (missing: {lacking} multiple choice"
    assert all(f"small: {says}" in ran.err for ran in (told, machine, again))
    assert says in (tmp_path / "run/run.log").read_text()


def test_a_complete_quiz_is_not_spoken_of(summq: Summq, tmp_path: Path) -> None:
    ran = summq("summarize", HARBOUR, "--out", tmp_path, *QUICK)
    assert "the quiz has" not in ran.err + (tmp_path / "run.log").read_text()
    assert result_in(tmp_path)["missing"] == {"multiple_choice": 0, "true_false": 0, "short_answer": 0}


@pytest.mark.slow
def test_a_config_file_and_roles_are_used(summq: Summq, tmp_path: Path) -> None:
    config = HARBOUR.parent / "summq.toml"
    ran = summq("summarize", HARBOUR, "--out", tmp_path, "--config", config, "--role", "grader=offline:seed=9")
    assert ran.status == 0
    request = json.loads((tmp_path / "request.json").read_text())
    assert request["roles"]["grader"] == "offline:seed=9"
    assert request["config"]["target_words"] == 300


@pytest.mark.slow
def test_a_document_beyond_the_window_is_read_through_notes(summq: Summq, tmp_path: Path) -> None:
    config = tmp_path / "small.toml"
    config.write_text("[options]\nwindow = 4000\n")
    ran = summq("summarize", HARBOUR, "--out", tmp_path / "run", "--config", config, *QUICK)
    assert ran.status == 0
    assert "too long for the window: read through notes on" in ran.err


@pytest.mark.slow
def test_many_documents_need_few_open_files(tmp_path: Path) -> None:
    text = HARBOUR.read_text()
    for number in range(60):
        (tmp_path / f"{number}.txt").write_text(f"{text}\n\nThis is copy {number} of the text.\n")
    options = [
        "--backbone",
        "offline",
        "--preset",
        "solo",
        "--words",
        "100",
        "--iterations",
        "1",
        "--questions",
        "0/2/0",
        "--concurrency",
        "64",
    ]
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (90, 90)); "
        "from summq.cli.main import main; sys.argv[0] = 'summq'; main()"
    )
    command = [sys.executable, "-c", limited, "summarize", *map(str, sorted(tmp_path.glob("*.txt"))), *options]
    ran = subprocess.run([*command, "--out", str(tmp_path / "out")], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert len(list((tmp_path / "out").glob("*/result.json"))) == 60


@pytest.mark.slow
def test_shards_share_the_documents_and_the_folder_without_a_collision(summq: Summq, tmp_path: Path) -> None:
    sources = [tmp_path / name for name in ("a/report.md", "b/report.md", "b/other.md")]
    for source in sources:
        source.parent.mkdir(exist_ok=True)
        source.write_text(HARBOUR.read_text())
    out = tmp_path / "out"
    for shard, named in (("1/2", {"report", "other"}), ("2/2", {"report", "other", "report-2"})):
        ran = summq("summarize", *sources, "--shard", shard, "--out", out, *QUICK)
        assert ran.status == 0, ran.err
        assert {path.name for path in out.iterdir()} == named
    assert "is empty: there are only 3" in mistake(summq("summarize", *sources, "--shard", "4/4", *QUICK))


def test_sentences_that_were_left_out_of_drafts_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    draft = {
        "summary": " ".join(f"In hall {n} the engineers of {n} counted lamps and cranes at dusk." for n in range(6))
    }
    config = SummQConfig(quiz_stream=False, reviews=False, max_iterations=1, target_words=50)
    with planted({"summary_generator.draft": draft, "summary_generator.revise": draft}):
        result = SummQ(config)(document=halls()).result
    job: Any = SimpleNamespace(document=halls(), folder=SimpleNamespace(path=Path("runs/halls")))
    tell_shortage(job, result)
    assert "left out of them: 2 sentences (see runs/halls/report.html)" in capsys.readouterr().err
