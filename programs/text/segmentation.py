"""Words of scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), by the dictionaries of ICU.

ICU comes with the extra `scripts`; without it `can_segment` is False and the letters stand alone.
"""

from functools import cache
from itertools import accumulate
from typing import Any

import regex

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = regex.compile(rf"[{UNSPACED}]\p{{M}}*")


def letters_of(text: str) -> list[str]:
    """The letters of unspaced scripts in `text`, with their marks."""
    letters: list[str] = _LETTER.findall(text)
    return letters


def share_unspaced(text: str) -> float:
    """Which share of the letters of `text` are of unspaced scripts, from 0 to 1."""
    letters = sum(map(str.isalpha, text))
    return len(_LETTER.findall(text)) / letters if letters else 0.0


def can_segment() -> bool:
    """Whether words of unspaced scripts can be told apart here."""
    return _breaker() is not None


def segments(run: str) -> list[tuple[str, int]]:
    """The words of a run of unspaced letters, and where each begins."""
    breaker = _breaker()
    words = list(breaker(run, "en")) if breaker else letters_of(run)
    return list(zip(words, [0, *accumulate(map(len, words))], strict=False))


@cache
def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    return WordBreaker


__all__ = ["UNSPACED", "can_segment", "letters_of", "segments", "share_unspaced"]
