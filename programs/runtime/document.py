"""Documents from files: txt, md and html; pdf, docx and epub with the extra `docs`; `-` is standard input.

What a file is shows in its content; only a fragment of html needs its suffix. Nothing is guessed about encodings: text
is UTF-8, what a byte order mark says, or what is declared.
"""

import codecs
import sys
from pathlib import Path

from summq.programs.errors import DocumentError
from summq.programs.runtime.converters import (
    Converted,
    convert_html,
    convert_packed,
    declared_encoding,
    looks_like_html,
    packed_format,
)
from summq.programs.text.tokens import count_tokens
from summq.signatures import Document

STDIN = "-"
HTML_SUFFIXES = {".html", ".htm", ".xhtml"}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def load_document(source: str | Path, encoding: str | None = None) -> Document:
    """Read one document.

    Args:
        source: A path, or `-` for standard input.
        encoding: Of plain text; by default UTF-8, or what a byte order mark or an HTML page says.

    Raises:
        DocumentError: It can't be read, is no document, or holds no text.
    """
    name = "standard input" if str(source) == STDIN else str(source)
    data = _read(source)
    if not data.strip():
        raise DocumentError(f"{name} is empty")
    converted = _convert(data, name, encoding)
    text = converted.text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise DocumentError(f"{name} holds no text")
    stem = "stdin" if str(source) == STDIN else Path(source).stem
    return Document(text=text, title=converted.title or _heading(text), id=stem)


def _read(source: str | Path) -> bytes:
    if str(source) == STDIN:
        return sys.stdin.buffer.read()
    path = Path(source).expanduser()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DocumentError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise DocumentError(f"{path} is a folder; name the documents in it") from None
    except OSError as error:
        raise DocumentError(f"{path} can't be read: {error.strerror}") from error


def _convert(data: bytes, name: str, encoding: str | None) -> Converted:
    packed = packed_format(data)
    if packed is not None:
        return convert_packed(data, packed, name)
    text = _decode(data, name, encoding)
    is_html = looks_like_html(text) or Path(name).suffix.lower() in HTML_SUFFIXES
    return convert_html(text) if is_html else Converted(text)


def _decode(data: bytes, name: str, encoding: str | None) -> str:
    marked = next((codec for mark, codec in _MARKS if data.startswith(mark)), None)
    if marked is None and b"\0" in data:
        raise DocumentError(f"{name} is binary, not text; documents are txt, md, html, pdf, docx or epub")
    codec = marked or encoding or declared_encoding(data) or "utf-8"
    try:
        return data.decode(codec)
    except LookupError:
        raise DocumentError(f"{name}: no encoding is called {codec!r}") from None
    except UnicodeError as error:
        where = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise DocumentError(f"{name} is not {codec}{where}; save it as UTF-8") from None


def _heading(text: str) -> str:
    """The text of a Markdown heading on the first line."""
    first = text.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


__all__ = ["count_tokens", "load_document"]
