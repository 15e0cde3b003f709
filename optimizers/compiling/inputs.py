"""What a compilation takes: tasks, rows, models and a configuration; and the examples that are made of the rows."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import dspy

from summq.eval.data import Dataset, Row
from summq.optimizers.compiling.base import Examples
from summq.optimizers.compiling.guard import DspyMetric
from summq.optimizers.compiling.registry import find_optimizer
from summq.programs import SummQ
from summq.programs.artifact import DataRecord
from summq.programs.errors import ConfigError, DataError
from summq.programs.runtime.backbones import Backbone


class CompileTask(Protocol):
    """What a role is compiled on: examples made of rows, a metric, and the part of a program that plays the role.

    The metric takes the five arguments of GEPA's metrics, the last three with defaults, and returns a score from 0 to
    1, or a prediction with `score` and `feedback`. `by_references` says whether
    ROUGE and BERTScore are needed to score it; `fingerprint` changes with whatever the scores depend on besides rows.
    """

    @property
    def role(self) -> str:
        """The role that learns."""

    @property
    def by_references(self) -> bool:
        """Whether the metric takes a `ReferenceScore`."""

    @property
    def metric(self) -> DspyMetric:
        """The score of a reply."""

    @property
    def fingerprint(self) -> str:
        """What tells this metric from others for the same role."""

    def examples(self, rows: Sequence[Row], seed: int) -> Examples:
        """Examples out of rows."""

    def module(self, program: SummQ) -> dspy.Module:
        """The part of a program that plays the role."""


@dataclass(frozen=True)
class CompileData:
    """The rows to learn from (`train`) and those to measure on (`held_out`).

    Raises:
        DataError: Fewer than two rows to learn from (one to learn from, one to choose by), none to measure on, a row
            without a reference, or the same document in both.
    """

    name: str
    train: Sequence[Row]
    held_out: Sequence[Row]

    @classmethod
    def of(cls, name: str, train: Sequence[Row], held_out: Sequence[Row], folds: int) -> "CompileData":
        """The rows of two splits; where both are the same rows, as in data without splits, folds part them."""
        undivided = [row.document.key for row in train] == [row.document.key for row in held_out]
        return cls(name, train[:-1], train[-1:]) if undivided and folds > 1 else cls(name, train, held_out)

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

    def folds(self, number: int, seed: int) -> "list[CompileData]":
        """For cross-fitting: all rows in `number` parts, each held out once while the others are learned from.

        With 1 the rows stay as they are. No prompt is ever measured on a row that it was learned from.
        """
        if number == 1:
            return [self]
        pool = [*self.train, *self.held_out]
        shuffled = random.Random(f"{seed}/folds").sample(pool, len(pool))
        parts = [shuffled[k::number] for k in range(number)]
        others = ([row for part in parts if part is not held_out for row in part] for held_out in parts)
        return [CompileData(self.name, train, held_out) for train, held_out in zip(others, parts, strict=True)]

    def record(self) -> DataRecord:
        """The numbers of rows and a hash of all texts, for the manifest."""
        both = Dataset(self.name, "all", (*self.train, *self.held_out))
        return DataRecord(name=self.name, train=len(self.train), held_out=len(self.held_out), hash=both.data_hash)


@dataclass(frozen=True)
class Models:
    """The backbone to compile for, the one that writes instructions, and the names of backbones by role."""

    lm: Backbone
    prompt_model: Backbone
    roles: Mapping[str, str | list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class CompileConfig:
    """How to compile.

    Args:
        optimizer: A name in the registry.
        metric_calls: The most for learning each role, in each fold. LM calls and cost are limited by the session.
        rollouts: How often each held-out example is run before and after.
        folds: Into how many parts all rows go for cross-fitting; with 1, prompts are learned from the training rows
            and measured on the held-out ones.
        program_rows: On how many held-out rows at most the assembled program is measured.
        install_anyway: Whether prompts are installed that are not better.

    Raises:
        ConfigError: An unknown optimizer, or a number below 1.
    """

    optimizer: str = "gepa"
    metric_calls: int = 200
    seed: int = 0
    threads: int = 8
    install_anyway: bool = False
    rollouts: int = 2
    folds: int = 2
    program_rows: int = 24

    def __post_init__(self) -> None:
        find_optimizer(self.optimizer)
        if min(self.rollouts, self.folds, self.program_rows, self.metric_calls) < 1:
            raise ConfigError("metric calls, rollouts, folds and program rows: each 1 or more")


@dataclass(frozen=True)
class ExampleSplits:
    """The examples of a role, each split made of other rows: to learn from, to choose by, to measure on."""

    train: Examples
    validation: Examples
    held_out: Examples


def most_examples(config: CompileConfig) -> int:
    """The most examples to learn from, and to choose by, in one fold: a prompt has to be tried on all of them."""
    return max(1, config.metric_calls // find_optimizer(config.optimizer).share)


def examples_for(task: CompileTask, rows: CompileData, config: CompileConfig) -> ExampleSplits:
    """The examples of a role; for training and validation no more than the metric calls suffice for.

    Raises:
        DataError: No example can be made of the rows of a split.
    """
    shuffled = random.Random(config.seed).sample(rows.train, len(rows.train))
    middle = (len(shuffled) + 1) // 2
    most = most_examples(config)
    train, validation = (task.examples(part, config.seed)[:most] for part in (shuffled[:middle], shuffled[middle:]))
    held_out = task.examples(rows.held_out, config.seed)
    if not (train and validation and held_out):
        raise DataError(f"{rows.name}: nothing to learn on for {task.role}: add rows")
    return ExampleSplits(train, validation, held_out)


__all__ = [
    "CompileConfig",
    "CompileData",
    "CompileTask",
    "ExampleSplits",
    "Models",
    "examples_for",
    "most_examples",
]
