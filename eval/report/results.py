"""The results of a run (`metrics.json`): means with intervals for every system, and paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import BaseModel, ConfigDict

from summq.eval.archive import Cells, Outcome, RunConfig
from summq.eval.metrics import METRICS, Column
from summq.eval.report.fresh import COLUMN as FRESH
from summq.eval.statistics import SIGNIFICANT, Estimate, PairedTest, compare, holm, summarise

USE = (
    Column(key="calls", heading="calls", factor=1, better=None, most=None),
    Column(key="input_tokens", heading="tokens in", factor=1, digits=0, better=None, most=None),
    Column(key="output_tokens", heading="tokens out", factor=1, digits=0, better=None, most=None),
    Column(key="cost", heading="USD", factor=1, digits=4, better=None, most=None),
    Column(key="seconds", heading="seconds", factor=1, digits=2, better=None, most=None),
)
"""What a system used, which is no metric's."""


class Comparison(BaseModel):
    """The mean of `a - b` over documents that both have a value for; `p_holm` holds for all comparisons by a metric.

    Its fields are those of `PairedTest`, which says more about them.
    """

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
    sources: int | None = None
    detectable: float | None = None
    reason: str | None = None

    @property
    def is_significant(self) -> bool:
        """Whether the difference holds after the correction for many comparisons."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


def compared(metric: str, pairs: Sequence[tuple[str, str, PairedTest]]) -> list[Comparison]:
    """The tests of pairs of systems by one metric, with Holm's correction over the pairs."""
    tested = [place for place, (_, _, test) in enumerate(pairs) if test.p is not None]
    adjusted = dict(zip(tested, holm([p for _, _, test in pairs if (p := test.p) is not None]), strict=True))
    return [
        Comparison(a=a, b=b, metric=metric, p_holm=adjusted.get(place), **asdict(test))
        for place, (a, b, test) in enumerate(pairs)
    ]


class Results(BaseModel):
    """Means by system and column, paired tests, and failures by system.

    `columns` are those of the metrics that were scored; `unfinished` counts documents, over all systems, that were not
    run yet.
    """

    model_config = ConfigDict(frozen=True)

    columns: list[Column] = []
    systems: dict[str, dict[str, Estimate]]
    comparisons: list[Comparison]
    failures: dict[str, int]
    unfinished: int

    @property
    def quality(self) -> list[Column]:
        """The columns with a better and a worse."""
        return [column for column in self.columns if column.better and column.listed]

    @property
    def main(self) -> list[Column]:
        """Those of the quality columns that stand for their metrics."""
        return [column for column in self.quality if column.main]

    @property
    def neutral(self) -> list[Column]:
        """The columns in which nothing is better."""
        return [column for column in self.columns if not column.better and column.listed]

    def column(self, key: str) -> Column | None:
        """The column of that key, if it was scored or says what was used."""
        return next((column for column in (*self.columns, *USE) if column.key == key), None)


def columns_of(config: RunConfig, cells: Cells) -> list[Column]:
    """The columns that were scored, as the metrics declare them; what none declares is printed as it is."""
    scored = dict.fromkeys(key for outcome in cells.values() for key in outcome.metrics)
    registered = [column for metric in METRICS.values() for column in metric.columns]
    declared = {column.key: column for column in (*registered, FRESH, *config.columns)}
    others = [Column(key=key, heading=key, factor=1, digits=3, better=None, least=None, most=None) for key in scored]
    return [*(c for key, c in declared.items() if key in scored), *(c for c in others if c.key not in declared)]


def results_of(config: RunConfig, cells: Cells) -> Results:
    """The results of the outcomes so far. Nothing is dropped: a failure counts as failed in every column."""
    sheet = Sheet.of(config, cells)
    outcomes = {name: [o for o in column if o] for name, column in sheet.outcomes.items()}
    return Results(
        columns=sheet.columns,
        systems={name: sheet.estimates(name) for name, run in outcomes.items() if run},
        comparisons=[pair for column in sheet.columns if column.better for pair in sheet.comparisons(column.key)],
        failures={name: sum(o.error is not None for o in run) for name, run in outcomes.items() if run},
        unfinished=sum(len(config.ids) - len(run) for run in outcomes.values()),
    )


@dataclass(frozen=True)
class Sheet:
    """The outcomes of every system in the order of the rows; None where a document was not run yet."""

    outcomes: Mapping[str, Sequence[Outcome | None]]
    columns: list[Column]
    focus: str
    seed: int

    @classmethod
    def of(cls, config: RunConfig, cells: Cells) -> "Sheet":
        """The sheet of a run."""
        outcomes = {name: [cells.get((name, row_id)) for row_id in config.ids] for name in config.systems}
        return cls(outcomes, columns_of(config, cells), config.focus, config.seed)

    def estimates(self, system: str) -> dict[str, Estimate]:
        """The means of one system over the documents that it was run on, by column."""
        run = [outcome for outcome in self.outcomes[system] if outcome]
        clusters = [outcome.cluster for outcome in run]

        def estimate(column: Column) -> Estimate:
            values = [value_of(outcome, column.key) for outcome in run]
            return summarise(values, clusters, seed=self.seed).within(column.least, column.most)

        return {column.key: estimate(column) for column in (*self.columns, *USE)}

    def comparisons(self, column: str) -> list[Comparison]:
        """The focus against every other system by one column."""
        if not any(self.outcomes[self.focus]):
            return []
        others = [name for name, run in self.outcomes.items() if name != self.focus and any(run)]
        return compared(column, [(self.focus, name, self._pair(name, column)) for name in others])

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
    if column in ("input_tokens", "output_tokens", "cost"):
        used = getattr(outcome.usage, column)
        return None if used is None else float(used)
    return outcome.metrics.get(column)


__all__ = ["USE", "Comparison", "Results", "compared", "results_of", "value_of"]
