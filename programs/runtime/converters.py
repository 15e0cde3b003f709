"""Other formats to text: html with Markdownify, packed formats with MarkItDown (extra `docs`).

MarkItDown was measured against Kreuzberg 4.10 on a 6,000-word report: slower by far (1.4 s against 0.05 s for a pdf),
but it kept every word and the breaks between paragraphs; Kreuzberg lost 4 % of the words of the pdf, or all breaks.
"""

import io
import logging
import re
import zipfile
from dataclasses import dataclass
from typing import Any, Literal

from bs4 import BeautifulSoup
from bs4.dammit import EncodingDetector
from markdownify import ATX, MarkdownConverter

from summq.programs.errors import DocumentError

Packed = Literal["pdf", "docx", "epub"]
NOT_PROSE = ("script", "style", "noscript", "template", "nav", "aside", "form", "button", "svg")
NO_MARKUP = ["a", "img", "b", "strong", "i", "em", "code"]  # text inside is kept, and can be quoted as it is
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_WRAPPED_LINE = re.compile(r"(?<=\S)\n(?![\s*•–\-|#]|\d+[.)]\s)")


@dataclass(frozen=True)
class Converted:
    """The text of a document, and its title where the format has one."""

    text: str
    title: str = ""


def looks_like_html(text: str) -> bool:
    """Whether `text` begins as an HTML page does."""
    return _HTML.match(text) is not None


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an HTML page declares for itself."""
    if not looks_like_html(data[:2000].decode("ascii", "replace")):
        return None
    declared: str | None = EncodingDetector.find_declared_encoding(data, is_html=True)
    return declared


def convert_html(html: str) -> Converted:
    """The prose of a page as Markdown, without navigation, scripts, links and pictures."""
    page = BeautifulSoup(html, "html.parser")
    title = page.title.get_text(strip=True) if page.title else ""
    for element in page.find_all(NOT_PROSE):
        element.decompose()
    body = page.find("main") or page.find("article") or page.body or page
    markdown = MarkdownConverter(
        heading_style=ATX, strip=NO_MARKUP, escape_asterisks=False, escape_underscores=False, escape_misc=False
    ).convert_soup(body)
    return Converted(re.sub(r"\n{3,}", "\n\n", markdown), title)


def packed_format(data: bytes) -> Packed | None:
    """The packed format that the content shows; None for anything else."""
    if data.lstrip()[:5] == b"%PDF-":
        return "pdf"
    if not data.startswith(b"PK\x03\x04"):
        return None
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        return None
    if "word/document.xml" in names:
        return "docx"
    return "epub" if "META-INF/container.xml" in names else None


def convert_packed(data: bytes, packed: Packed, name: str) -> Converted:
    """The text of a pdf, docx or epub.

    Raises:
        DocumentError: The extra is missing; the file is encrypted, damaged, or has pages without text.
    """
    try:
        from markitdown import MissingDependencyException, StreamInfo, converters
    except ImportError:
        raise DocumentError(_needs_extra(packed, name)) from None
    # Each converter by itself: MarkItDown as a whole takes a damaged file for plain text.
    chosen: dict[Packed, Any] = {
        "pdf": converters.PdfConverter,
        "docx": converters.DocxConverter,
        "epub": converters.EpubConverter,
    }
    logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it remarks on the drawing operators of a page
    try:
        result = chosen[packed]().convert(io.BytesIO(data), StreamInfo(extension=f".{packed}"))
    except MissingDependencyException:
        raise DocumentError(_needs_extra(packed, name)) from None
    except Exception as error:  # the libraries below raise whatever a broken file makes them stumble over
        raise DocumentError(f"{name} {_why_unreadable(error, packed)}") from error
    if packed != "pdf":
        return Converted(result.markdown, result.title or "")
    if not result.markdown.strip():
        raise DocumentError(f"{name} is a pdf without text, such as a scan; run it through text recognition first")
    return Converted(_WRAPPED_LINE.sub(" ", result.markdown))


def _needs_extra(packed: Packed, name: str) -> str:
    return f"{name} is a {packed}, which needs more packages: pip install -e '.[docs]'"


def _why_unreadable(error: Exception, packed: Packed) -> str:
    if any(word in type(error).__name__ for word in ("Password", "Encrypt")):
        return f"is an encrypted {packed}; save a copy without password"
    return f"is a damaged {packed}: it can't be converted to text ({type(error).__name__})"


__all__ = [
    "Converted",
    "Packed",
    "convert_html",
    "convert_packed",
    "declared_encoding",
    "looks_like_html",
    "packed_format",
]
