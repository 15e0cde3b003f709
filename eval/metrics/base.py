"""The interface of a metric: its options in, a score for one summary out, in which unscored is not zero."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from summq.eval.data.rows import Row
from summq.eval.statistics import Estimate
from summq.signatures import QuestionCounts

Better = Literal["higher", "lower"]


class Column(BaseModel):
    """A column of values as its metric declares it: heading, scale, direction.

    Args:
        key: Its name in files.
        heading: Its name in tables.
        factor: What values are multiplied with in tables.
        digits: After the point, in tables.
        better: Which values are better; None: neither.
        least, most: The bounds of values, which intervals keep to; None: there is no bound.
        main: Whether it stands for its metric where there is room for few columns.
        listed: Whether tables show it; files hold every column.
    """

    model_config = ConfigDict(frozen=True)

    key: str
    heading: str
    factor: float = 100.0
    digits: int = 1
    better: Better | None = "higher"
    least: float | None = 0.0
    most: float | None = 1.0
    main: bool = False
    listed: bool = True

    @property
    def largest_difference(self) -> float | None:
        """Between two values; None where they have no bounds."""
        return None if self.least is None or self.most is None else self.most - self.least

    def shown(self, estimate: Estimate | None, rows: int | None = None) -> str:
        """`58.7 [55.1, 62.0]`, with `(n=3)` where not all of the `rows` have a value; without a mean a dash."""
        if estimate is None or estimate.mean is None:
            return "–"
        interval = ""
        if estimate.low is not None and estimate.high is not None:
            interval = f" [{self.number(estimate.low)}, {self.number(estimate.high)}]"
        fewer = f" (n={estimate.n})" if rows is not None and estimate.n != rows else ""
        return self.number(estimate.mean) + interval + fewer

    def number(self, value: float, sign: str = "") -> str:
        """One number at the scale and precision of the column; `sign` "+" shows it always."""
        return f"{value * self.factor:{sign},.{self.digits}f}".replace("-", "−")


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
    """A measure of a summary against its row; its columns say whether higher is better."""

    @property
    def name(self) -> str:
        """What `--metrics` calls it."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """What its values are called, and how they are read."""

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


def unscored(columns: Iterable[Column], reason: str) -> Score:
    """A score that says only why there is none."""
    return Score({column.key: None for column in columns}, reason=reason)


__all__ = ["Column", "Metric", "MetricOptions", "Score", "unscored"]
