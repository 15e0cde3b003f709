"""Notes under the tables of a run: how it was measured, and what failed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from summq.eval.archive import Cells, Outcome, RunConfig
from summq.eval.report.fresh import freshness
from summq.programs.examine import recognises
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE

SHOWN = 5
_CANT_JUDGE = "its examinee recognises {}, and can't judge what a summary says in other words; see the row reference"


def notes_on(config: RunConfig, cells: Cells) -> list[str]:
    """The settings of the data, the metrics and the statistics, one line each."""
    what = recognises(config.scorer or config.backbone)
    dropped = ", ".join(f"{count} with {reason}" for reason, count in config.dropped.items()) or "none"
    return [
        f"data: {config.data} {config.split}, hash {config.data_hash}; rows dropped: {dropped}",
        *filter(None, [short_line(config)]),
        f"metrics run on: {config.scorer or config.backbone}",
        *(f"{name}: {_settings(described)}" for name, described in config.metrics.items()),
        *([f"exam: {_CANT_JUDGE.format(what)}"] if "exam" in config.metrics and what else []),
        *_details(list(cells.values())),
        *([f"exam, fresh questions: {freshness(cells)}"] if "exam" in config.metrics else []),
        *_blind_rate(list(cells.values())),
        f"seconds: on the clock, with up to {DOCUMENTS_AT_ONCE} documents at work at once",
        f"intervals: wider one of t and studentised bootstrap over sources, seed {config.seed}; SummQ {config.version}",
    ]


def short_line(config: RunConfig) -> str:
    """Which documents are no longer than their summaries are to be, in a line; empty if none is."""
    if not config.short:
        return ""
    wanted = f"the {config.words} words" if config.words is not None else "the words"
    count = f"{len(config.short)} of {len(config.ids)}"
    return f"too short: {count} documents have no more than {wanted} that a summary is to have ({_some(config.short)})"


def failure_lines(cells: Cells) -> list[str]:
    """A block that says of which documents there is no summary or no score, and why; nothing if there are none."""
    failed: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for outcome in cells.values():
        if outcome.error:
            failed[outcome.system, "no summary", outcome.error].append(outcome.id)
            continue
        for metric, reason in outcome.unscored.items():
            failed[outcome.system, f"{metric} unscored", reason].append(outcome.id)
    lines = [f"- {system}: {what}: {why} ({_some(ids)})" for (system, what, why), ids in failed.items()]
    return ["## Failures", "\n".join(lines)] if lines else []


def _blind_rate(outcomes: Sequence[Outcome]) -> list[str]:
    """How many questions of the exam were answered right without any text; nothing where none was tried so."""
    rates = {o.id: o.details["exam"].get("blind_rate") for o in outcomes if "exam" in o.details}
    known = [rate for rate in rates.values() if isinstance(rate, float)]
    if not known:
        return []
    return [f"exam, blind rate: {fmean(known):.0%} of the questions were answered right without any text and left out"]


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return f"{', '.join(ids[:SHOWN])}{more}"


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
                if isinstance(value, (int, float)) and not isinstance(value, bool) and not key.endswith("_rate"):
                    sums[metric, key] = sums.get((metric, key), 0) + value
    metrics = dict.fromkeys(metric for metric, _ in sums)
    return [
        f"{metric}, summed over all summaries: "
        + ", ".join(f"{key.replace('_', ' ')} {value:g}" for (name, key), value in sums.items() if name == metric)
        for metric in metrics
    ]


__all__ = ["failure_lines", "notes_on", "short_line"]
