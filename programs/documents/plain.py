"""Plain text and Markdown, as they are."""

import re

from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.encodings import byte_order_mark, decode
from summq.programs.errors import DocumentError

# What is text to a program and none to a reader, by how it begins.
_XML = re.compile(r"\A\s*<\?xml\b")
_MARKUP = {
    "LaTeX": re.compile(r"\A[^{}]{0,20000}?\\(?:documentclass|begin\{document\})"),
    "JSON": re.compile(r"\A\s*(?:\{\s*\"|\[\s*[{\[\"])"),
    "subtitles": re.compile(r"\A\s*(?:WEBVTT|(?:\d+\s+)?\d\d:\d\d:\d\d[,.]\d{3} --> )"),
}


def convert(source: Source) -> Converted:
    """The text; a warning where it is full of commands or data.

    Raises:
        DocumentError: It is binary, XML, or in another encoding than said.
    """
    if byte_order_mark(source.data) is None and b"\0" in source.data and source.encoding is None:
        raise DocumentError(
            f"{source.name} is binary, not text; documents are txt, md, html, pdf, docx, odt, rtf or epub"
        )
    text = decode(source)
    if _XML.match(text):
        raise DocumentError(f"{source.name} is XML that is no page; save the text of it as html, docx or txt")
    kinds = [kind for kind, pattern in _MARKUP.items() if pattern.match(text)]
    return Converted(text, warnings=tuple(f"holds {kind}, of which all is read as text" for kind in kinds))


__all__ = ["convert"]
