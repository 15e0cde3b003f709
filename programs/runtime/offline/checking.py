"""Whether a document bears out a sentence, and how much of what matters a summary covers."""

from dataclasses import dataclass

from summq.programs.runtime.offline.facts import facts_of
from summq.programs.runtime.offline.reading import Reading, read
from summq.programs.runtime.offline.statements import agrees
from summq.programs.runtime.offline.text import Sentence
from summq.signatures import Support

BEARS_ON = 0.6
COVERED = 0.55


@dataclass(frozen=True)
class Check:
    """What a document says to a sentence, and the sentence of the document that decides it."""

    support: Support
    quote: str


def check(document: Reading, sentence: Sentence) -> Check:
    """Supported: said alike or all of its facts are known. Contradicted: a fact or a negation differs."""
    hit = document.find(sentence.text)
    if hit is None or hit.share < BEARS_ON:
        return Check("not_found", hit.sentence.text if hit else "")
    agreed = agrees(sentence.text.rstrip("….").lstrip("…"), hit.sentence)
    if agreed is False and not _facts_known(document, hit.sentence, sentence):
        return Check("contradicted", hit.sentence.text)
    return Check("supported", hit.sentence.text)


def _facts_known(document: Reading, source: Sentence, sentence: Sentence) -> bool:
    stated = {fact.key for fact in facts_of(sentence.text, document.names)}
    return bool(stated) and stated <= {fact.key for fact in document.facts[source.index]}


def covers(summary: Reading, sentence: Sentence) -> bool:
    """Whether a summary says most of what a sentence says."""
    return any(summary.holds(ours, sentence.stems) >= COVERED for ours in summary.sentences)


def coverage(document: Reading, scores: list[float], summary: str) -> float:
    """The share of what matters in the document that the summary says, each thing counted once."""
    said = read(summary)
    total = sum(scores) or 1.0
    told: set[int] = set()
    for sentence in said.sentences:
        hit = document.find(sentence.text)
        if hit and hit.share >= BEARS_ON:
            told.add(hit.sentence.index)
    return sum(scores[index] for index in told) / total


__all__ = ["Check", "check", "coverage", "covers"]
