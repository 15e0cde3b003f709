"""What the learned metric sees of a summary: how its exam went, what it says, and how. Never a reference.

Every feature is higher where the summary is better by what it is about; `own_words` alone may count either way. A right
answer counts by how far the summary uses its own words: a copied sentence answers what was asked about it, and shows
nothing but that it was copied. A sentence said again says no more: `unrepeated` and `not_long` alone look at it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import fmean

from summq.eval.metrics.examinee.claims import KEPT_DOCUMENTS, Claim, claims_of
from summq.programs.text.reading import read
from summq.programs.text.stems import content_stems
from summq.signatures import KINDS, Document, Exam, Quiz

FEATURES: Mapping[str, str] = {
    **{f"right_{kind}": f"{kind.replace('_', ' ')} questions answered right, times own words" for kind in KINDS},
    "not_misled": "share of the questions not answered wrong; 'not in the summary' is not wrong",
    "asked_about": "how much of what the questions are about the summary tells, whatever the answers",
    "vocabulary": "likeness of its distribution of words to the document's (1 - Jensen-Shannon divergence)",
    "grounded": "share of its names and figures that stand in the passages which its sentences are about",
    "unreversed": "share of its sentences that do not deny what the document asserts, or the contrary",
    "unrepeated": "share of its word triples that it does not repeat",
    "not_short": "0 at the usual length, less for each halving below it",
    "not_long": "0 at the usual length, less for each doubling above it",
    "own_words": "share of its sentences that are no copies of the document's",
}
EITHER_WAY = frozenset({"own_words"})
ENOUGH = 0.4  # of the words of a question's evidence: more of them makes no better summary, only a copy
UNKNOWN = 0.5
FEW = 5  # words added to all lengths, for the logarithm

Features = dict[str, float]


def features_of(document: Document, quiz: Quiz, summary: str, exam: Exam, usual_words: float | None) -> Features:
    """The features of a summary that is not empty, by name. Where no length is usual, any is."""
    once = "\n".join(dict.fromkeys(sentence.text for sentence in read(summary).sentences))
    claims = claims_of(document, once)
    details = [detail not in claim.unbacked for claim in claims for detail in sorted(claim.details)]
    own = _share((not claim.copied for claim in claims), UNKNOWN)
    right = exam.accuracy_by_kind
    return {
        **{f"right_{kind}": own * (right.get(kind) or 0.0) for kind in KINDS},
        "not_misled": _share((a.correct or a.not_in_summary for a in exam.scored), UNKNOWN),
        "asked_about": _asked_about(document, quiz, once),
        "vocabulary": 1 - _divergence(Counter(content_stems(once)), _words_of(document.text)),
        "grounded": _share(details, UNKNOWN),
        "unreversed": _share((not claim.reversed for claim in claims), UNKNOWN),
        "unrepeated": _distinct(content_stems(summary)),
        "not_short": min(0.0, _doublings(once, usual_words)),
        "not_long": min(0.0, -_doublings(summary, usual_words)),
        "own_words": own,
    }


def remarks_on(claims: Sequence[Claim], most: int = 3) -> list[str]:
    """What the claims of a summary give to find fault with, as lines of feedback."""
    strange = [claim for claim in claims if claim.strange][:most]
    turned = [claim for claim in claims if claim.reversed and not claim.strange][:most]
    return [
        *(f"The document does not bear out {', '.join(c.strange)} in this context: {c.text}" for c in strange),
        *(f"This denies what the document asserts, or asserts what it denies: {c.text}" for c in turned),
    ]


def _asked_about(document: Document, quiz: Quiz, summary: str) -> float:
    """The mean share, up to `ENOUGH`, of each question's evidence that two neighbouring sentences hold."""
    rarity = read(document.text).rarity
    sentences = [sentence.stems for sentence in read(summary).sentences]
    pairs = [one | other for one, other in zip(sentences, [*sentences[1:], frozenset()], strict=True)]
    shares = []
    for question in quiz.questions:
        wanted = {stem: rarity(stem) for stem in content_stems(question.evidence)}
        held = (sum(weight for stem, weight in wanted.items() if stem in pair) for pair in pairs)
        shares.append(min(ENOUGH, max(held, default=0.0) / (sum(wanted.values()) or 1.0)) / ENOUGH)
    return fmean(shares) if shares else 0.0


def _divergence(one: Counter[str], other: Counter[str]) -> float:
    """Jensen-Shannon divergence of two distributions, in bits: 0 for equal ones, 1 for those with nothing in common."""
    if not one or not other:
        return 1.0
    p = {stem: count / one.total() for stem, count in one.items()}
    q = {stem: count / other.total() for stem, count in other.items()}
    return sum(
        part / 2 * math.log2(2 * part / (p.get(stem, 0.0) + q.get(stem, 0.0)))
        for distribution in (p, q)
        for stem, part in distribution.items()
    )


@lru_cache(KEPT_DOCUMENTS)
def _words_of(text: str) -> Counter[str]:
    return Counter(content_stems(text))


def _doublings(text: str, usual: float | None) -> float:
    """How often the usual length has to be doubled for that of a text; below 0 if halved. Where none is usual, 0."""
    return math.log2((len(text.split()) + FEW) / (usual + FEW)) if usual else 0.0


def _distinct(stems: Sequence[str]) -> float:
    triples = list(zip(stems, stems[1:], stems[2:], strict=False))
    return len(set(triples)) / len(triples) if triples else 0.0


def _share(marks: Iterable[bool | None], otherwise: float) -> float:
    counted = [bool(mark) for mark in marks]
    return fmean(counted) if counted else otherwise


__all__ = ["EITHER_WAY", "FEATURES", "Features", "features_of", "remarks_on"]
