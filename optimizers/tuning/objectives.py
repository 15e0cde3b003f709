"""The objectives of a study: the quality of summaries (higher is better), calls and cost for a document (lower is)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from summq.eval.data import Row
from summq.eval.metrics import METRICS, Metric, MetricOptions, make_metric
from summq.programs.errors import ConfigError, there_are
from summq.programs.runtime.usage import Meter, known_sum

Direction = Literal["maximize", "minimize"]
DEFAULT_QUALITY = "rouge1=1,bertscore_f1=1"
OBJECTIVES: dict[str, Direction] = {"quality": "maximize", "calls": "minimize", "cost": "minimize"}
SHOWN = {"quality": "quality {:.4f}", "calls": "{:.1f} calls a document", "cost": "USD {:.4f} a document"}
"""How a value of each is told."""


def parse_objectives(text: str) -> tuple[str, ...]:
    """`quality,cost` as names. Raises `ConfigError` for an unknown one, or when quality is not the first."""
    names = tuple(part.strip() for part in text.split(","))
    unknown = [name for name in names if name not in OBJECTIVES]
    if unknown or names[0] != "quality" or len(set(names)) < len(names):
        raise ConfigError(
            f"--objectives {text}: write quality, or quality and calls or cost, for instance quality,cost"
        )
    return names


@dataclass(frozen=True)
class Quality:
    """A weighted mean of the columns of metrics.

    Args:
        weights: Columns with their weights, for instance `rouge1=1,bertscore_f1=2`.
        options: Of the metrics that have these columns.
    """

    weights: str = DEFAULT_QUALITY
    options: MetricOptions = field(default_factory=MetricOptions)

    def __reduce__(self) -> tuple[Any, ...]:
        """With metrics of its own where it is unpickled."""
        return Quality, (self.weights, self.options)

    def __call__(self, summary: str, row: Row) -> float | None:
        """The quality of a summary, in the unit of its columns; None where a column could not be scored."""
        values: dict[str, float | None] = {}
        for metric in self.metrics:
            values.update(metric.score(summary, row).values)
        scored = [(values[column], weight) for column, weight in self.parsed.items()]
        if any(value is None for value, _ in scored):
            return None
        return sum(value * weight for value, weight in scored if value is not None) / sum(self.parsed.values())

    @cached_property
    def parsed(self) -> dict[str, float]:
        """The weights by column. Raises `ConfigError` for another form or a sum of 0 or less."""
        try:
            weights = {name.strip(): float(weight) for name, weight in (p.split("=") for p in self.weights.split(","))}
        except ValueError:
            raise ConfigError(f"--quality {self.weights}: write COLUMN=WEIGHT,..., for instance rouge1=1") from None
        if sum(weights.values()) <= 0:
            raise ConfigError(f"--quality {self.weights}: the weights must add up to more than 0")
        return weights

    def require_columns(self) -> None:
        """Raise `ConfigError` for weights of another form, or a column that no metric of SummQ has."""
        columns = [column.key for metric in METRICS.values() for column in metric.columns]
        if unknown := [column for column in self.parsed if column not in columns]:
            raise ConfigError(f"--quality: no metric has a column {unknown[0]!r}: {there_are(columns, unknown[0])}")

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that have these columns, and no others, as each may need a package of its own.

        Raises:
            ConfigError: A column that no metric has; what a metric needs is not installed.
        """
        self.require_columns()
        wanted = [name for name, metric in METRICS.items() if any(c.key in self.parsed for c in metric.columns)]
        return [make_metric(name, self.options) for name in wanted]


def expense(name: str, meters: Sequence[Meter]) -> float | None:
    """Mean calls or USD for a document; cached replies count at their original cost. None: a price is unknown."""
    records = [record for meter in meters for record in meter.records]
    if name == "calls":
        return len(records) / len(meters)
    cost = known_sum(record.full_cost for record in records)
    return None if cost is None else cost / len(meters)


__all__ = ["DEFAULT_QUALITY", "OBJECTIVES", "SHOWN", "Direction", "Quality", "expense", "parse_objectives"]
