"""Several documents in one command: each has a folder of its own, and none holds up the others."""

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from summq.programs.errors import DocumentError
from summq.programs.runs.folder import RunFolder
from summq.programs.runs.jobs import Job, job_folders, request_for, run_jobs
from summq.programs.settings import Settings
from summq.signatures import Document, SummQResult

TEXT = "The ferry sank off Brannoch in 1994. Helen Sorley saw it from the quay. Nobody was hurt that night.\n\n" * 20


def named(*names: str) -> list[Document]:
    return [Document(text=TEXT, id=name) for name in names]


def test_one_document_takes_the_folder_itself_several_share_it() -> None:
    assert job_folders(named("a"), Path("out")) == [Path("out")]
    assert job_folders(named("a", "b", "a"), Path("out")) == [Path("out/a"), Path("out/b"), Path("out/a-2")]
    assert job_folders(named("a", "b"), None) == [Path("runs/a"), Path("runs/b")]


def test_every_document_has_a_folder_of_its_own_whatever_its_name() -> None:
    assert [folder.name for folder in job_folders(named("a", "a", "a-2"), Path("out"))] == ["a", "a-3", "a-2"]
    assert [folder.name for folder in job_folders(named("a", "A", "a"), Path("out"))] == ["a", "A-2", "a-3"]
    assert [folder.name for folder in job_folders(named("a.v1", "a.v2"), None)] == ["a.v1", "a.v2"]
    assert job_folders(named("minutes.2024-05-01"), None) == [Path("runs/minutes.2024-05-01")]


def test_a_document_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    settings = Settings.resolve(target_words=50, max_iterations=1, questions={"true_false": 1})
    documents = [Document(text="Too short.", id="short"), *named("long")]
    jobs = [Job(document, RunFolder(tmp_path / document.id)) for document in documents]
    with settings.session():
        short, long = run_jobs(settings.summq(), jobs, settings)
    assert isinstance(short, DocumentError)
    assert isinstance(long, SummQResult)
    assert [path.name for path in tmp_path.iterdir() if (path / "result.json").exists()] == ["long"]


def test_who_waited_is_told_of_a_run_that_another_process_left_meanwhile(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings.resolve(target_words=50, max_iterations=1, questions={"true_false": 1})
    (document,) = named("ferry")
    folder = RunFolder(tmp_path / "ferry")
    with settings.session(), ThreadPoolExecutor(1) as other, caplog.at_level(logging.WARNING):
        with folder.alone():
            running = other.submit(run_jobs, settings.summq(), [Job(document, folder)], settings)
            while not any("waiting until" in line for line in caplog.messages):
                assert not running.done()
            left = request_for(settings.summq(), document, settings).model_copy(update={"document": "another"})
            (folder.path / "request.json").write_text(left.model_dump_json(), "utf-8")
        running.result(60)
    assert any("holds a run of another document" in line for line in caplog.messages)
