"""The numbers of a run: its outcomes are read once, row by row; values, remarks and counts of failures are kept."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from summq.eval.archive import Cells, Outcome, RunConfig
from summq.eval.metrics import METRICS, Column
from summq.eval.report.fresh import COLUMN as FRESH
from summq.eval.report.fresh import with_fresh_exam
from summq.eval.report.notes import Remarks
from summq.eval.statistics.estimates import Floats

USE = (
    Column(key="calls", heading="calls", factor=1, better=None, most=None),
    Column(key="input_tokens", heading="tokens in", factor=1, digits=0, better=None, most=None),
    Column(key="output_tokens", heading="tokens out", factor=1, digits=0, better=None, most=None),
    Column(key="cost", heading="USD", factor=1, digits=4, better=None, most=None),
    Column(key="seconds", heading="seconds", factor=1, digits=2, better=None, most=None),
)
"""What a system used, which is no metric's."""


@dataclass
class Sheet:
    """A number for each system, column and row, in the order of the rows; NaN where there is none.

    Args:
        ran: For each system whether it was run on each row, failures included.
        numbers: By system and column; a column that no summary of a system was scored by is missing.
        clusters: The source of each row.
        failures: How many documents a system has no summary of.
    """

    config: RunConfig
    ran: dict[str, NDArray[np.bool_]]
    numbers: dict[str, dict[str, Floats]]
    clusters: list[str | None]
    failures: Counter[str] = field(default_factory=Counter)
    remarks: Remarks = field(default_factory=Remarks)

    @classmethod
    def of(cls, config: RunConfig, cells: Cells) -> "Sheet":
        """The sheet of a run."""
        rows = len(config.ids)
        ran = {name: np.zeros(rows, dtype=np.bool_) for name in config.systems}
        sheet = cls(config, ran, {name: {} for name in config.systems}, [None] * rows)
        for place, row_id in enumerate(config.ids):
            there = [cells[name, row_id] for name in config.systems if (name, row_id) in cells]
            sheet._add(place, with_fresh_exam(there))
        return sheet

    def _add(self, place: int, outcomes: list[Outcome]) -> None:
        """The outcomes of one row."""
        self.remarks.add(outcomes)
        for outcome in outcomes:
            self.clusters[place] = outcome.cluster
            self.ran[outcome.system][place] = True
            self.failures[outcome.system] += outcome.error is not None
            numbers = self.numbers[outcome.system]
            for key in (*outcome.metrics, *_USED):
                value = value_of(outcome, key)
                if key not in numbers:
                    numbers[key] = np.full(len(self.clusters), np.nan)
                numbers[key][place] = np.nan if value is None else value

    @property
    def systems(self) -> list[str]:
        """Those that were run on any row."""
        return [name for name, ran in self.ran.items() if ran.any()]

    @cached_property
    def columns(self) -> list[Column]:
        """The columns that were scored, as the metrics declare them; what none declares is printed as it is."""
        scored = dict.fromkeys(key for numbers in self.numbers.values() for key in numbers if key not in _USED)
        registered = [column for metric in METRICS.values() for column in metric.columns]
        declared = {column.key: column for column in (*registered, FRESH, *self.config.columns)}
        return [
            *(column for key, column in declared.items() if key in scored),
            *(_undeclared(key) for key in scored if key not in declared),
        ]

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of each row by its id."""
        return {row_id: place for place, row_id in enumerate(self.config.ids)}

    def values(self, system: str, column: str) -> list[float]:
        """The values of a system in a column, row by row."""
        numbers = self.numbers.get(system, {}).get(column)
        return [float("nan")] * len(self.clusters) if numbers is None else numbers.tolist()

    def values_of(self, system: str, column: str, ids: Iterable[str]) -> list[float]:
        """Those of the rows with these ids."""
        values = self.values(system, column)
        return [values[self.places[row_id]] for row_id in ids]


def _undeclared(key: str) -> Column:
    return Column(key=key, heading=key, factor=1, digits=3, better=None, least=None, most=None)


_USED = tuple(column.key for column in USE)


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


__all__ = ["USE", "Sheet"]
