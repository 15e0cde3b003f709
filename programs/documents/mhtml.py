"""Web pages saved as one file (mhtml): the page in it."""

import email
import re
from email.policy import default

from summq.programs.documents import html
from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.encodings import codec_of
from summq.programs.errors import DocumentError

_MIME = re.compile(rb"^MIME-Version:", re.I | re.M)
_RELATED = re.compile(rb"^Content-Type:\s*(?:multipart/|text/html)", re.I | re.M)
_HEADER = re.compile(rb"[!-9;-~]+:")


def is_mhtml(source: Source) -> bool:
    """Whether the content has the headers of a MIME message with a page in it."""
    head = source.data[:4096].lstrip().replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return all(pattern.search(head) for pattern in (_MIME, _RELATED)) and _HEADER.match(head) is not None


def convert(source: Source) -> Converted:
    """The text of the page."""
    message = email.message_from_bytes(source.data.lstrip(), policy=default)
    for part in message.walk():
        if part.get_content_type() == "text/html":
            data = part.get_payload(decode=True)
            charset = part.get_content_charset()
            codec = source.encoding or (codec_of(charset) if charset else None)
            return html.convert(Source(bytes(data) if isinstance(data, bytes) else b"", source.name, codec))
    raise DocumentError(f"{source.name} is a MIME message without a page; save the text that it holds")


__all__ = ["convert", "is_mhtml"]
