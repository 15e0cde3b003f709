"""The results of a run (`metrics.json`): means with intervals for every system, and paired tests."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from summq.eval.archive import PREDICTIONS, Cells, RunConfig, read_config, read_outcomes
from summq.eval.metrics import Column
from summq.eval.report.sheet import USE, Sheet
from summq.eval.statistics import SIGNIFICANT, Estimate, PairedTest, compare, holm, summarise


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


def corrected_comparisons(metric: str, pairs: Sequence[tuple[str, str, PairedTest]]) -> list[Comparison]:
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

    def best(self, column: Column, apart: Collection[str] = ()) -> float | None:
        """The best mean of a quality column, those `apart` left out; None where there is none."""
        systems = (estimates for name, estimates in self.systems.items() if name not in apart)
        means = (estimates[column.key].mean for estimates in systems if column.key in estimates)
        known = [mean for mean in means if mean is not None]
        return (min if column.better == "lower" else max)(known, default=None)

    def column(self, key: str) -> Column | None:
        """The column of that key, if it was scored or says what was used."""
        return next((column for column in (*self.columns, *USE) if column.key == key), None)


def results_of(config: RunConfig, cells: Cells) -> Results:
    """The results of the outcomes so far. Nothing is dropped: a failure counts as failed in every column."""
    return results_from(Sheet.of(config, cells))


def results_from(sheet: Sheet) -> Results:
    """Like `results_of`, from numbers."""
    compared_by = [column for column in sheet.columns if column.better]
    return Results(
        columns=sheet.columns,
        systems={name: _estimates(sheet, name) for name in sheet.systems},
        comparisons=[pair for column in compared_by for pair in _comparisons(sheet, column)],
        failures={name: sheet.failures[name] for name in sheet.systems},
        unfinished=sum(int((~ran).sum()) for ran in sheet.ran.values()),
    )


def _estimates(sheet: Sheet, system: str) -> dict[str, Estimate]:
    """The means of one system over the documents that it was run on, by column."""
    ran = sheet.ran[system].tolist()
    clusters = list(compress(sheet.clusters, ran))

    def estimate(column: Column) -> Estimate:
        values = list(compress(sheet.values(system, column.key), ran))
        bounds = (column.least, column.most)
        return summarise(values, clusters, bounds=bounds, seed=sheet.config.seed)

    return {column.key: estimate(column) for column in (*sheet.columns, *USE)}


def _comparisons(sheet: Sheet, column: Column) -> list[Comparison]:
    """The focus against every other system by one column."""
    focus = sheet.config.focus
    if focus not in sheet.systems:
        return []
    ours = sheet.values(focus, column.key)

    def test(other: str) -> PairedTest:
        theirs = sheet.values(other, column.key)
        return compare(ours, theirs, sheet.clusters, largest=column.largest_difference, seed=sheet.config.seed)

    return corrected_comparisons(column.key, [(focus, name, test(name)) for name in sheet.systems if name != focus])


@dataclass(frozen=True)
class Run:
    """An evaluation as it lies in its folder. `cells` are read from the disk one by one."""

    folder: Path
    config: RunConfig
    cells: Cells
    sheet: Sheet
    results: Results

    @classmethod
    def of(cls, folder: Path, config: RunConfig, cells: Cells) -> "Run":
        """An evaluation with these outcomes."""
        sheet = Sheet.of(config, cells)
        return cls(folder, config, cells, sheet, results_from(sheet))

    @classmethod
    def read(cls, folder: Path) -> "Run":
        """The evaluation in `folder`. Raises DataError when there is none, or a line of it can't be read."""
        return cls.of(folder, read_config(folder), read_outcomes(folder / PREDICTIONS))


__all__ = ["Comparison", "Results", "Run", "corrected_comparisons", "results_of"]
