"""Making a text shorter without touching its sentences."""

from itertools import pairwise

from summq.programs.text.sentences import sentence_spans
from summq.programs.text.words import count_words


def leave_out_sentences(text: str, least: int, most: int) -> tuple[str, list[str]]:
    """A text that is too long without its last sentences, and these in the order of the text.

    The rest has at most `most` words. A sentence whose absence would leave fewer than `least` stays, so the rest may be
    longer.
    """
    spans = list(sentence_spans(text))
    words = {span: count_words(text[slice(*span)]) for span in spans}
    rest, kept = sum(words.values()), spans[:]
    for span in reversed(spans[1:]):
        if rest > most and rest - words[span] >= least:
            kept.remove(span)
            rest -= words[span]
    gaps = {after: text[before.end : after.start] for before, after in pairwise(spans)}
    left_out = [text[slice(*span)] for span in spans if span not in kept]
    return "".join(gaps.get(span, "") + text[slice(*span)] for span in kept), left_out


__all__ = ["leave_out_sentences"]
