"""Where sentences begin and end: a small splitter by rules, without a model or a download.

It knows Latin, Chinese, Japanese, Arabic and Indic full stops, the common English abbreviations, initials, and quotes
or brackets that close after the stop. A blank line always ends a sentence; a single line break never does by itself.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

ABBREVIATIONS = """
mr mrs ms dr prof rev hon st jr sr gen col capt lt sgt sen rep gov vs etc cf al fig figs nos vol pp inc ltd
co corp dept approx e.g i.e u.s u.k u.n a.m p.m ph.d jan feb mar apr jun jul aug sep sept oct nov dec
"""

_CLOSERS = r"[\"'”’»)\]}」』]*"
_STOPS = r".!?…؟।॥۔։"
_UNSPACED_STOPS = r"。！？｡။។።"
# Possessive, and only from the first of several stops: a row of dots is read once.
_END = re.compile(rf"(?<![{_STOPS}])[{_STOPS}]++{_CLOSERS}+(?=\s|$)|[{_UNSPACED_STOPS}]++{_CLOSERS}+|(?=\n[^\S\n]*+\n)")
_ABBREVIATIONS = frozenset(ABBREVIATIONS.split())
_LAST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_][\w.]{0,20}$")


class Span(NamedTuple):
    """A stretch of a text, from `start` up to but not including `end`."""

    start: int
    end: int


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` in order, word for word, without the white space around them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[Span]:
    """Where the sentences of `text` lie. Every character that is not white space is in exactly one of them."""
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(text, match):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """False for the stop of an abbreviation or initial, and for one that a lower-case word follows."""
    if not match[0].startswith(".") or match[0].startswith(".."):
        return True
    after = text[match.end() : match.end() + 80]
    if "\n\n" in after[: len(after) - len(after.lstrip())]:
        return True
    word = _LAST_WORD.search(text, max(0, match.start() - 20), match.start())
    if word and (word[0].lower() in _ABBREVIATIONS or (len(word[0]) == 1 and word[0].isupper() and word[0] != "I")):
        return False
    return not after.lstrip()[:1].islower()


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """The span without the white space at its ends; nothing if it holds nothing else."""
    piece = text[start:end]
    if piece.strip():
        yield Span(end - len(piece.lstrip()), start + len(piece.rstrip()))


__all__ = ["Span", "sentence_spans", "split_sentences"]
