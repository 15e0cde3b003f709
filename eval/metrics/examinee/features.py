"""What the learned metric measures of a summary, by name.

Every feature is higher where the summary is better by what it is about; `own_words` alone may count either way. Each
group is computed only where a weight asks for it: a metric without a feature of the exam makes no call, and only one
with a feature of `REFERENCE_FEATURES` needs references.

A right answer of the exam counts by how far the summary uses its own words: a copied sentence answers what was asked
about it, and shows nothing but that it was copied. A sentence said again says no more: only `unrepeated` and `not_long`
see it twice.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Metric
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.examinee.claims import Claim, claims_of, facts_in_context
from summq.eval.metrics.examinee.embeddings import KEPT_DOCUMENTS, align
from summq.eval.metrics.examinee.word_order import order_gain
from summq.eval.metrics.rouge import Rouge
from summq.programs.text.reading import read
from summq.programs.text.stems import content_stems, words
from summq.signatures import KINDS, Document, Exam, Quiz

EXAM_FEATURES: Mapping[str, str] = {
    **{f"right_{kind}": f"{kind.replace('_', ' ')} questions answered right, times own words" for kind in KINDS},
    "not_misled": "share of the questions not answered wrong; 'not in the summary' is not wrong",
    "asked_about": "how much of what the questions are about the summary tells, whatever the answers",
}
CLAIM_FEATURES: Mapping[str, str] = {
    "grounded": "share of its names and figures that stand in the passages which its sentences are about",
    "unreversed": "share of its sentences that do not deny what the document asserts, or the contrary",
    "unaltered": "share of its sentences that are no copies of the document's with other names or figures",
    "own_words": "share of its sentences that are no copies of the document's",
}
WORDING_FEATURES: Mapping[str, str] = {
    "facts_in_context": "share of its names and figures that stand where the other words of their sentence point",
    "vocabulary": "likeness of its distribution of words to the document's (1 - Jensen-Shannon divergence)",
    "word_order": "bits a word by which its words' order is likelier than chance, up to 1 (0: shuffled)",
    "word_variety": "its different words, for its length (words to the power of 3/4)",
    "word_length": "mean number of letters of its words: vague prose has short ones",
    "unrepeated": "share of its word triples that it does not repeat, up to 0.7: people repeat names, too",
    "not_short": "0 at the usual length, less for each halving below it",
    "not_long": "0 at the usual length, less for each doubling above it",
}
EMBEDDING_FEATURES: Mapping[str, str] = {
    "grounding": "mean over its sentences of the greatest cosine to a sentence of the document",
    "coverage": "mean over 20 parts of the document of the greatest cosine to a sentence of the summary",
    "sentence_order": "agreement of the order of its sentences with the document's (Kendall's tau)",
}
REFERENCE_FEATURES: Mapping[str, str] = {
    "rouge1": "ROUGE-1 with the nearest reference",
    "bertscore_recall": "BERTScore recall of the reference that it covers best",
}
FEATURES: Mapping[str, str] = {
    **EXAM_FEATURES,
    **CLAIM_FEATURES,
    **WORDING_FEATURES,
    **EMBEDDING_FEATURES,
    **REFERENCE_FEATURES,
}
"""All features, by name, in words."""

EITHER_WAY = frozenset({"own_words"})
ENOUGH_EVIDENCE = 0.4  # of the words of a question's evidence: more of them makes no better summary, only a copy
ENOUGH_ORDER = 1.0  # bit a word: fluent texts reach it, shuffled words never
ENOUGH_DISTINCT = 0.7
UNKNOWN = 0.5
FEW = 5  # words added to all lengths, for the logarithm

Features = dict[str, float]


@dataclass(frozen=True)
class RatedSummary:
    """A summary that is not empty, and what it is rated by.

    The quiz and the exam are None where nothing asks for them; `usual_words` None: any length is as good as another.
    """

    document: Document
    summary: str
    references: Sequence[str] = ()
    quiz: Quiz | None = None
    exam: Exam | None = None
    usual_words: float | None = None


def features_of(rated: RatedSummary, names: Collection[str]) -> Features:
    """The named features of a summary.

    Raises:
        ConfigError: An encoder that they need is not installed.
    """
    groups = (
        (EXAM_FEATURES, _of_exam),
        (CLAIM_FEATURES, _of_claims),
        (WORDING_FEATURES, _of_wording),
        (EMBEDDING_FEATURES, _of_embeddings),
        (REFERENCE_FEATURES, _of_references),
    )
    values: Features = {}
    for group, compute in groups:
        if not group.keys().isdisjoint(names):
            values.update(compute(rated))
    return {name: values[name] for name in FEATURES if name in names}


def remarks_on(claims: Sequence[Claim], most: int = 3) -> list[str]:
    """What the claims of a summary give to find fault with, as lines of feedback."""
    strange = [claim for claim in claims if claim.strange][:most]
    turned = [claim for claim in claims if claim.reversed and not claim.strange][:most]
    return [
        *(f"The document does not bear out {', '.join(c.strange)} in this context: {c.text}" for c in strange),
        *(f"This denies what the document asserts, or asserts what it denies: {c.text}" for c in turned),
    ]


def _of_exam(rated: RatedSummary) -> Features:
    if rated.quiz is None or rated.exam is None:
        raise ValueError("features of the exam need an exam")
    right, own = rated.exam.accuracy_by_kind, _own_words(_claims(rated))
    return {
        **{f"right_{kind}": own * (right.get(kind) or 0.0) for kind in KINDS},
        "not_misled": _share((a.correct or a.not_in_summary for a in rated.exam.scored), UNKNOWN),
        "asked_about": _evidence_share(rated.document, rated.quiz, _once(rated.summary)),
    }


def _of_claims(rated: RatedSummary) -> Features:
    claims = _claims(rated)
    details = [detail not in claim.unbacked for claim in claims for detail in sorted(claim.details)]
    return {
        "grounded": _share(details, UNKNOWN),
        "unreversed": _share((not claim.reversed for claim in claims), UNKNOWN),
        "unaltered": _share((not claim.altered for claim in claims), UNKNOWN),
        "own_words": _own_words(claims),
    }


def _of_wording(rated: RatedSummary) -> Features:
    once, document = _once(rated.summary), rated.document
    tokens = [match[0].lower() for match in words(once)]
    in_context = facts_in_context(document, once)
    return {
        "facts_in_context": UNKNOWN if in_context is None else in_context,
        "vocabulary": 1 - _divergence(Counter(content_stems(once)), _words_of(document.text)),
        "word_order": min(ENOUGH_ORDER, order_gain(document.text, once)),
        "word_variety": len(set(tokens)) / len(tokens) ** 0.75 if tokens else 0.0,
        "word_length": fmean(map(len, tokens)) if tokens else 0.0,
        "unrepeated": min(ENOUGH_DISTINCT, _distinct(content_stems(rated.summary))),
        "not_short": min(0.0, _doublings(once, rated.usual_words)),
        "not_long": min(0.0, -_doublings(rated.summary, rated.usual_words)),
    }


def _of_embeddings(rated: RatedSummary) -> Features:
    alignment = align(rated.document.text, _once(rated.summary))
    return {name: getattr(alignment, name) for name in EMBEDDING_FEATURES}


def _of_references(rated: RatedSummary) -> Features:
    row = Row(id="", document=Document(text=""), references=tuple(rated.references))
    values = {
        name: value
        for metric in _reference_metrics()
        for name, value in metric.score(rated.summary, row).values.items()
    }
    return {"rouge1": values["rouge1"] or 0.0, "bertscore_recall": values["bertscore_r"] or 0.0}


@lru_cache(1)
def _reference_metrics() -> tuple[Metric, ...]:
    return Rouge(("rouge1",)), BertScore()


def _once(summary: str) -> str:
    """The summary with each sentence said once."""
    return "\n".join(dict.fromkeys(sentence.text for sentence in read(summary).sentences))


def _claims(rated: RatedSummary) -> list[Claim]:
    return claims_of(rated.document, _once(rated.summary))


def _own_words(claims: Sequence[Claim]) -> float:
    return _share((not claim.copied for claim in claims), UNKNOWN)


def _evidence_share(document: Document, quiz: Quiz, summary: str) -> float:
    """The mean share, up to `ENOUGH_EVIDENCE`, of each question's evidence that two neighbouring sentences hold."""
    rarity = read(document.text).rarity
    sentences = [sentence.stems for sentence in read(summary).sentences]
    pairs = [one | other for one, other in zip(sentences, [*sentences[1:], frozenset()], strict=True)]
    shares = []
    for question in quiz.questions:
        weights = {stem: rarity(stem) for stem in content_stems(question.evidence)}
        sums = (sum(weight for stem, weight in weights.items() if stem in pair) for pair in pairs)
        share = max(sums, default=0.0) / (sum(weights.values()) or 1.0)
        shares.append(min(ENOUGH_EVIDENCE, share) / ENOUGH_EVIDENCE)
    return fmean(shares) if shares else 0.0


def _divergence(one: Counter[str], other: Counter[str]) -> float:
    """Jensen-Shannon divergence of two distributions, in bits: 0 for equal ones, 1 for those with nothing in common."""
    if not one or not other:
        return 1.0
    p, q = _shares(one), _shares(other)
    return sum(
        part / 2 * math.log2(2 * part / (p.get(stem, 0.0) + q.get(stem, 0.0)))
        for distribution in (p, q)
        for stem, part in distribution.items()
    )


def _shares(counts: Counter[str]) -> dict[str, float]:
    total = counts.total()
    return {stem: count / total for stem, count in counts.items()}


@lru_cache(KEPT_DOCUMENTS)
def _words_of(text: str) -> Counter[str]:
    return Counter(content_stems(text))


def _doublings(text: str, usual: float | None) -> float:
    """How often the usual length has to be doubled for that of a text; below 0 if halved; 0 if no length is usual."""
    return math.log2((len(text.split()) + FEW) / (usual + FEW)) if usual else 0.0


def _distinct(stems: Sequence[str]) -> float:
    triples = list(zip(stems, stems[1:], stems[2:], strict=False))
    return len(set(triples)) / len(triples) if triples else 0.0


def _share(marks: Iterable[bool | None], otherwise: float) -> float:
    counted = [bool(mark) for mark in marks]
    return fmean(counted) if counted else otherwise


__all__ = [
    "EITHER_WAY",
    "EXAM_FEATURES",
    "FEATURES",
    "REFERENCE_FEATURES",
    "Features",
    "RatedSummary",
    "features_of",
    "remarks_on",
]
