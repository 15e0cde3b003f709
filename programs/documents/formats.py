"""Which formats are read, and by what: a new one is a file with a recogniser and a converter, and a row here."""

import pkgutil
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from summq.programs.documents.apart import convert_apart
from summq.programs.documents.converted import Converted, Source
from summq.programs.errors import DocumentError


class Format(NamedTuple):
    """A format: how it is recognised, and the module that converts it, imported when it is needed.

    `apart` is for converters that can take any time: a process of their own, which can be stopped. Large files of every
    format are converted there.
    """

    name: str
    recogniser: str
    converter: str
    apart: bool = False


LARGE = 500_000  # bytes; reading so many takes a moment at worst
_HERE = "summq.programs.documents"
FORMATS = (
    Format("pdf", "pdf:is_pdf", "pdf:convert", apart=True),
    Format("epub", "epub:is_epub", "epub:convert", apart=True),
    Format("docx", "docx:is_docx", "docx:convert", apart=True),
    Format("odt", "odt:is_odt", "odt:convert", apart=True),
    Format("rtf", "rtf:is_rtf", "rtf:convert", apart=True),
    Format("mhtml", "mhtml:is_mhtml", "mhtml:convert", apart=True),
    Format("html", "html:is_page", "html:convert"),
)
PLAIN = Format("plain text", "", "plain:convert")
_TEXTS = (PLAIN.name, "html")  # what lies under the name of another format by mistake: pages of errors, lost downloads
_SUFFIXES = (".pdf", ".docx", ".odt", ".epub", ".rtf")
# What is not read, by how it begins.
_REFUSED = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old or encrypted Office file (doc, xls, ppt); save it as docx",
    b"PK\x03\x04": "a zip package that is no document (such as xlsx, pptx or zip); save the text of it as docx",
    b"%!PS": "PostScript; convert it to pdf",
    b"AT&TFORM": "a DjVu; convert it to a pdf with text",
    b"\x1f\x8b": "compressed (gzip); unpack it",
    b"BOOKMOBI": "a Mobipocket book; convert it to epub",
}
BOOKMOBI_AT = 60


def convert(source: Source) -> Converted:
    """The text of `source`, by the format that its content shows; a warning where its name says another.

    Raises:
        DocumentError: It is of a known format that is not read, or can't be read.
    """
    row = format_of(source)
    if row.name not in _TEXTS or source.suffix not in _SUFFIXES:
        return _converted(row, source)
    misnamed = f"named {source.suffix}, but holds no {source.suffix[1:]}"
    try:
        converted = _converted(row, source)
    except DocumentError:
        raise DocumentError(f"{source.name} is {misnamed}: it is damaged, or of another format") from None
    return replace(converted, warnings=(*converted.warnings, f"{misnamed}: read as {row.name}"))


def format_of(source: Source) -> Format:
    """The format that the content shows, else plain text.

    Raises:
        DocumentError: It is of a known format that is not read.
    """
    for row in FORMATS:
        if pkgutil.resolve_name(f"{_HERE}.{row.recogniser}")(source):
            return row
    for start, what in _REFUSED.items():
        if source.data.startswith(start) or source.data[BOOKMOBI_AT:].startswith(start):
            raise DocumentError(f"{source.name} is {what}")
    return PLAIN


def _converted(row: Format, source: Source) -> Converted:
    name = f"{_HERE}.{row.converter}"
    try:
        if row.apart or len(source.data) > LARGE:
            return convert_apart(name, source)
        converter: Callable[[Source], Converted] = pkgutil.resolve_name(name)
        return converter(source)
    except ModuleNotFoundError:
        raise DocumentError(
            f"{source.name} is a {row.name}, which needs more packages: pip install -e '.[docs]'"
        ) from None


__all__ = ["convert"]
