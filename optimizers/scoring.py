"""Scores of a module on examples; a run that failed has none."""

from collections.abc import Sequence
from statistics import fmean

import dspy

from summq.optimizers.watch import Metric, require_passing
from summq.programs.runtime.fan_out import fan_out

Scores = list[float | None]


def score_examples(module: dspy.Module, examples: Sequence[dspy.Example], metric: Metric) -> Scores:
    """The score of each example, None where the run failed; raises what no example can have alone."""

    def one(example: dspy.Example) -> float:
        given = metric(example, module(**example.inputs()))
        return float(given.score) if isinstance(given, dspy.Prediction) else float(given)

    outcomes = fan_out([lambda e=e: one(e) for e in examples])  # type: ignore[misc]
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            require_passing(outcome)
    return [None if isinstance(outcome, Exception) else outcome for outcome in outcomes]


def mean_of(scores: Scores) -> float | None:
    """The mean of the scores that there are."""
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None


def source_of(example: dspy.Example) -> str | None:
    """The row that an example was made of: intervals resample rows, not examples."""
    return None if example.get("source") is None else str(example.source)


__all__ = ["Scores", "mean_of", "score_examples", "source_of"]
