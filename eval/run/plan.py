"""The plan of an evaluation: which systems on which rows, measured by which metrics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from summq.eval.archive import References, RunConfig, SweepAxis
from summq.eval.data import DataRequest, Dataset, Row
from summq.eval.metrics import Column, Metric, MetricOptions
from summq.eval.systems import System
from summq.eval.systems.people import PEOPLE, Reference, SecondHuman
from summq.programs.craft import is_short
from summq.programs.errors import ConfigError, DataError, there_are
from summq.programs.examine import recognises
from summq.programs.runs.shards import WHOLE, Shard
from summq.programs.runtime.backbones import Backbone
from summq.programs.text.words import count_words

EXTRACTS = ("lead", "tail", "random-span")
"""Baselines that nobody compares others with unless there is nothing else."""


@dataclass(frozen=True)
class EvalPlan:
    """Systems, metrics and the rows to run them on.

    Args:
        words: Wanted length of every summary; None takes the length of each row's first reference.
        references: Score against all references of a row, or only the first (as a second human must be).
        seed: Of the intervals and tests.
        backbone, roles: The session's, by name, for the record.
        scorer: A backbone for the metrics alone, so that systems on different backbones are measured by one.
        focus: The system that all others are compared with; by default the first called summq-combo..., else the first
            called summq-..., else the first that is neither a mere extract nor written by people.
        source: How to load the rows again, for the record.
        sweep: The axis along which the systems lie.
        paper: The benchmark whose published rows are printed beside.
        shard: The part of the rows to run.
        metric_options: With what the metrics were made, for workers that make their own.
    """

    dataset: Dataset
    systems: Sequence[System]
    metrics: Sequence[Metric]
    words: int | None = 400
    references: References = "all"
    seed: int = 0
    backbone: str = "offline"
    roles: dict[str, str | list[str]] | None = None
    scorer: Backbone | None = None
    focus: str | None = None
    source: DataRequest | None = None
    sweep: SweepAxis | None = None
    paper: str | None = None
    shard: Shard = WHOLE
    metric_options: MetricOptions = field(default_factory=MetricOptions)

    def __post_init__(self) -> None:
        """Raises ConfigError or DataError when systems, rows and options don't go together."""
        if not self.systems:
            raise ConfigError("no system is named: give at least one")
        if self.focus and self.focus not in self._names:
            raise ConfigError(f"--focus {self.focus!r} is none of the systems: {there_are(self._names, self.focus)}")
        if self.references == "all" and any(isinstance(system, SecondHuman) for system in self.systems):
            raise ConfigError(
                "second-human is one of the references: score against the first alone (--references first)"
            )
        bare = next((row.id for row in self.dataset if not row.references), None) if self.words is None else None
        if bare is not None:
            raise DataError(f"row {bare!r} has no reference to take the length from: give a number of words")

    @property
    def ids(self) -> list[str]:
        """The ids of the rows to run."""
        return self.shard.of(self.dataset.ids)

    def rows(self) -> Iterator[Row]:
        """The rows to run, read one by one."""
        return map(self.row, range(len(self.ids)))

    def row(self, place: int) -> Row:
        """The row whose id has this place in `ids`."""
        return self.dataset[self.shard.places(len(self.dataset))[place]]

    def words_for(self, row: Row) -> int:
        """The wanted length of a row's summary."""
        return self.words if self.words is not None else count_words(row.references[0])

    def scored(self, row: Row, system: System) -> Row:
        """The row with the references that count: all or the first, and none that the system itself hands in."""
        if isinstance(system, Reference):
            return replace(row, references=row.references[1:])
        return row if self.references == "all" else replace(row, references=row.references[:1])

    def config(self) -> RunConfig:
        """What the run folder remembers."""
        return RunConfig(
            version=version("summq"),
            data=self.dataset.name,
            split=self.dataset.split,
            data_hash=self.dataset.data_hash,
            shard=str(self.shard) if self.shard.count > 1 else None,
            ids=self.ids,
            dropped=dict(self.dataset.dropped),
            short=[row.id for row in self.rows() if self._is_short(row)],
            words=self.words,
            references=self.references,
            seed=self.seed,
            backbone=self.backbone,
            roles=self.roles or {},
            scorer=self.scorer.name if self.scorer else None,
            metrics={metric.name: dict(metric.describe()) for metric in self.metrics},
            columns=self._columns,
            systems={system.name: dict(system.identity) for system in self.systems},
            focus=self.focus or self._usual_focus,
            source=self.source,
            sweep=self.sweep,
            paper=self.paper,
        )

    def _is_short(self, row: Row) -> bool:
        """Whether a document that could be read has no more words than its summary is to have."""
        return not row.error and is_short(row.document, self.words_for(row))

    @property
    def _columns(self) -> list[Column]:
        """Those of the metrics; where the examinee understands nothing, that of the exam says what it recognises."""
        what = recognises(self.scorer.name if self.scorer else self.backbone)
        return [
            column.model_copy(update={"heading": f"{column.heading} ({what})"})
            if what and metric.name == "exam"
            else column
            for metric in self.metrics
            for column in metric.columns
        ]

    @property
    def _names(self) -> list[str]:
        return [system.name for system in self.systems]

    @property
    def _usual_focus(self) -> str:
        for prefix in ("summq-combo", "summq"):
            for name in self._names:
                if name.startswith(prefix):
                    return name
        written = (
            one.name for one in self.systems if one.name not in EXTRACTS and one.identity.get("spec") not in PEOPLE
        )
        return next(written, self._names[0])


__all__ = ["EvalPlan"]
