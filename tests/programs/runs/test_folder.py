"""The folder of a run: complete or absent, and read again only when the same was asked."""

import errno
import json
import os
from itertools import count
from pathlib import Path

import pytest

from summq.programs import SummQ
from summq.programs.documents import load_document
from summq.programs.errors import DataError, InputError
from summq.programs.runs.folder import Request, RunFolder, load_quiz, load_result
from summq.programs.runs.jobs import Job, run_jobs
from summq.programs.runtime.files import make_folder, write_text
from summq.programs.runtime.session import session
from summq.programs.settings import Settings
from summq.signatures import (
    Document,
    Exam,
    Generation,
    GradedAnswer,
    Iteration,
    Question,
    Quiz,
    ReviewRecord,
    SummQResult,
    Tally,
    Usage,
)
from tests.documents import HARBOUR

REQUEST = Request(version="0.1.0", document="abc", title="Harbour", config={"words": 300}, backbone="offline")
DOCUMENT = Document(text="It is so, and was so.", id="so")
QUIZ = Quiz(questions=[Question(kind="true_false", question="Is it so?", answer="true", evidence="It is so.")])


def a_result() -> SummQResult:
    exam = Exam(answers=[GradedAnswer(number=1, kind="true_false", question="Is it so?", given="true", correct=True)])
    nothing = ReviewRecord(annotations=[], grouped_by="none", outcomes=[], issues=[])
    iteration = Iteration(
        summary="It is so.",
        quiz=QUIZ,
        summary_generation=Generation[str](drafts=["It is so."], decided_by="single", chosen="It is so."),
        quiz_generation=Generation[Quiz](drafts=[QUIZ], decided_by="single", chosen=QUIZ),
        summary_review=nothing,
        quiz_review=nothing,
        exam=exam,
        summary_feedback=[],
        quiz_feedback=[],
    )
    return SummQResult(
        summary="It is so.",
        quiz=QUIZ,
        exam=exam,
        iterations=[iteration],
        returned=0,
        stop_reason="no_feedback",
        usage=Usage(calls=2, cost=None, roles={"examinee": Tally(calls=2)}),
    )


def test_files_hold_the_fields_that_others_read(tmp_path: Path) -> None:
    RunFolder(tmp_path / "run").save(REQUEST, DOCUMENT, a_result())
    result = json.loads((tmp_path / "run/result.json").read_text())
    assert result["schema"] == 1
    assert set(result["quiz"]["questions"][0]) == {"kind", "question", "options", "answer", "evidence", "section"}
    assert result["exam"]["accuracy"] == 1.0
    assert result["iterations"][0]["exam"]["answers"][0]["correct"] is True
    assert result["usage"] == json.loads((tmp_path / "run/usage.json").read_text())
    assert result["usage"]["cost"] is None
    assert (tmp_path / "run/summary.md").read_text() == "It is so.\n"
    assert (tmp_path / "run/document.txt").read_text() == DOCUMENT.text + "\n"


def test_an_earlier_result_is_found_only_for_an_equal_request(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert folder.finished(REQUEST) is None
    folder.save(REQUEST, DOCUMENT, a_result())
    assert folder.finished(REQUEST) == a_result()
    assert folder.finished(REQUEST.model_copy(update={"backbone": "openai/gpt-4o"})) is None


def test_a_run_that_was_cut_off_is_not_taken_for_finished(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.save(REQUEST, DOCUMENT, a_result())
    (tmp_path / "request.json").unlink()
    assert folder.finished(REQUEST) is None


def test_the_quiz_of_an_earlier_run_goes_with_it(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.save(REQUEST, DOCUMENT, a_result())
    folder.save(REQUEST, DOCUMENT, a_result().model_copy(update={"quiz": None}))
    assert not (tmp_path / "quiz.json").exists()


def full_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the disk be full from so many files on."""
    written = count(1)

    def fsync(_: int) -> None:
        if next(written) >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", fsync)


@pytest.mark.parametrize("number", range(1, 7))
def test_a_disk_that_fills_up_while_a_run_is_replaced_leaves_all_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    folder = RunFolder(tmp_path)
    folder.save(REQUEST, DOCUMENT, a_result())
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    full_at(monkeypatch, number)
    with pytest.raises(InputError, match=r"No space left on device.*; make room and run the same command again"):
        folder.save(
            REQUEST.model_copy(update={"document": "other"}),
            Document(text="It is otherwise."),
            a_result().model_copy(update={"summary": "It is otherwise."}),
        )
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before
    assert folder.finished(REQUEST) == a_result()


@pytest.mark.slow
def test_a_page_that_could_not_be_written_does_not_stay_beside_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings.resolve(target_words=100, max_iterations=1, questions={"true_false": 2})
    document = load_document(str(HARBOUR))

    def run(words: int) -> None:
        program = SummQ(settings.config.model_copy(update={"target_words": words}))
        (outcome,) = run_jobs(program, [Job(document, RunFolder(tmp_path))], settings)
        if isinstance(outcome, Exception):
            raise outcome

    with session("offline", cache_dir=""):
        run(100)
        with monkeypatch.context() as full:
            full_at(full, 7)
            with pytest.raises(InputError, match=r"report\.html"):
                run(150)
        assert not (tmp_path / "report.html").exists()
        run(150)  # finished before: only the page is made
        assert (tmp_path / "report.html").exists()


def test_no_temporary_files_are_left(tmp_path: Path) -> None:
    RunFolder(tmp_path).save(REQUEST, DOCUMENT, a_result())
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "document.txt",
        "quiz.json",
        "request.json",
        "result.json",
        "summary.md",
        "usage.json",
    ]


def test_a_result_of_another_form_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"schema": 1}')
    with pytest.raises(DataError, match=r"result\.json: not the result of a run"):
        load_result(tmp_path / "result.json")
    (tmp_path / "newer.json").write_text(json.dumps({**json.loads(a_result().model_dump_json()), "schema": 99}))
    with pytest.raises(DataError, match="has schema 99"):
        load_result(tmp_path / "newer.json")
    with pytest.raises(DataError, match="can't be read"):
        load_result(tmp_path / "missing.json")


def test_a_file_in_the_way_of_the_folder_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="can't be made"):
        make_folder(tmp_path / "taken")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "summary.md"
    write_text(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "new \ud800")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_quiz_written_by_hand_is_put_in_form(tmp_path: Path) -> None:
    options = ["Bern", "Basel", "Chur", "Genf"]
    by_hand = [
        {"kind": "True/False", "question": "Is it so?", "answer": True},
        {"kind": "multiple choice", "question": "Where?", "options": options, "answer": "B"},
    ]
    (tmp_path / "quiz.json").write_text(json.dumps(by_hand))
    questions = load_quiz(tmp_path / "quiz.json").questions
    assert [(q.kind, q.answer) for q in questions] == [("true_false", "true"), ("multiple_choice", "Basel")]


def test_a_question_that_cannot_be_asked_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "quiz.json").write_text(json.dumps([{"kind": "essay", "question": "Why?", "answer": "So."}]))
    with pytest.raises(DataError, match=r"quiz.json: question 1: unknown kind 'essay'; mend it or leave it out"):
        load_quiz(tmp_path / "quiz.json")
