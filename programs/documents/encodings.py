"""Bytes to text: byte order marks, declared encodings as browsers understand them, else UTF-8. Nothing is guessed."""

import codecs
import re

import webencodings

from summq.programs.documents.converted import Source
from summq.programs.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = (
    re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)"""),
    re.compile(rb"""<meta\s[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.I),
)
PROLOGUE = 4096  # bytes in which a page has to declare its encoding
# What Python calls by the names of the Encoding Standard is less than what browsers read under them.
_WIDER = {"gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs", "gb2312": "gb18030"}
_SINGLE_BYTE = ("cp125", "iso8859", "koi8", "mac", "ibm", "cp866", "windows-")
TOLERATED = 0.01  # share of the bytes of a page that its declared encoding may lack


def byte_order_mark(data: bytes) -> str | None:
    """The codec that a byte order mark tells."""
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), None)


def decode(source: Source) -> str:
    """The text of `source`: by its byte order mark, else the encoding that its user names, else UTF-8.

    Raises:
        DocumentError: The encoding is unknown or another.
    """
    codec = byte_order_mark(source.data) or source.encoding or "utf-8"
    try:
        return source.data.decode(codec)
    except LookupError:
        raise DocumentError(f"{source.name}: no encoding is called {codec!r}") from None
    except UnicodeError as error:
        where = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise DocumentError(f"{source.name} is not {codec}{where}; save it as UTF-8") from None


def decode_page(source: Source) -> str:
    """The text of a web page: like `decode`, but before UTF-8 comes the encoding that the page declares.

    Single bytes that a declared encoding lacks become U+FFFD, as in browsers. A page that declares single bytes and
    holds letters of UTF-8, as some programs save it, is read as UTF-8: by chance bytes never come so.
    """
    declared = None if source.encoding or byte_order_mark(source.data) else declared_codec(source.data)
    if declared is None:
        return decode(source)
    if declared.startswith(_SINGLE_BYTE) and (misdeclared := _as_utf8(source.data)):
        return misdeclared
    text = source.data.decode(declared, "replace")
    if text.count("\ufffd") > 1 + TOLERATED * len(text):
        raise DocumentError(f"{source.name} is not {declared}, which it declares; save it as UTF-8")
    return text


def _as_utf8(data: bytes) -> str | None:
    try:
        return None if data.isascii() else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def declared_codec(data: bytes) -> str | None:
    """Python's name of the encoding that a page declares for itself; None if it declares none that is known."""
    for pattern in _DECLARED:
        if found := pattern.search(data[:PROLOGUE]):
            return codec_of(found[1].decode("ascii"))
    return None


def codec_of(label: str) -> str | None:
    """Python's codec for a label of the WHATWG Encoding Standard, such as `iso-8859-1` for windows-1252."""
    encoding = webencodings.lookup(label)
    if encoding is None:
        return None
    if encoding.name.startswith("utf-16"):  # a page whose declaration can be read byte by byte is none
        return "utf-8"
    codec: str = _WIDER.get(encoding.name, encoding.codec_info.name)
    return codec


__all__ = ["byte_order_mark", "codec_of", "decode", "decode_page"]
