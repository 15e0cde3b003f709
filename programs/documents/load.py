"""Documents from files, by what their content shows; `-` is standard input."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.formats import convert
from summq.programs.errors import DocumentError
from summq.programs.text.cleaning import clean

if TYPE_CHECKING:
    from summq.signatures import Document

STDIN = "-"
LONGEST_PATH = 255
FILE_NAME = re.compile(r"^\S(?:.*\S)?\.(?:txt|md|html?|mhtml?|pdf|docx?|odt|rtf|epub)$", re.IGNORECASE)


@dataclass(frozen=True)
class Loaded:
    """A document as it was read.

    `pages` is 0 where the format has none, `page_starts` says where in the text pages begin (page and offset), and
    `warnings`, one line each, what could not be read.
    """

    document: "Document"
    pages: int
    page_starts: tuple[tuple[int, int], ...]
    warnings: tuple[str, ...]

    def marked(self) -> str:
        """The text with a line `[page N]` before what stands on each page."""
        bounds = [0, *(offset for _, offset in self.page_starts), len(self.document.text)]
        pieces = [self.document.text[start:end] for start, end in pairwise(bounds)]
        marks = ["", *(f"\n[page {page}]\n" for page, _ in self.page_starts)]
        return "".join(mark + piece for mark, piece in zip(marks, pieces, strict=True)).lstrip()


def load_document(source: str | Path, encoding: str | None = None) -> "Document":
    """Read one document; `read_document` tells more about it.

    Args:
        source: A path, or `-` for standard input.
        encoding: Of plain text; by default UTF-8, or what a byte order mark or an HTML page says.

    Raises:
        DocumentError: It can't be read, is no document, or holds no text.
    """
    return read_document(source, encoding).document


def read_document(source: str | Path, encoding: str | None = None) -> Loaded:
    """Read one document, and say what of it was not read. Arguments and errors as for `load_document`."""
    from summq.signatures import Document  # not above: it imports DSPy, which a converter does without

    from_stdin = str(source) == STDIN
    name = "standard input" if from_stdin else str(source)
    data = _bytes(source)
    if not data.strip():
        raise DocumentError(f"{name} is empty")
    converted = _cleaned(convert(Source(data, name, encoding)))
    text = converted.text
    if not text.strip():
        raise DocumentError(f"{name} holds no text")
    title = " ".join(clean(converted.title).split()) or _heading(text)
    document = Document(text=text, title=title, id=id_of(source))
    return Loaded(document, converted.pages, converted.page_starts, converted.warnings)


def id_of(source: str | Path) -> str:
    """The id of the document that is read from a source: the name of the file without its ending, or `stdin`."""
    return "stdin" if str(source) == STDIN else Path(source).stem


def read_documents(sources: Sequence[str]) -> list[Loaded | DocumentError]:
    """Read several documents; for one that can't be read there is its error."""
    return [_attempt(source) for source in sources]


def files_in(sources: Sequence[str]) -> list[str]:
    """The sources themselves; in place of a folder that holds files those, hidden ones left out.

    Raises:
        DocumentError: A folder can't be read.
    """
    return [file for source in sources for file in _shown_in(source, Path.is_file) or [source]]


def folders_in(sources: Sequence[str]) -> list[str]:
    """The folders within those that the sources name; they are not read."""
    return [folder for source in sources for folder in _shown_in(source, Path.is_dir)]


def _shown_in(source: str, is_wanted: Callable[[Path], bool]) -> list[str]:
    folder = Path(source).expanduser()
    if not folder.is_dir():
        return []
    try:
        return sorted(str(path) for path in folder.iterdir() if is_wanted(path) and not path.name.startswith("."))
    except OSError as error:
        raise DocumentError(f"{source} can't be read: {error.strerror}") from error


def as_document(document: "str | Document") -> "Document":
    """The document itself, or one made of a text.

    Raises:
        DocumentError: It is empty, or the text is the name of a file.
    """
    from summq.signatures import Document

    document = Document.of(document)
    if not document.text.strip():
        raise DocumentError("the document is empty: give a text to summarise")
    if _names_a_file(document.text.strip()):
        raise DocumentError(f"{document.text.strip()!r} is the name of a file: give load_document of it, or a text")
    return document


def _names_a_file(text: str) -> bool:
    if len(text) >= LONGEST_PATH or "\n" in text:
        return False
    return bool(FILE_NAME.search(text)) or os.path.isfile(text)  # False, too, where no file can be called so


def _attempt(source: str) -> Loaded | DocumentError:
    try:
        return read_document(source)
    except DocumentError as error:
        return error


def _bytes(source: str | Path) -> bytes:
    if str(source) == STDIN:
        return sys.stdin.buffer.read()
    path = Path(source).expanduser()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DocumentError(f"{path} does not exist") from None
    except IsADirectoryError:
        if _shown_in(str(path), Path.is_file):
            raise DocumentError(f"{path} is a folder; name the documents in it") from None
        raise DocumentError(f"{path} holds no file: name a folder of documents, or files") from None
    except OSError as error:
        raise DocumentError(f"{path} can't be read: {error.strerror}") from error


def _cleaned(converted: Converted) -> Converted:
    """The same without control characters, page by page, so that pages still begin where they are said to."""
    offsets = [offset for _, offset in converted.page_starts]
    if not offsets:
        return replace(converted, text=clean(converted.text).strip())
    bounds = [0, *offsets, len(converted.text)]
    pieces = [clean(converted.text[start:end]) for start, end in pairwise(bounds)]
    starts, length = [], len(pieces[0])
    for (page, _), piece in zip(converted.page_starts, pieces[1:], strict=True):
        starts.append((page, length))
        length += len(piece)
    return replace(converted, text="".join(pieces), page_starts=tuple(starts))


def _heading(text: str) -> str:
    """The text of a Markdown heading on the first line."""
    first = text.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


__all__ = [
    "Loaded",
    "as_document",
    "files_in",
    "folders_in",
    "id_of",
    "load_document",
    "read_document",
    "read_documents",
]
