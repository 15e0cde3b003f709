"""The results of a run (`metrics.json`): means with intervals for every system, and paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import BaseModel, ConfigDict

from summq.eval.archive import Cells, Outcome, RunConfig
from summq.eval.statistics import Estimate, PairedTest, compare, holm, summarise

USED = ("calls", "input_tokens", "output_tokens", "cost", "seconds")
COMPARED = (
    "rouge1",
    "rouge2",
    "rougeL",
    "rougeLsum",
    "bertscore_f1",
    "exam",
    "exam_corrected",
    "exam_fresh",
    "faithful",
)
"""Columns in which higher is better."""


class Comparison(BaseModel):
    """The mean of `a - b` over documents that both have a value for; `p_holm` holds for all comparisons by a metric."""

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    n: int
    unpaired: int


class Results(BaseModel):
    """Means by system and column, paired tests, and failures by system.

    `unfinished` counts documents, over all systems, that were not run yet.
    """

    model_config = ConfigDict(frozen=True)

    systems: dict[str, dict[str, Estimate]]
    comparisons: list[Comparison]
    failures: dict[str, int]
    unfinished: int


def results_of(config: RunConfig, cells: Cells) -> Results:
    """The results of the outcomes so far. Nothing is dropped: a failure counts as failed in every column."""
    sheet = Sheet.of(config, cells)
    outcomes = {name: [o for o in column if o] for name, column in sheet.outcomes.items()}
    return Results(
        systems={name: sheet.estimates(name) for name, run in outcomes.items() if run},
        comparisons=[pair for column in COMPARED if column in sheet.columns for pair in sheet.comparisons(column)],
        failures={name: sum(o.error is not None for o in run) for name, run in outcomes.items() if run},
        unfinished=sum(len(config.ids) - len(run) for run in outcomes.values()),
    )


@dataclass(frozen=True)
class Sheet:
    """The outcomes of every system in the order of the rows; None where a document was not run yet."""

    outcomes: Mapping[str, Sequence[Outcome | None]]
    columns: Sequence[str]
    focus: str
    seed: int

    @classmethod
    def of(cls, config: RunConfig, cells: Cells) -> "Sheet":
        """The sheet of a run."""
        outcomes = {name: [cells.get((name, row_id)) for row_id in config.ids] for name in config.systems}
        scored = dict.fromkeys(column for outcome in cells.values() for column in outcome.metrics)
        return cls(outcomes, [*scored, *USED], config.focus, config.seed)

    def estimates(self, system: str) -> dict[str, Estimate]:
        """The means of one system over the documents that it was run on, by column."""
        run = [outcome for outcome in self.outcomes[system] if outcome]
        clusters = [outcome.cluster for outcome in run]
        by_column = {column: [value_of(outcome, column) for outcome in run] for column in self.columns}
        return {column: summarise(values, clusters, seed=self.seed) for column, values in by_column.items()}

    def comparisons(self, column: str) -> list[Comparison]:
        """The focus against every other system by one column."""
        if not any(self.outcomes[self.focus]):
            return []
        pairs = {
            name: self._pair(name, column) for name, run in self.outcomes.items() if name != self.focus and any(run)
        }
        tested = {name: pair.p for name, pair in pairs.items() if pair.p is not None}
        adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
        return [
            Comparison(a=self.focus, b=name, metric=column, p_holm=adjusted.get(name), **asdict(pair))
            for name, pair in pairs.items()
        ]

    def _pair(self, other: str, column: str) -> PairedTest:
        rows = list(zip(self.outcomes[self.focus], self.outcomes[other], strict=True))
        return compare(
            [value_of(ours, column) for ours, _ in rows],
            [value_of(theirs, column) for _, theirs in rows],
            [next((outcome.cluster for outcome in row if outcome), None) for row in rows],
            seed=self.seed,
        )


def value_of(outcome: Outcome | None, column: str) -> float | None:
    """The value of an outcome in a column; None where it has none."""
    if outcome is None or outcome.error is not None:
        return None
    if column == "calls":  # those that the response cache answered when a run was continued are calls all the same
        return float(outcome.usage.calls + outcome.usage.cache_hits)
    if column == "seconds":
        return outcome.seconds
    if column in USED:
        used = getattr(outcome.usage, column)
        return None if used is None else float(used)
    return outcome.metrics.get(column)


__all__ = ["COMPARED", "Comparison", "Results", "results_of", "value_of"]
