"""Dividing a text into consecutive passages that fit: at paragraphs where possible, else sentences, words, anywhere."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from summq.programs.text.sentences import sentence_spans
from summq.programs.text.tokens import estimate_tokens

Count = Callable[[str], int]
Split = Callable[[str], Sequence[str]]


def passages(text: str, max_tokens: int, count: Count = estimate_tokens) -> list[str]:
    """`text` in passages of at most `max_tokens` tokens each, which together are the text, white space apart."""
    units = _units(text, lambda unit: count(unit) <= max_tokens, LEVELS)
    return [passage.strip() for passage in _filled(units, max_tokens, count) if passage.strip()]


def _units(text: str, fits: Callable[[str], bool], levels: Sequence[Split]) -> Iterator[str]:
    """The largest units that fit: those of the first level, and of what is too long those of the next."""
    split, *finer = levels
    for unit in split(text):
        if fits(unit) or len(unit) < 2:
            yield unit
        else:
            yield from _units(unit, fits, finer or levels)


def _paragraphs(text: str) -> list[str]:
    return re.findall(r"(?s).+?(?:\n\s*\n|\Z)", text)


def _sentences(text: str) -> list[str]:
    starts = [span.start for span in sentence_spans(text)][1:]
    return [text[start:end] for start, end in pairwise([0, *starts, len(text)])]


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)


def _halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


LEVELS: tuple[Split, ...] = (_paragraphs, _sentences, _words, _halves)


def _filled(units: Iterable[str], limit: int, count: Count) -> Iterator[str]:
    """Consecutive units joined as long as they fit together."""
    passage, tokens = "", 0
    for unit in units:
        size = count(unit) + 1  # counts are rounded: those of the units may add up to less than that of the whole
        if passage and tokens + size > limit:
            yield passage
            passage, tokens = "", 0
        passage, tokens = passage + unit, tokens + size
    yield passage


__all__ = ["passages"]
