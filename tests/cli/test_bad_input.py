"""The table of mistakes: each is one line on stderr that says what and what to do, with the right exit status."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran, mistake
from tests.documents import ENCRYPTED, pdf

Summq = Callable[..., Ran]

FILES: dict[str, bytes] = {
    "good.md": b"The ferry sank off Brannoch in 1994. Helen Sorley saw it from the quay. Nobody was hurt.\n\n" * 30,
    "two.txt": b"The ferry sank off Brannoch in 1994. Helen Sorley saw it from the quay.",
    "empty.txt": b"",
    "blank.txt": b" \n\t\n",
    "binary.bin": bytes(range(256)) * 4,
    "latin1.txt": "Die Fähre sank.".encode("latin-1"),
    "typo.toml": b"target_wrods = 300\n",
    "range.toml": b"max_iterations = 0\n",
    "broken.toml": b"target_words = \n",
    "role.toml": b'[roles]\nexaminator = "offline"\n',
    "a_file": b"",
}

# arguments of `summq summarize` (or of `summq` where they begin with a command), exit status, what the line says
TABLE = [
    ("missing.md", 2, "missing.md does not exist"),
    ("folder", 2, "folder holds no file: name a folder of documents, or files"),
    ("empty.txt", 2, "empty.txt is empty"),
    ("blank.txt", 2, "blank.txt is empty"),
    ("binary.bin", 2, "binary.bin is binary, not text"),
    ("latin1.txt", 2, "latin1.txt is not utf-8 (byte 5); save it as UTF-8"),
    ("two.txt", 2, "two: has 14 words, too few for a summary of 400, the default: ask for fewer with --words"),
    ("two.txt --words 50", 2, "two: has 14 words, too few for a summary of 50: ask for fewer with --words"),
    ("good.md --backbone gpt-4o", 2, "'gpt-4o' names no backbone"),
    ("good.md --backbone nowhere/model", 2, "no provider is called 'nowhere'"),
    ("good.md --backbone openai/gpt-4o", 2, "OPENAI_API_KEY"),
    ("good.md --backbone offline:speed=9", 2, "no error rate for 'speed'"),
    ("good.md --backbone offline:reviwer=1", 2, "did you mean reviewer?"),
    ("good.md --backbone local:missing.gguf", 2, "missing.gguf"),
    ("good.md --role examinator=offline", 2, "no role is called 'examinator'"),
    ("good.md --role examinne=offline", 2, "did you mean examinee?"),
    ("good.md --role examinee", 2, "write ROLE=BACKBONE"),
    ("good.md --preset duet", 2, "unknown preset 'duet'"),
    ("good.md --words 3", 2, "--words 3: has to be greater than or equal to 10"),
    ("good.md --questions 0/0/0", 2, "--questions 0/0/0: the question mix is zero"),
    ("good.md --questions thirty", 2, "for instance 10/10/10"),
    ("good.md --iterations 0", 2, "--iterations 0: has to be"),
    ("good.md --concurrency 0", 2, "--concurrency 0: has to be"),
    ("good.md --max-calls 0", 2, "--max-calls 0: has to be"),
    ("good.md --max-cost 0", 2, "--max-cost 0.0: has to be"),
    ("good.md --config missing.toml", 2, "missing.toml"),
    ("good.md --config typo.toml", 2, "unknown config key 'target_wrods'"),
    ("good.md --config range.toml", 2, "'max_iterations'"),
    ("good.md --config broken.toml", 2, "not valid TOML"),
    ("good.md --config role.toml", 2, "no role is called 'examinator'"),
    ("good.md --program missing", 2, "missing"),
    ("good.md --program folder --preset solo", 2, "leave out the preset"),
    ("good.md --out a_file", 2, "a_file: can't be made"),
    ("good.md --max-cost 1 --backbone hosted_vllm/m@http://127.0.0.1:9/v1", 2, "price"),
]
MARKS = {
    "good.md --backbone local:missing.gguf": pytest.mark.extra_local,
    "good.md --backbone nowhere/model": pytest.mark.slow,  # imports LiteLLM
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with the files of the table, and no keys in the environment."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(key, raising=False)


@pytest.mark.parametrize(
    ("arguments", "status", "says"), [pytest.param(*row, id=row[0], marks=MARKS.get(row[0], ())) for row in TABLE]
)
@pytest.mark.usefixtures("files")
def test_a_mistake_is_one_line(summq: Summq, arguments: str, status: int, says: str) -> None:
    ran = summq("summarize", *arguments.split())
    assert says in mistake(ran)
    assert ran.status == status
    assert ran.out == ""


@pytest.mark.slow
@pytest.mark.extra_docs
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (pdf("Secret", ENCRYPTED), "is an encrypted pdf"),
        (pdf(""), "is a pdf without text, such as a scan"),
    ],
)
def test_a_pdf_that_holds_no_readable_text(summq: Summq, tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "document.pdf").write_bytes(content)
    ran = summq("summarize", tmp_path / "document.pdf", "--out", tmp_path / "run")
    assert says in mistake(ran)
    assert ran.status == 2


def test_an_unwritable_folder(summq: Summq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.md").write_bytes(FILES["good.md"])
    monkeypatch.setattr("os.access", lambda path, mode: False)  # the superuser may write anywhere
    ran = summq("summarize", tmp_path / "good.md", "--out", tmp_path / "run")
    assert "can't be written to; name a folder that you can write to" in mistake(ran)
    assert ran.status == 2


def test_a_server_that_is_down_is_an_error_of_the_run(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_bytes(FILES["good.md"])
    config = tmp_path / "impatient.toml"
    config.write_text("[options]\nattempts = 1\n")
    backbone = "hosted_vllm/m@http://127.0.0.1:9/v1"
    ran = summq(
        "summarize", tmp_path / "good.md", "--out", tmp_path / "run", "--backbone", backbone, "--config", config
    )
    assert "summary_generator: only 0 of 1 agents replied" in mistake(ran)
    assert f"[{backbone}] failed to connect" in mistake(ran)
    assert ran.status == 1


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_a_budget_that_ends_in_the_first_iteration_says_what_there_is(summq: Summq) -> None:
    """Quiz and summary are drafted side by side: one call may have been for either."""
    ran = summq("summarize", "good.md", "--max-calls", "1")
    assert ran.status == 3
    assert "--max-calls" in mistake(ran)
    assert ("the best there was" in ran.err) == bool(ran.out)
