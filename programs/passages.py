"""Dividing a text into consecutive passages that fit: at paragraphs where possible, else sentences, else words."""

import re
from collections.abc import Callable, Iterable, Iterator

from summq.programs.runtime.sentences import sentence_spans
from summq.programs.runtime.tokens import estimate_tokens

Count = Callable[[str], int]


def passages(text: str, max_tokens: int, count: Count = estimate_tokens) -> list[str]:
    """`text` in passages of at most `max_tokens` tokens each, which together are the text, white space apart."""
    pieces = (text[piece] for piece in _pieces(text, max_tokens, count))
    return [passage.strip() for passage in _filled(pieces, max_tokens, count) if passage.strip()]


def _pieces(text: str, limit: int, count: Count) -> Iterator[slice]:
    """The largest units that fit: paragraphs, of longer ones the sentences, of longer ones the words."""
    for paragraph in _between(text, slice(0, len(text)), r"\n\s*\n"):
        if count(text[paragraph]) <= limit:
            yield paragraph
            continue
        ends = [paragraph.start + span.end for span in sentence_spans(text[paragraph])]
        for start, end in zip([paragraph.start, *ends], [*ends, paragraph.stop], strict=True):
            fits = count(text[start:end]) <= limit
            yield from [slice(start, end)] if fits else _between(text, slice(start, end), r"\s+")


def _between(text: str, where: slice, separator: str) -> Iterator[slice]:
    """The stretches of `text[where]` that end with the separator, or with the end."""
    start = where.start
    for match in re.compile(separator).finditer(text, where.start, where.stop):
        yield slice(start, match.end())
        start = match.end()
    yield slice(start, where.stop)


def _filled(pieces: Iterable[str], limit: int, count: Count) -> Iterator[str]:
    """Consecutive pieces joined as long as they fit together."""
    passage, tokens = "", 0
    for piece in pieces:
        size = count(piece)
        if passage and tokens + size > limit:
            yield passage
            passage, tokens = "", 0
        passage, tokens = passage + piece, tokens + size
    yield passage


__all__ = ["passages"]
