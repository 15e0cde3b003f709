"""What is to be compiled: the task of a role, the rows, the models, and how."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import dspy

from summq.eval.data import Dataset, Row
from summq.optimizers.compiling.base import Examples
from summq.optimizers.compiling.guard import DspyMetric
from summq.programs import SummQ
from summq.programs.artifact import DataRecord
from summq.programs.errors import DataError
from summq.programs.runtime.backbones import Backbone

SHARE = 12
"""No set of examples is larger than a twelfth of the metric calls: a prompt has to be tried on all of them."""


class CompileTask(Protocol):
    """What a role learns on: examples out of rows, a metric, and the part of a program that plays the role.

    The metric takes the five arguments of GEPA's metrics, the last three with defaults, and returns a score from 0 to
    1, or a prediction with `score` and `feedback`. `by_references` says whether it takes a `ReferenceScore`.
    """

    @property
    def role(self) -> str: ...

    @property
    def by_references(self) -> bool: ...

    @property
    def metric(self) -> DspyMetric: ...

    def examples(self, rows: Sequence[Row], seed: int) -> Examples: ...

    def module(self, program: SummQ) -> dspy.Module: ...


@dataclass(frozen=True)
class CompileData:
    """The rows to learn from and those to measure on.

    Raises:
        DataError: Fewer than two rows to learn from (one to learn from, one to choose by), none to measure on, a row
            without a reference, or one to learn from and to measure on.
    """

    name: str
    train: Sequence[Row]
    held_out: Sequence[Row]

    def __post_init__(self) -> None:
        for part, rows, least in (("train", self.train, 2), ("held-out", self.held_out, 1)):
            without = next((row.id for row in rows if not row.references), None)
            if without is not None:
                raise DataError(f"{self.name}: row {without!r} has no reference summary to learn from")
            if len(rows) < least:
                raise DataError(f"{self.name}: number of {part} rows: {len(rows)}; compiling needs {least} or more")
        learned = {row.document.key for row in self.train}
        if both := sum(row.document.key in learned for row in self.held_out):
            raise DataError(
                f"{self.name}: held-out rows that are training rows too: {both}; name a folder with train.jsonl and "
                "dev.jsonl, a file with a column split, or other splits with --split and --held-out"
            )

    def record(self) -> DataRecord:
        """Their numbers and a hash of all texts, for the manifest."""
        both = Dataset(self.name, "all", (*self.train, *self.held_out))
        return DataRecord(name=self.name, train=len(self.train), held_out=len(self.held_out), hash=both.data_hash)


@dataclass(frozen=True)
class Models:
    """The backbone to compile for, the one that writes instructions, and the names of those that roles have."""

    lm: Backbone
    prompt_model: Backbone
    roles: Mapping[str, str | list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class CompileConfig:
    """How to compile. `metric_calls` bounds each role; calls and cost are bounded by the session."""

    optimizer: str = "gepa"
    metric_calls: int = 200
    seed: int = 0
    threads: int = 8
    install_anyway: bool = False


@dataclass(frozen=True)
class ExampleSplits:
    """The examples of a role: to learn from, to choose by, to measure on."""

    train: Examples
    validation: Examples
    held_out: Examples


def examples_for(task: CompileTask, rows: CompileData, config: CompileConfig) -> ExampleSplits:
    """Examples out of different rows for each purpose, no more to learn from than the budget can use.

    Raises:
        DataError: The training rows hold nothing that the role could learn on.
    """
    shuffled = random.Random(config.seed).sample(rows.train, len(rows.train))
    middle = (len(shuffled) + 1) // 2
    most = max(1, config.metric_calls // SHARE)
    train, validation = (task.examples(part, config.seed)[:most] for part in (shuffled[:middle], shuffled[middle:]))
    held_out = task.examples(rows.held_out, config.seed)
    if not (train and validation and held_out):
        raise DataError(f"{rows.name}: nothing to learn on for {task.role}: add rows")
    return ExampleSplits(train, validation, held_out)


__all__ = ["CompileConfig", "CompileData", "CompileTask", "ExampleSplits", "Models", "examples_for"]
