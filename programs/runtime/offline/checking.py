"""Whether a document bears out a sentence, and how much of what matters a summary covers."""

from dataclasses import dataclass

from summq.programs.text.facts import Fact, facts_of
from summq.programs.text.reading import Reading, read
from summq.programs.text.statements import denies
from summq.programs.text.stems import Sentence, stems_of
from summq.signatures import Support

BEARS_ON = 0.6
NEARLY_ALL = 0.75
COVERED = 0.55


@dataclass(frozen=True)
class Check:
    """What a document says to a sentence, and the sentence of the document that decides it."""

    support: Support
    quote: str


def check(document: Reading, sentence: Sentence) -> Check:
    """Whether the document bears a sentence out.

    Supported: one sentence says most of it, with all of its facts. Contradicted: that sentence has another fact in the
    place of one, or is negated where this is not; or the document knows a figure nowhere. Else it is not found.
    """
    hit = document.find(sentence.text)
    if hit is None:
        return Check("not_found", "")
    if " ".join(sentence.text.split()) in document.flat:
        return Check("supported", hit.sentence.text)
    facts = facts_of(sentence.text, document.names)
    missing = [fact for fact in facts if not _says(hit.sentence, fact)]
    if any(_unheard_of(document, fact) for fact in missing):
        return Check("contradicted", hit.sentence.text)
    if hit.share < BEARS_ON:
        return Check("not_found", hit.sentence.text)
    kinds = {fact.kind for fact in document.facts[hit.sentence.index] if not _says(sentence, fact)}
    negated = hit.share >= NEARLY_ALL and denies(sentence.text, hit.sentence.text)
    if negated or any(fact.kind in kinds for fact in missing):
        return Check("contradicted", hit.sentence.text)
    return Check("not_found" if missing else "supported", hit.sentence.text)


def _says(sentence: Sentence, fact: Fact) -> bool:
    return stems_of(fact.text) <= sentence.stems


def _unheard_of(document: Reading, fact: Fact) -> bool:
    """Whether a figure stands nowhere in the document."""
    return any(character.isdigit() for character in fact.text) and not all(
        stem in document.postings for stem in stems_of(fact.text)
    )


def covers(summary: Reading, sentence: Sentence) -> bool:
    """Whether a summary says most of what a sentence says."""
    return any(summary.holds(ours, sentence.stems) >= COVERED for ours in summary.sentences)


def coverage(document: Reading, scores: list[float], summary: str) -> float:
    """The share of what matters in the document that the summary says, each thing counted once."""
    reading = read(summary)
    total = sum(scores) or 1.0
    covered: set[int] = set()
    for sentence in reading.sentences:
        hit = document.find(sentence.text)
        if hit and hit.share >= BEARS_ON:
            covered.add(hit.sentence.index)
    return sum(scores[index] for index in covered) / total


__all__ = ["check", "coverage", "covers"]
