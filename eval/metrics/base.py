"""What every metric promises: a score for one prediction, in which unscored is not zero."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from summq.eval.data.rows import Row


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
    def name(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def score(self, prediction: str, row: Row) -> Score:
        """The score of one summary. An empty summary gets the worst value there is; what can't be measured, None."""

    def describe(self) -> Mapping[str, str | float]:
        """The settings to be printed next to the numbers (versions, model, layer), without which nobody can compare."""


def unscored(columns: tuple[str, ...], reason: str) -> Score:
    """A score that says only why there is none."""
    return Score(dict.fromkeys(columns), reason=reason)


__all__ = ["Metric", "Score", "unscored"]
