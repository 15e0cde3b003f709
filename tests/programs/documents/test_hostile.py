"""Files made to keep a reader busy: each is read, or refused in one line, within seconds."""

from pathlib import Path
from random import Random

import pytest

from summq.programs.documents import apart, load_document
from summq.programs.documents.archive import LARGEST_PART
from summq.programs.errors import DocumentError
from tests.documents import saved, zipped

pytestmark = pytest.mark.extra_docs
MANY = 20_000
PAGE = b"\n\n<p>The pier stands.</p>"
PART = b"--b\nContent-Type: text/html" + PAGE
MIME = b"MIME-Version: 1.0\nContent-Type: "
READ = {
    "braces.rtf": rb"{\rtf1 " + b"{" * MANY + b"The pier stands." + b"}" * MANY + b"}",
    "open.rtf": rb"{\rtf1 " + rb"{\b " * MANY + b"The pier stands.",
    "controls.rtf": rb"{\rtf1 " + rb"\b" * MANY + b" The pier stands.}",
    "table.rtf": rb"{\rtf1 " + rb"\trowd\cell\row" * MANY + b" The pier stands.}",
    "parts.mhtml": MIME + b"multipart/related; boundary=b\n\n" + b"--b\n\nx\n" * 2000 + PART,
    "charset.mhtml": MIME + b"text/html; charset=" + b"x" * MANY + PAGE,
}
NESTED = b"".join(
    b"--b%d\n" % (n - 1) * (n > 0) + b"Content-Type: multipart/related; boundary=b%d\n\n" % n for n in range(1500)
)
REFUSED = {
    "deep.mhtml": b"MIME-Version: 1.0\n" + NESTED + b"--b1499\nContent-Type: text/html" + PAGE,
    "comments.mhtml": MIME + b"text/html " + b"(" * MANY + PAGE,
    "codes.rtf": rb"{\rtf1 " + rb"\u99999999 ?" * MANY + b"}",
    "hollow.pdf": b"%PDF-1.4\n" + b"obj<<" * MANY,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", READ)
def test_what_can_be_read_is(name: str, tmp_path: Path) -> None:
    assert "The pier stands." in load_document(saved(tmp_path, name, READ[name])).text


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_what_can_not_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="can't be converted to text"):
        load_document(saved(tmp_path, name, REFUSED[name]))


@pytest.mark.slow
def test_a_converter_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path, "pypdfium2.py", b"import time\ntime.sleep(600)")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(apart, "LEAST_SECONDS", 1.0)
    with pytest.raises(DocumentError, match=r"a.pdf can't be converted to text within 1 s"):
        load_document(saved(tmp_path, "a.pdf", b"%PDF-1.4\n"))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.epub", zipped({"META-INF/container.xml": "<container/>"})),
        ("a.docx", zipped({"word/document.xml": "<document/>"})),
        ("a.html", b"<!doctype html><html><body>" + PAGE * 30_000),
    ],
)
def test_packages_and_large_pages_are_converted_where_they_can_be_stopped(
    name: str, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(apart, "SECONDS_PER_MEGABYTE", 0.0)
    with pytest.raises(DocumentError, match=f"{name} can't be converted to text within 0 s"):
        load_document(saved(tmp_path, name, data))


def test_a_converter_that_breaks_down_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path, "pypdfium2.py", b"import os\nos.abort()")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DocumentError, match=r"a.pdf can't be converted to text: it is damaged"):
        load_document(saved(tmp_path, "a.pdf", b"%PDF-1.4\n"))


@pytest.mark.slow
def test_a_package_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    noise = Random(0).randbytes(LARGEST_PART).hex()
    for filling, reason in ((" " * 2_000_000, "250 times its size"), (noise, "more than 16 MB of text")):
        data = zipped({"word/document.xml": f"<a>{filling}</a>"})
        with pytest.raises(DocumentError, match=reason):
            load_document(saved(tmp_path, "a.docx", data))
