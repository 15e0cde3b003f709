"""Tables of agreement in markdown, and paired differences of Kendall's tau-b by resampling documents."""

import math
import random
from collections.abc import Mapping, Sequence
from statistics import fmean

from summq.eval.metrics.examinee import FEATURES, AgreementRecord, Learned
from summq.optimizers.learned_metric import GradedPool, Measure

RESAMPLES = 1000
Scored = Mapping[str, list[tuple[float, float, float]]]
"""For each document: one measure, another measure, and the target, for each of its summaries."""


def weights_table(learned: Learned) -> str:
    """What each feature is, and its weight."""
    rows = [f"| `{name}` | {FEATURES[name]} | {weight:.2f} |" for name, weight in learned.weights.items()]
    return "\n".join(["| feature | what it is | weight |", "| --- | --- | --- |", *rows])


def agreement_table(record: AgreementRecord) -> str:
    """What each measure reaches on one set of summaries."""
    head = f"**{record.name}**: {record.summaries} summaries of {record.documents} documents"
    columns = "| measure | tau-b within documents | tau-b over all | pairs right | damaged pairs right |"
    rows = [
        f"| {name} | {r.tau} | {r.pooled_tau} | {r.pairs} | {r.damaged or '-'} |" for name, r in record.measures.items()
    ]
    return "\n".join([head, "", columns, "| --- | --- | --- | --- | --- |", *rows])


def paired_table(graded: Sequence[GradedPool], measures: Mapping[str, Measure], learned: str = "examinee") -> str:
    """The learned metric's tau-b over all summaries and within documents, less that of each other measure."""
    rows = []
    for name in measures:
        if name != learned:
            scored = _scored(graded, measures[learned], measures[name])
            cells = [_difference(scored, pooled) for pooled in (False, True)]
            rows.append(f"| {learned} less {name} | {cells[0]} | {cells[1]} |")
    return "\n".join(["| difference | tau-b within documents | tau-b over all |", "| --- | --- | --- |", *rows])


def damage_table(graded: Sequence[GradedPool], measures: Mapping[str, Measure]) -> str:
    """By damage, the share of pairs (summary, damaged version) that each measure orders right; empty without any."""
    shares: dict[str, dict[str, list[float]]] = {}
    for item in graded:
        for better, worse in item.pool.planted():
            row = shares.setdefault(worse.kind.rpartition("/")[2].replace("_", " "), {})
            for name, measure in measures.items():
                one, other = measure(item.pool, better), measure(item.pool, worse)
                if one is not None and other is not None:
                    row.setdefault(name, []).append(1.0 if one > other else 0.5 if one == other else 0.0)
    head = ["| damage | pairs | " + " | ".join(measures) + " |", "| --- | --- |" + " --- |" * len(measures)]

    def line(title: str, row: Mapping[str, Sequence[float]]) -> str:
        cells = " | ".join(f"{fmean(row[name]):.3f}" for name in measures)
        return f"| {title} | {max(map(len, row.values()))} | {cells} |"

    real = [row for kind, row in shares.items() if kind != "empty"]
    together = {name: [mark for row in real for mark in row[name]] for name in measures}
    rows = [line(kind, row) for kind, row in shares.items()]
    return "\n".join([*head, *rows, line("all but empty", together)]) if rows else ""


def _scored(graded: Sequence[GradedPool], one: Measure, other: Measure) -> Scored:
    found: dict[str, list[tuple[float, float, float]]] = {}
    for item in graded:
        for candidate, target in zip(item.pool.candidates, item.scores, strict=True):
            values = (one(item.pool, candidate), other(item.pool, candidate), target)
            if None not in values:
                found.setdefault(item.pool.row.id, []).append(values)  # type: ignore[arg-type]
    return found


def _difference(scored: Scored, pooled: bool) -> str:
    """The difference with the interval of the percentile bootstrap over documents."""
    tau = _pooled if pooled else _within
    rng = random.Random(0)
    documents = list(scored.values())
    drawn = sorted(tau(rng.choices(documents, k=len(documents))) for _ in range(RESAMPLES))
    low, high = drawn[int(0.025 * RESAMPLES)], drawn[int(0.975 * RESAMPLES)]
    return f"{tau(documents):+.3f} [{low:+.3f}, {high:+.3f}]"


def _pooled(documents: Sequence[Sequence[tuple[float, float, float]]]) -> float:
    return _tau_difference([row for document in documents for row in document])


def _within(documents: Sequence[Sequence[tuple[float, float, float]]]) -> float:
    return sum(map(_tau_difference, documents)) / len(documents)


def _tau_difference(rows: Sequence[tuple[float, float, float]]) -> float:
    one, other, target = zip(*rows, strict=True)
    return _tau(one, target) - _tau(other, target)


def _tau(scores: Sequence[float], target: Sequence[float]) -> float:
    """Kendall's tau-b; 0 for a measure that scores all alike and so orders nothing."""
    from scipy.stats import kendalltau

    tau = float(kendalltau(scores, target).statistic)
    return 0.0 if math.isnan(tau) else tau


__all__ = ["agreement_table", "damage_table", "paired_table", "weights_table"]
