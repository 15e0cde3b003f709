"""What can be counted on the surface of a summary: its length, compression and share of words of its own."""

from collections.abc import Mapping
from functools import lru_cache

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Column, Score
from summq.programs.text.words import count_words, words_of

NGRAM_SIZES = (1, 2, 3, 4)
_NOVEL = tuple(Column(key=f"novel_{n}", heading=f"new {n}-grams, %", better=None) for n in NGRAM_SIZES)


class Surface:
    """Counts that describe a summary; none of them is better when it is higher.

    `words`: white-space separated words. `compression`: how many words of the document a word of the summary stands
    for. `novel_n`: the share of the summary's n-grams that are not in the document, 0 for an extract.
    """

    name = "surface"
    columns = (
        Column(key="words", heading="words", factor=1, digits=0, better=None, most=None),
        Column(key="compression", heading="compression", factor=1, better=None, most=None),
        *_NOVEL,
    )

    def score(self, prediction: str, row: Row) -> Score:
        """The counts; of an empty summary only the length."""
        words = count_words(prediction)
        tokens = words_of(prediction)
        values: dict[str, float | None] = {
            "words": float(words),
            "compression": count_words(row.document.text) / words if words else None,
        }
        for n, column in zip(NGRAM_SIZES, _NOVEL, strict=True):
            own = _ngrams(tokens, n)
            known = _document_ngrams(row.document.text, n)
            values[column.key] = sum(gram not in known for gram in own) / len(own) if own else None
        return Score(values, reason=None if words >= max(NGRAM_SIZES) else "too short to count")

    def describe(self) -> Mapping[str, str | float]:
        """What words and n-grams are."""
        return {"words": "runs of letters and digits", "n-grams": "lower-case words, unstemmed"}


@lru_cache(maxsize=4 * len(NGRAM_SIZES))
def _document_ngrams(text: str, n: int) -> frozenset[tuple[str, ...]]:
    return frozenset(_ngrams(words_of(text), n))


def _ngrams(tokens: list[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(tokens[start:] for start in range(n)), strict=False))


__all__ = ["Surface"]
