"""Plain text and Markdown, as they are."""

from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.encodings import byte_order_mark, decode
from summq.programs.errors import DocumentError


def convert(source: Source) -> Converted:
    """The text.

    Raises:
        DocumentError: It is binary, or in another encoding than said.
    """
    if byte_order_mark(source.data) is None and b"\0" in source.data and source.encoding is None:
        raise DocumentError(
            f"{source.name} is binary, not text; documents are txt, md, html, pdf, docx, odt, rtf or epub"
        )
    return Converted(decode(source))


__all__ = ["convert"]
