"""Tables of agreement and gates in Markdown, and paired differences of Kendall's tau-b by resampling documents."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import kendalltau

from summq.eval.metrics.examinee import AgreementRecord, GateRecord
from summq.eval.statistics import summarise
from summq.optimizers.learned_metric import GradedCandidates, Measure


def agreement_table(record: AgreementRecord) -> str:
    """What each measure reaches on one set of summaries."""
    head = f"**{record.name}**: {record.summaries} summaries of {record.documents} documents"
    columns = "| measure | tau-b within documents | tau-b over all | pairs right |\n| --- | --- | --- | --- |"
    rows = [f"| {name} | {r.tau} | {r.pooled_tau} | {r.pairs} |" for name, r in record.measures.items()]
    return "\n".join([head, "", columns, *rows])


def paired_table(
    graded: Sequence[GradedCandidates], measures: Mapping[str, Measure], pairs: Sequence[tuple[str, str]]
) -> str:
    """The difference of tau-b within documents of each pair of measures, with its interval over documents."""
    taus = {name: _taus(graded, measures[name]) for name in {name for pair in pairs for name in pair}}
    lines = ["| difference | tau-b within documents |", "| --- | --- |"]
    for one, other in pairs:
        difference = summarise([a - b for a, b in zip(taus[one], taus[other], strict=True)])
        lines.append(f"| {one} less {other} | {difference} |")
    return "\n".join(lines)


def gates_table(records: Sequence[GateRecord]) -> str:
    """The share of pairs that are ordered right, by damage and data; in brackets the number of pairs."""
    damages = [gate.damage for gate in records[0].gates]
    head = f"| gate | {' | '.join(f'{r.name} ({r.documents} documents)' for r in records)} |"
    lines = [head, "| --- |" + " --- |" * len(records)]
    for damage in damages:
        found = [next((g for g in record.gates if g.damage == damage), None) for record in records]
        cells = " | ".join(f"{gate.share:.3f} ({gate.pairs})" if gate else "-" for gate in found)
        lines.append(f"| {damage.replace('_', ' ')} | {cells} |")
    return "\n".join(lines)


def _taus(graded: Sequence[GradedCandidates], measure: Measure) -> list[float]:
    """Tau-b within each document; a measure that scores all of it alike orders nothing and has 0."""
    by_document: dict[str, list[tuple[float, float]]] = {}
    for item in graded:
        for candidate, target in zip(item.candidates.candidates, item.scores, strict=True):
            score = measure(item.candidates, candidate)
            if score is not None and target is not None:
                by_document.setdefault(item.candidates.row.id, []).append((score, target))
    return [float(np.nan_to_num(kendalltau(*zip(*pairs, strict=True)).statistic)) for pairs in by_document.values()]


__all__ = ["agreement_table", "gates_table", "paired_table"]
