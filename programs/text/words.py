"""Words of any script, for metrics that count matching words, and of scripts without spaces between words.

Words of the latter (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are told apart by the dictionaries of ICU, which come
with the extra `scripts`; without it `can_segment` is False and the letters stand alone.
"""

import unicodedata
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


# In scripts that put no space between words each letter is a token of its own.
_TOKEN = regex.compile(rf"[{UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}]--[{UNSPACED}]]+", regex.VERSION1)
MINIMUM_STEMMED = 4


def words_of(text: str) -> list[str]:
    """The lower-case words of `text`: runs of letters, digits and their marks; one letter each in unspaced scripts."""
    words: list[str] = _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())
    return words


def numbered(number: int, noun: str) -> str:
    """`1 page`, `2 pages`, `1,200 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def count_words(text: str) -> int:
    """How many words `text` has, as ROUGE counts them here."""
    return len(words_of(text))


def share_of_dropped_letters(text: str) -> float:
    """The share of the letters of `text` that the tokenizer of rouge-score drops: all but a to z."""
    letters = [letter for letter in text.lower() if letter.isalpha()]
    return sum(not letter.isascii() for letter in letters) / len(letters) if letters else 0.0


class UnicodeTokenizer:
    """Tokens for rouge-score from any script; where all letters are ASCII, the same as from its own, with stemming."""

    def __init__(self) -> None:
        from nltk.stem import porter

        self._stemmer: Any = porter.PorterStemmer()

    def tokenize(self, text: str) -> list[str]:
        """The words of `text`, English ones stemmed (those of four letters and more, as rouge-score does)."""
        return [self._stem(word) for word in words_of(text)]

    def _stem(self, word: str) -> str:
        stemmed: str = self._stemmer.stem(word) if word.isascii() and len(word) >= MINIMUM_STEMMED else word
        return stemmed


__all__ = [
    "UNSPACED",
    "UnicodeTokenizer",
    "can_segment",
    "count_words",
    "letters_of",
    "numbered",
    "segments",
    "share_of_dropped_letters",
    "share_unspaced",
    "words_of",
]
