"""`summq text`, and documents that can't be read among others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran, mistake
from tests.documents import HARBOUR

Summq = Callable[..., Ran]


def test_the_text_goes_to_stdout_and_its_length_to_stderr(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html><body><nav>Home</nav><p>The pier stands. It is old.</p></body></html>")
    ran = summq("text", tmp_path / "page.html")
    assert (ran.status, ran.out) == (0, "The pier stands. It is old.\n")
    assert ran.err == "page: 6 words\n"


def test_a_document_that_cannot_be_read_is_told(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    ran = summq("text", tmp_path / "a.doc")
    assert ran.status == 2
    assert "is an old or encrypted Office file (doc, xls, ppt); save it as docx" in mistake(ran)


@pytest.mark.slow
def test_others_are_summarised_all_the_same(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "scan.bin").write_bytes(bytes(range(256)))
    run = tmp_path / "run"
    ran = summq("summarize", tmp_path / "scan.bin", HARBOUR, "--preset", "solo", "--words", "60", "--out", run)
    assert ran.status == 2
    assert "scan.bin is binary, not text" in mistake(ran)
    assert ran.out
    assert (run / "document.txt").read_text().strip() == HARBOUR.read_text().strip()
