"""What has to be said beside the numbers of a run, without which nobody can compare them."""

from collections import Counter
from collections.abc import Iterable, Mapping

from summq.eval.folder import RunConfig
from summq.eval.ledger import Cells, Outcome

SHOWN = 10


def notes_on(config: RunConfig, cells: Cells) -> list[str]:
    """The settings of the data, the metrics and the statistics, one line each."""
    dropped = ", ".join(f"{count} with {reason}" for reason, count in config.dropped.items()) or "none"
    return [
        f"data: {config.data} {config.split}, hash {config.data_hash}; rows dropped: {dropped}",
        f"metrics run on: {config.scorer or config.backbone}",
        *(f"{name}: {_settings(described)}" for name, described in config.metrics.items()),
        *_details(list(cells.values())),
        f"intervals: percentile bootstrap over sources, seed {config.seed}; SummQ {config.version}",
    ]


def failure_lines(cells: Cells) -> list[str]:
    """A block with the documents that have no summary or no score, and why; nothing if there are none."""
    lines = [
        *(f"{o.system}, {o.id}: no summary: {o.error}" for o in cells.values() if o.error),
        *_unscored(outcome for outcome in cells.values() if not outcome.error),
    ]
    if not lines:
        return []
    more = [f"and {len(lines) - SHOWN} more (predictions.jsonl)"] if len(lines) > SHOWN else []
    return ["## Failures", "\n".join(f"- {line}" for line in [*lines[:SHOWN], *more])]


def _unscored(outcomes: Iterable[Outcome]) -> list[str]:
    counts = Counter((o.system, metric, reason) for o in outcomes for metric, reason in o.unscored.items())
    return [
        f"{system}: {metric} unscored on {count} documents: {reason}"
        for (system, metric, reason), count in counts.items()
    ]


def _settings(described: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {_shown(value)}" for key, value in described.items())


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _details(outcomes: list[Outcome]) -> list[str]:
    """Sums of what the metrics noted for each summary (texts beyond the window, answers that could not be scored)."""
    sums: dict[tuple[str, str], float] = {}
    for outcome in outcomes:
        for metric, details in outcome.details.items():
            for key, value in details.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    sums[metric, key] = sums.get((metric, key), 0) + value
    metrics = dict.fromkeys(metric for metric, _ in sums)
    return [
        f"{metric}, summed over all summaries: "
        + ", ".join(f"{key.replace('_', ' ')} {value:g}" for (name, key), value in sums.items() if name == metric)
        for metric in metrics
    ]


__all__ = ["failure_lines", "notes_on"]
