"""A learned metric in words: its weights, its agreement and its gates, as Markdown."""

from collections.abc import Iterator, Sequence

from summq.eval.metrics.examinee.features import FEATURES
from summq.eval.metrics.examinee.learned import Learned


def described(learned: Learned) -> str:
    """What the metric weighs, what it was fitted to, how well it orders, and why not to trust it, if so."""
    needs = ["references"] * learned.uses_references + ["an exam of every summary"] * learned.uses_exam
    return "\n\n".join(
        (
            f"Fitted on {learned.fitted_on} to {learned.target}; needs {' and '.join(needs) or 'the document alone'}.",
            _table(("feature", "what it is", "weight", "enough"), _weights(learned)),
            _table(
                ("agreement (Kendall's tau-b)", "documents", "summaries", "within documents", "over all"),
                _agreement(learned),
            ),
            _table(("gate", "pairs", "ordered right", ""), _gates(learned)),
            f"Don't trust it: {learned.doubt}." if learned.doubt else "It passes all gates.",
        )
    )


def _weights(learned: Learned) -> Iterator[Sequence[str]]:
    """Weights in log-odds for each unit; `enough` is the value from which more counts nothing."""
    for name, weight in sorted(learned.weights.items(), key=lambda item: -abs(item[1])):
        enough = learned.enough.get(name)
        yield name, FEATURES[name], f"{weight:.2f}", "-" if enough is None else f"{enough:.2f}"


def _agreement(learned: Learned) -> Iterator[Sequence[str]]:
    for record in learned.agreement:
        for name, reached in record.measures.items():
            title = f"{record.name}: {name}"
            yield title, str(record.documents), str(record.summaries), str(reached.tau), str(reached.pooled_tau)


def _gates(learned: Learned) -> Iterator[Sequence[str]]:
    for record in learned.gates:
        for gate in record.gates:
            verdict = "passed" if gate.passed else "FAILED"
            yield f"{record.name}: {gate.damage}", str(gate.pairs), f"{gate.share:.3f}", verdict


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


__all__ = ["described"]
