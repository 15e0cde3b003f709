"""`summq exam` measures any summary with a kept quiz."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran, mistake
from tests.documents import HARBOUR
from tests.fakes import FakeProvider, Step, failing

Summq = Callable[..., Ran]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tests run in a folder of their own, where quizzes are kept."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def accuracy(ran: Ran) -> float:
    return float(json.loads(ran.out)["accuracy"])


@pytest.mark.slow
def test_the_document_itself_passes_and_a_strange_text_fails(summq: Summq, folder: Path) -> None:
    (folder / "strange.txt").write_text("Cheese is made of milk. It ripens for months.")
    itself = summq("exam", HARBOUR, "--document", HARBOUR, "--questions", "4/4/4", "--json")
    strange = summq("exam", "strange.txt", "--document", HARBOUR, "--questions", "4/4/4", "--json")
    assert accuracy(itself) > 0.9
    assert accuracy(strange) == 0


@pytest.mark.slow
def test_the_quiz_is_made_once_and_the_number_is_the_same_again(summq: Summq, folder: Path) -> None:
    (folder / "summary.txt").write_text(" ".join(HARBOUR.read_text().split()[:600]))
    command = ("exam", "summary.txt", "--document", HARBOUR, "--questions", "4/4/4")
    first = summq(*command)
    (kept,) = (folder / "runs/quizzes").glob("*.json")
    made = kept.stat().st_mtime_ns
    again = summq(*command)
    assert again.out == first.out
    assert kept.stat().st_mtime_ns == made
    assert "examiner" not in again.err
    assert "By kind, corrected for chance: choice" in first.out


def test_the_quiz_of_a_run_can_be_sat(summq: Summq, folder: Path) -> None:
    run = ("--words", "150", "--questions", "2/2/2", "--iterations", "1")
    summq("summarize", HARBOUR, "--out", folder / "run", *run)
    ran = summq("exam", folder / "run/summary.md", "--document", HARBOUR, "--quiz", folder / "run/quiz.json", "--json")
    result = json.loads((folder / "run/result.json").read_text())
    assert accuracy(ran) == result["exam"]["accuracy"]


@pytest.mark.parametrize(("evidence", "status"), [("Cheese ripens in caves for nine months.", 2), ("", 0)])
def test_a_quiz_about_another_document_is_refused(summq: Summq, folder: Path, evidence: str, status: int) -> None:
    question = {"kind": "true_false", "question": "Is it so?", "answer": "true", "evidence": evidence}
    (folder / "quiz.json").write_text(json.dumps([question]))
    ran = summq("exam", HARBOUR, "--document", HARBOUR, "--quiz", "quiz.json")
    assert ran.status == status
    assert ("quiz.json is about another document than" in ran.err) is bool(evidence)


def test_a_quiz_that_stays_short_is_said_to_be(summq: Summq, folder: Path) -> None:
    (folder / "small.txt").write_text("The ferry sank off Brannoch in 1994. Helen Sorley saw it from the quay.\n\n" * 9)
    command = ("exam", "small.txt", "--document", "small.txt", "--questions", "9/1/1")
    told, machine = summq(*command), summq(*command, "--json")
    lacking = json.loads(machine.out)["missing"]["multiple_choice"]
    assert lacking > 0
    assert all(f"of 11 questions (missing: {lacking} multiple choice" in ran.err for ran in (told, machine))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "can't be read"),
        ("{", "not a quiz (not JSON)"),
        ('"x"', "not a quiz"),
        ('{"questions": []}', "holds no questions"),
    ],
)
def test_a_file_that_is_no_quiz_is_one_line(summq: Summq, folder: Path, content: str | None, says: str) -> None:
    if content is not None:
        (folder / "quiz.json").write_text(content)
    ran = summq("exam", HARBOUR, "--document", HARBOUR, "--quiz", "quiz.json")
    assert ran.status == 2
    assert f"summq: quiz.json: {says}" in ran.err


@pytest.mark.slow
def test_another_backbone_has_questions_of_its_own(summq: Summq, folder: Path) -> None:
    command = ("exam", HARBOUR, "--document", HARBOUR, "--questions", "2/2/2")
    first, changed, again = summq(*command), summq(*command, "--backbone", "offline:seed=5"), summq(*command)
    assert "examiner" in changed.err
    assert len(list((folder / "runs/quizzes").glob("*.json"))) == 2
    assert "examiner" not in again.err
    assert again.out == first.out


@pytest.mark.slow
@pytest.mark.parametrize("other", [("--questions", "3/3/3"), ("--seed", "1")])
def test_other_seeds_and_numbers_of_questions_draw_from_the_same_pool(
    summq: Summq, folder: Path, other: tuple[str, str]
) -> None:
    command = ("exam", HARBOUR, "--document", HARBOUR, "--questions", "2/2/2")
    first, changed = summq(*command), summq(*command, *other)
    assert "examiner" not in changed.err
    assert changed.out != first.out
    assert len(list((folder / "runs/quizzes").glob("*.json"))) == 1


@pytest.mark.slow
def test_several_summaries_are_examined_with_one_quiz(summq: Summq, folder: Path) -> None:
    (folder / "written").mkdir()
    for words in (50, 2000):
        (folder / f"written/{words}.txt").write_text(" ".join(HARBOUR.read_text().split()[:words]))
    command = ("exam", "written", HARBOUR, "--document", HARBOUR, "--questions", "4/4/4", "--seeds", "2")
    told, machine = summq(*command), json.loads(summq(*command, "--json").out)
    assert "written/50.txt" in told.out
    assert [one["summary"] for one in machine] == ["written/2000.txt", "written/50.txt", str(HARBOUR)]
    long, short, whole = (one["score"]["mean"] for one in machine)
    assert short < long < whole
    assert machine[0]["score"]["n"] == 24
    assert machine[0]["recognises"] == "copied sentences"


def test_the_score_has_an_interval(summq: Summq) -> None:
    ran = summq("exam", HARBOUR, "--document", HARBOUR, "--questions", "2/2/2")
    assert "Score: 100 % [54, 100] of right answers" in ran.out


@pytest.mark.parametrize("number", [1, 2])
def test_offline_says_under_its_scores_that_it_recognises_copied_sentences_only(
    summq: Summq, folder: Path, number: int
) -> None:
    for name in "ab"[:number]:
        (folder / f"{name}.txt").write_text("A port in the north had to shut, and its ships stayed where they were.")
    names = [f"{name}.txt" for name in "ab"[:number]]
    ran = summq("exam", *names, "--document", HARBOUR, "--questions", "2/2/2")
    last = " ".join(ran.out.rstrip().split("\n")[-1].split())
    assert last.startswith(
        "This examinee recognises copied sentences only: a summary in words of its own scores near 0"
    )
    assert "--backbone" in last


@pytest.mark.slow
def test_a_gate_that_is_missed_is_exit_status_1(summq: Summq, folder: Path) -> None:
    (folder / "strange.txt").write_text("Cheese is made of milk.")
    command = ("--document", HARBOUR, "--questions", "2/2/2", "--fail-under")
    missed = summq("exam", "strange.txt", *command, "exam=0.6")
    assert missed.status == 1
    assert "summq: strange.txt: exam is 0.000, under 0.6" in missed.err
    assert summq("exam", HARBOUR, *command, "exam=0.6").status == 0
    wrong = summq("exam", HARBOUR, *command, "bleu=0.6")
    assert (wrong.status, "no column 'bleu' is measured" in wrong.err) == (2, True)


def test_a_folder_without_summaries_is_one_line(summq: Summq, folder: Path) -> None:
    (folder / "empty").mkdir()
    ran = summq("exam", "empty", "--document", HARBOUR)
    assert (ran.status, mistake(ran)) == (2, "summq: empty holds no file: name a folder of documents, or files")


def test_an_exam_that_could_not_be_scored_exits_1(summq: Summq, folder: Path) -> None:
    quiz = {"questions": [{"kind": "short_answer", "question": "Who?", "answer": "She", "evidence": "She did."}]}
    (folder / "quiz.json").write_text(json.dumps(quiz))
    (folder / "f.toml").write_text("[options]\nattempts = 1\n")
    with FakeProvider("I am sorry, the halls are dark.") as server:
        backbone = ("--backbone", f"hosted_vllm/m@{server.url}", "--config", "f.toml")
        ran = summq("exam", HARBOUR, "--document", HARBOUR, "--quiz", "quiz.json", *backbone)
    assert ran.status == 1
    assert "Exam: none of 1 answers could be scored" in ran.out
    assert "lost: examinee: " in ran.err


@pytest.mark.parametrize(("refusal", "status"), [(failing(401, "bad key"), 2), (failing(500, "overloaded"), 1)])
def test_a_backbone_that_fails_over_the_quiz_is_one_line(
    summq: Summq, folder: Path, refusal: Step, status: int
) -> None:
    (folder / "f.toml").write_text("[options]\nattempts = 1\n")
    with FakeProvider() as server:
        server.script = [refusal] * 9
        backbone = ("--backbone", f"hosted_vllm/m@{server.url}", "--config", "f.toml")
        ran = summq("exam", HARBOUR, "--document", HARBOUR, *backbone)
    assert ran.status == status
    assert mistake(ran).startswith("summq: [")
