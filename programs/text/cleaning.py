"""Plain text without what is not text: control characters, terminal escapes, halves of characters."""

import re

_ESCAPES = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\^_]?")
_BREAKS = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_LEFT_OUT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\ufeff\ufffe\uffff]")
_NO_BREAK_SPACES = re.compile(r"[\u00a0\u2007\u202f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")

_REWRITING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def without_surrogates(text: str) -> str:
    """`text` with U+FFFD for each half of a character (lone surrogate), which no file can hold."""
    return _SURROGATES.sub("\ufffd", text)


def clean(text: str) -> str:
    """`text` with line feeds for all line breaks, spaces for no-break spaces, and no other control characters.

    Soft hyphens and byte order marks are left out. Half a character (a lone surrogate) becomes U+FFFD.
    """
    text = _ESCAPES.sub("", text) if "\x1b" in text else text
    text = _NO_BREAK_SPACES.sub(" ", _LEFT_OUT.sub("", _BREAKS.sub("\n", text)))
    return without_surrogates(text)


def harmless(text: str) -> str:
    """`text` without what rewrites a terminal: control characters but tab and line feed, and turns of direction.

    Embeddings, overrides and isolates (bidi) go; marks of direction, which single letters need, stay.
    """
    return _REWRITING.sub("", text)


def as_cell(text: str) -> str:
    """`text` as a cell that a spreadsheet takes for no formula: behind an apostrophe where it begins like one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def harmless_json(text: str) -> str:
    """JSON with escapes for what `harmless` leaves out: it holds the same."""
    return _REWRITING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


__all__ = ["as_cell", "clean", "harmless", "harmless_json", "without_surrogates"]
