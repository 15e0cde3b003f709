"""Summaries that nobody wants and a metric that is optimised towards may come to want: the gates of a learned metric.

Each good summary (a human one and a draft of the backbone) stands with damaged versions of it. A metric that can be
trusted scores each of these below the human summary and below the draft that it was made from.
"""

import random
from collections.abc import Iterator

from summq.eval.data import Row
from summq.optimizers.planted.candidates import Candidate, Candidates, split_references
from summq.optimizers.planted.summaries import change_facts
from summq.programs.text.sentences import split_sentences
from summq.programs.text.stems import first_words

HUMAN, DRAFT = "reference", "draft"
GATES = {
    "word_salad": "random words of the document",
    "shuffled_words": "the words of each sentence shuffled",
    "reversed_words": "each sentence backwards",
    "other_document": "a fluent summary of another document",
    "changed_facts": "every name exchanged and every figure changed",
    "padding_repeated": "its first third, repeated up to its length",
    "padding_phrases": "its first third, and empty phrases up to its length",
}
"""Each damage by name, in words."""

PHRASES = (
    "This document covers a number of important topics.",
    "Several further aspects are discussed in detail.",
    "All of this is described in the text.",
    "There are many things to be considered here.",
    "The matter is explained from different points of view.",
    "Overall, this gives a good picture of the whole.",
)


def gate_candidates(row: Row, other: Row, draft: str, seed: int = 0) -> Candidates:
    """A human summary, a draft, and damaged versions of both; the same seed gives the same.

    The candidates' kinds are `reference`, `draft` and `BASE/GATE`. What is made of neither (word salad, another
    document's summary) stands under both.

    Args:
        row: It has a reference.
        other: A row about something else, with a reference.
        draft: A summary by a program.
    """
    rng = random.Random(f"{seed}/{row.id}")
    humans, others = split_references(row, rng)
    words = len(humans[0].split())
    salad = " ".join(rng.choices(row.document.text.split(), k=words))
    stranger = first_words(other.references[0], words)
    found = [Candidate(HUMAN, humans[0], human=True), Candidate(DRAFT, draft)]
    for base, text in ((HUMAN, humans[0]), (DRAFT, draft)):
        found += [Candidate(f"{base}/word_salad", salad, base), Candidate(f"{base}/other_document", stranger, base)]
        found += [Candidate(f"{base}/{gate}", damaged, base) for gate, damaged in _damages(text, rng)]
    return Candidates(Row(row.id, row.document, tuple(others), row.cluster), tuple(found))


def gate_pairs(candidates: Candidates) -> Iterator[tuple[str, Candidate, Candidate]]:
    """The gate, the better and the worse candidate of each pair.

    The human summary is better than everything damaged, the draft than what was made of it.
    """
    by_kind = {candidate.kind: candidate for candidate in candidates.candidates}
    for worse in candidates.candidates:
        if worse.origin is None:
            continue
        gate = worse.kind.partition("/")[2]
        same_text = gate in ("word_salad", "other_document")
        if worse.origin == DRAFT and not same_text:
            yield gate, by_kind[HUMAN], worse
        yield gate, by_kind[worse.origin], worse


def _damages(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    sentences = split_sentences(text)
    yield "shuffled_words", " ".join(" ".join(_shuffled(sentence, rng)) for sentence in sentences)
    yield "reversed_words", " ".join(" ".join(reversed(sentence.rstrip(".").split())) + "." for sentence in sentences)
    changed = change_facts(text, rng)
    if changed is not None:
        yield "changed_facts", changed
    start = sentences[: max(1, len(sentences) // 3)]
    yield "padding_repeated", _filled(start, start, len(text.split()))
    yield "padding_phrases", _filled(start, PHRASES, len(text.split()))


def _shuffled(sentence: str, rng: random.Random) -> list[str]:
    words = sentence.split()
    return rng.sample(words, len(words))


def _filled(start: list[str], filling: "list[str] | tuple[str, ...]", words: int) -> str:
    """`start`, and then sentences of the filling, in turn, until the text is as long as wanted."""
    taken, count = list(start), sum(len(sentence.split()) for sentence in start)
    while count < words:
        sentence = filling[(len(taken) - len(start)) % len(filling)]
        taken.append(sentence)
        count += len(sentence.split())
    return " ".join(taken)


__all__ = ["GATES", "gate_candidates", "gate_pairs"]
