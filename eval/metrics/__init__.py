"""Metrics by name. Each is built when it is asked for, so that an encoder loads only where it is used."""

from collections.abc import Callable
from typing import Any

from summq.eval.metrics.base import Metric, Score, unscored
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.exam import ExamAccuracy
from summq.eval.metrics.faithfulness import Faithfulness
from summq.eval.metrics.rouge import ROUGE_TYPES, Rouge
from summq.eval.metrics.surface import Surface
from summq.programs.errors import ConfigError

METRICS: dict[str, Callable[..., Metric]] = {
    "rouge": Rouge,
    "bertscore": BertScore,
    "exam": ExamAccuracy,
    "faithfulness": Faithfulness,
    "surface": Surface,
}
COLUMNS: dict[str, tuple[str, ...]] = {
    "rouge": ROUGE_TYPES,
    "bertscore": BertScore.columns,
    "exam": ExamAccuracy.columns,
    "faithfulness": Faithfulness.columns,
    "surface": Surface.columns,
}
"""What each of them has to say, known without building it."""


def make_metric(name: str, **options: Any) -> Metric:
    """The metric of that name, with its own options. Raises `ConfigError` for a name or option that it hasn't."""
    if name not in METRICS:
        raise ConfigError(f"Unknown metric {name!r}. There are {', '.join(METRICS)}.")
    try:
        return METRICS[name](**options)
    except TypeError as error:
        raise ConfigError(f"Metric {name!r} does not take these options: {error}.") from error


__all__ = ["COLUMNS", "METRICS", "Metric", "Score", "make_metric", "unscored"]
