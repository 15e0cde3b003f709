"""Notes under the tables of a run: how it was measured, and what failed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from summq.eval.archive import PREDICTIONS, Outcome, RunConfig
from summq.eval.report.fresh import freshness
from summq.eval.statistics import FEWEST_SOURCES
from summq.programs.examine import recognises
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE
from summq.programs.runtime.usage import cache_note

SHOWN = 5
REASONS_SHOWN = 50
_FRESH = "exam, fresh questions: {} of {} questions are about what no system asked in a quiz of its own"
_CANT_JUDGE = "its examinee recognises {}, and can't judge what a summary says in other words; see the row reference"


@dataclass
class Affected:
    """The documents that a failure happened on: how many, and the first of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, row_id: str) -> None:
        """One more."""
        self.count += 1
        if self.count <= SHOWN:
            self.first.append(row_id)

    def __str__(self) -> str:
        """`a, b, c, d, e and 7 more`."""
        return _first_few(self.first, self.count)


@dataclass
class Remarks:
    """What outcomes say beside their numbers, collected document by document.

    `sums` are those of what metrics noted for each summary (texts beyond the window, answers that could not be scored);
    `failed` has system, what is missing, and why.
    """

    sums: dict[tuple[str, str], float] = field(default_factory=dict)
    blind_rates: list[float] = field(default_factory=list)
    fresh: int = 0
    questions: int = 0
    calls: int = 0
    cache_hits: int = 0
    failed: dict[tuple[str, str, str], Affected] = field(default_factory=lambda: defaultdict(Affected))

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """The outcomes of one document."""
        for outcome in outcomes:
            self._add_details(outcome)
            self._add_failures(outcome)
            self.calls += outcome.usage.calls
            self.cache_hits += outcome.usage.cache_hits
        rates = [o.details["exam"].get("blind_rate") for o in outcomes if "exam" in o.details]
        if rates and isinstance(rates[-1], float):
            self.blind_rates.append(rates[-1])
        fresh, questions = freshness(outcomes)
        self.fresh += fresh
        self.questions += questions

    def _add_details(self, outcome: Outcome) -> None:
        for metric, details in outcome.details.items():
            for key, value in details.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool) and not key.endswith("_rate"):
                    self.sums[metric, key] = self.sums.get((metric, key), 0) + value

    def _add_failures(self, outcome: Outcome) -> None:
        if outcome.error:
            self.failed[outcome.system, "no summary", outcome.error].add(outcome.id)
            return
        for metric, reason in outcome.unscored.items():
            self.failed[outcome.system, f"{metric} unscored", reason].add(outcome.id)


def notes_on(config: RunConfig, remarks: Remarks) -> list[str]:
    """The settings of the data, the metrics and the statistics, one line each."""
    what = recognises(config.scorer or config.backbone)
    dropped = ", ".join(f"{count} with {reason}" for reason, count in config.dropped.items()) or "none"
    return [
        f"data: {config.data} {config.split}, hash {config.data_hash}; rows dropped: {dropped}",
        *filter(None, [short_line(config)]),
        f"metrics run on: {config.scorer or config.backbone}",
        *(f"{name}: {_settings(described)}" for name, described in config.metrics.items()),
        *([f"exam: {_CANT_JUDGE.format(what)}"] if "exam" in config.metrics and what else []),
        *_details(remarks),
        *([_FRESH.format(remarks.fresh, remarks.questions)] if "exam" in config.metrics else []),
        *_blind_rate(remarks),
        f"seconds: on the clock, with up to {DOCUMENTS_AT_ONCE} documents at work at once",
        f"intervals: wider one of t and studentised bootstrap over sources, none for fewer than {FEWEST_SOURCES}, "
        f"seed {config.seed}; SummQ {config.version}",
    ]


def short_line(config: RunConfig) -> str:
    """Which documents are no longer than their summaries are to be, in a line; empty if none is."""
    if not config.short:
        return ""
    wanted = f"the {config.words} words" if config.words is not None else "the words"
    count = f"{len(config.short)} of {len(config.ids)}"
    shown = _first_few(config.short, len(config.short))
    return f"too short: {count} documents have no more than {wanted} that a summary is to have ({shown})"


def cache_line(remarks: Remarks) -> str:
    """How many calls of the systems the cache answered, in a line; empty if none."""
    note = cache_note(remarks.cache_hits, remarks.calls)
    return f"calls of systems: {note}; name an empty folder with SUMMQ_CACHE_DIR to measure cost" if note else ""


def failure_lines(remarks: Remarks) -> list[str]:
    """A block that says of which documents there is no summary or no score, and why; nothing if there are none."""
    lines = [f"- {system}: {what}: {why} ({affected})" for (system, what, why), affected in remarks.failed.items()]
    if len(lines) > REASONS_SHOWN:
        lines[REASONS_SHOWN:] = [f"- and {len(lines) - REASONS_SHOWN} more reasons, which {PREDICTIONS} has"]
    return ["## Missing summaries and scores", "\n".join(lines)] if lines else []


def _blind_rate(remarks: Remarks) -> list[str]:
    """How many questions of the exam were answered right without any text; nothing where none was tried so."""
    if not remarks.blind_rates:
        return []
    rate = f"{fmean(remarks.blind_rates):.0%}"
    return [f"exam, blind rate: {rate} of the questions were answered right without any text and left out"]


def _first_few(ids: Sequence[str], count: int) -> str:
    return ", ".join(ids[:SHOWN]) + (f" and {count - SHOWN} more" if count > SHOWN else "")


def _settings(described: Mapping[str, object]) -> str:
    shown = (f"{value:.3f}" if isinstance(value, float) else value for value in described.values())
    return ", ".join(f"{key} {value}" for key, value in zip(described, shown, strict=True))


def _details(remarks: Remarks) -> list[str]:
    metrics = dict.fromkeys(metric for metric, _ in remarks.sums)
    return [
        f"{metric}, summed over all summaries: "
        + ", ".join(
            f"{key.replace('_', ' ')} {value:g}" for (name, key), value in remarks.sums.items() if name == metric
        )
        for metric in metrics
    ]


__all__ = ["Remarks", "failure_lines", "notes_on", "short_line"]
