"""Finding quotations in a document, and telling whether two texts have the same words."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from summq.programs.text.words import count_words

SIMILAR = 90.0
LONGEST_WORD = 20
FEWEST_WORDS = 3
AROUND = 300  # characters of a passage before and after the quote
GAP = "\n\n[...]\n\n"


def find_quote(quote: str, text: str) -> slice | None:
    """Where `text` has `quote`, or None.

    Tried in turn: the exact characters; the same words whatever stands between them; at least `SIMILAR` percent alike.
    """
    quote = quote.strip().strip("\"'“”‘’").strip()
    if not quote:
        return None
    start = text.find(quote)
    if start >= 0:
        return slice(start, start + len(quote))
    words = re.findall(r"\w+", quote)
    match = re.search(r"\W+".join(words), text, re.IGNORECASE) if words else None
    if match:
        return slice(match.start(), match.end())
    return _nearly(quote, text)


def excerpt(text: str, quotes: Sequence[str]) -> str | None:
    """The passages of `text` in which the quotes stand; None if any of them is not there, or says too little."""
    spans = [find_quote(quote, text) for quote in quotes if count_words(quote) >= FEWEST_WORDS]
    spans_around = [_to_word_ends(text, s.start - AROUND, s.stop + AROUND) for s in spans if s]
    if len(spans_around) < len(quotes):
        return None
    return GAP.join(text[span] for span in _union(spans_around))


def same_text(text: str) -> str:
    """Text reduced to its words, for telling whether two questions are the same."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _nearly(quote: str, text: str) -> slice | None:
    alignment = fuzz.partial_ratio_alignment(quote, text, score_cutoff=SIMILAR) if len(quote) <= len(text) else None
    return _to_word_ends(text, alignment.dest_start, alignment.dest_end) if alignment else None


def _to_word_ends(text: str, start: int, end: int) -> slice:
    """The stretch with the words whole that it cuts, where they are no longer than `LONGEST_WORD`."""
    around = re.compile(r"\S+").finditer(text, max(0, start - LONGEST_WORD), end + LONGEST_WORD)
    words = [word for word in around if word.end() > start and word.start() < end]
    return slice(words[0].start(), words[-1].end())


def _union(spans: Sequence[slice]) -> list[slice]:
    """The spans in order, those that overlap in one."""
    union: list[slice] = []
    for span in sorted(spans, key=lambda s: s.start):
        if union and span.start <= union[-1].stop:
            union[-1] = slice(union[-1].start, max(union[-1].stop, span.stop))
        else:
            union.append(span)
    return union


__all__ = ["excerpt", "find_quote", "same_text"]
