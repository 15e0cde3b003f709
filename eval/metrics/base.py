"""The interface of a metric: its options in, a score for one summary out, in which unscored is not zero."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from summq.eval.data.rows import Row
from summq.signatures import QuestionCounts


@dataclass(frozen=True)
class Score:
    """What a metric says about one prediction: a value for each of its columns.

    A value of None is *unscored* and counts as neither right nor wrong; `reason` then says why. `details` holds what a
    reader needs to trust the values (the tokenizer that was used, how much of a text was beyond a window).
    """

    values: Mapping[str, float | None]
    details: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None


class Metric(Protocol):
    """A measure of a summary against its row. Higher is better, except where a metric's docstring says otherwise."""

    @property
    def name(self) -> str:
        """What `--metrics` calls it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its values, as in tables and files."""

    def score(self, prediction: str, row: Row) -> Score:
        """The score of one summary. An empty summary gets the worst value there is; what can't be measured, None."""

    def describe(self) -> Mapping[str, str | float]:
        """The settings to be printed next to the numbers (versions, model, layer), without which nobody can compare."""


@dataclass(frozen=True)
class MetricOptions:
    """What a command says about metrics; each metric takes what concerns it.

    Args:
        quizzes: The folder in which quizzes are kept.
        questions: How many of each kind the exam asks.
        seed: Of the exam's quiz.
        encoder, encoder_layer: Of BERTScore; None: as `BertScore` has them.
        learned: The folder of the learned metric; None: the one that comes with SummQ.
    """

    quizzes: Path = Path("runs/quizzes")
    questions: QuestionCounts = field(default_factory=QuestionCounts)
    seed: int = 0
    encoder: str | None = None
    encoder_layer: int | None = None
    learned: Path | None = None


def unscored(columns: tuple[str, ...], reason: str) -> Score:
    """A score that says only why there is none."""
    return Score(dict.fromkeys(columns), reason=reason)


__all__ = ["Metric", "MetricOptions", "Score", "unscored"]
