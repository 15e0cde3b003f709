"""How well a metric orders summaries: against people or references, against damages, and at the gates."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from summq.eval.metrics.examinee.learned import AgreementRecord, Gate, GateRecord, Learned, Reached
from summq.eval.statistics import measure_agreement, summarise
from summq.optimizers.learned_metric.training import Featurizer, GradedCandidates, MetricTrainer
from summq.optimizers.planted.candidates import Candidate, Candidates
from summq.optimizers.planted.gates import GATES, gate_pairs
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, parallel

Measure = Callable[[Candidates, Candidate], float | None]
"""The score of one of the candidates of a document; higher is better, None is unscored."""


def cross_validated(trainer: MetricTrainer, names: Sequence[str]) -> Measure:
    """A measure that scores the candidates of each document by the metric fitted on all other documents."""
    documents = dict.fromkeys(item.candidates.row.id for item in trainer.graded)
    measures = {
        document: scored_by(trainer.without(document).learn(names).learned, trainer.featurizer)
        for document in documents
    }
    return lambda candidates, candidate: measures[candidates.row.id](candidates, candidate)


def scored_by(learned: Learned, featurizer: Featurizer) -> Measure:
    """A learned metric as a measure of candidates; an empty one scores 0."""

    def score(candidates: Candidates, candidate: Candidate) -> float | None:
        if not candidate.text.strip():
            return 0.0
        row = candidates.row
        return learned.score(featurizer(row.document, candidate.text, row.references))

    return score


def measure(
    name: str, graded: Sequence[GradedCandidates], measures: Mapping[str, Measure], seed: int = 0
) -> AgreementRecord:
    """How well each of several measures orders candidates, against their scores and planted damages."""
    return AgreementRecord(
        name=name,
        documents=len({item.candidates.row.id for item in graded}),
        summaries=sum(len(item.scores) for item in graded),
        measures={title: _reached(graded, one, seed) for title, one in measures.items()},
    )


def run_gates(name: str, candidates: Sequence[Candidates], measure: Measure) -> GateRecord:
    """The gates of a metric on the candidates of documents (`gate_candidates`)."""
    marks: dict[str, list[float]] = defaultdict(list)
    for found in parallel(lambda item: list(_gate_marks(item, measure)), candidates, at_once=DOCUMENTS_AT_ONCE):
        for gate, mark in found:
            marks[gate].append(mark)
    gates = [Gate(damage=g, pairs=len(marks[g]), share=sum(marks[g]) / len(marks[g])) for g in GATES if marks[g]]
    return GateRecord(name=name, documents=len(candidates), gates=tuple(gates))


def _gate_marks(candidates: Candidates, measure: Measure) -> Iterable[tuple[str, float]]:
    scores = {candidate.kind: measure(candidates, candidate) for candidate in candidates.candidates}
    for gate, better, worse in gate_pairs(candidates):
        mark = _ordered(scores[better.kind], scores[worse.kind])
        if mark is not None:
            yield gate, mark


def _reached(graded: Sequence[GradedCandidates], measure: Measure, seed: int) -> Reached:
    marks = [[measure(item.candidates, candidate) for candidate in item.candidates.candidates] for item in graded]
    documents = [item.candidates.row.id for item in graded for _ in item.scores]
    target = [score for item in graded for score in item.scores]
    agreement = measure_agreement([score for scores in marks for score in scores], target, documents, seed=seed)
    right, sources = list[float | None](), list[str]()
    for item, scores in zip(graded, marks, strict=True):
        by_kind = dict(zip((one.kind for one in item.candidates.candidates), scores, strict=True))
        for better, worse in item.candidates.planted():
            right.append(_ordered(by_kind[better.kind], by_kind[worse.kind]))
            sources.append(item.candidates.row.id)
    return Reached(
        tau=agreement.within_tau,
        pooled_tau=agreement.pooled_tau,
        pairs=agreement.within_accuracy,
        damaged=summarise(right, sources, seed=seed) if right else None,
    )


def _ordered(better: float | None, worse: float | None) -> float | None:
    """1 if the better one scores higher, 0.5 for a tie, 0 otherwise."""
    if better is None or worse is None:
        return None
    return 1.0 if better > worse else 0.5 if better == worse else 0.0


__all__ = ["Measure", "cross_validated", "measure", "run_gates", "scored_by"]
