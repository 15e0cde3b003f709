"""Metrics by name. Each is built when it is asked for, so that an encoder loads only where it is used."""

from collections.abc import Callable
from dataclasses import dataclass

from summq.eval.metrics.base import Column, Metric, MetricOptions, Score, unscored
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.encoders import LIGHT
from summq.eval.metrics.exam import ExamAccuracy
from summq.eval.metrics.examinee import ExamineeMetric
from summq.eval.metrics.faithfulness import Faithfulness
from summq.eval.metrics.rouge import COLUMNS as ROUGE_COLUMNS
from summq.eval.metrics.rouge import Rouge
from summq.eval.metrics.surface import Surface
from summq.programs.errors import ConfigError, there_are


@dataclass(frozen=True)
class RegisteredMetric:
    """The columns of a metric, known without building it, and what builds it."""

    columns: tuple[Column, ...]
    build: Callable[[MetricOptions], Metric]


METRICS: dict[str, RegisteredMetric] = {
    "rouge": RegisteredMetric(ROUGE_COLUMNS, lambda options: Rouge()),
    "bertscore": RegisteredMetric(BertScore.columns, lambda o: BertScore(o.encoder or LIGHT, o.encoder_layer)),
    "exam": RegisteredMetric(ExamAccuracy.columns, lambda o: ExamAccuracy(o.quizzes, o.questions, o.seed)),
    "faithfulness": RegisteredMetric(Faithfulness.columns, lambda options: Faithfulness()),
    "surface": RegisteredMetric(Surface.columns, lambda options: Surface()),
    "examinee": RegisteredMetric(ExamineeMetric.columns, lambda o: ExamineeMetric.load(o.learned, o.quizzes)),
}


def make_metric(name: str, options: MetricOptions | None = None) -> Metric:
    """The metric of that name.

    Raises:
        ConfigError: There is no such metric, or what it needs is not installed.
        DataError: The folder of the learned metric holds none.
    """
    if name not in METRICS:
        raise ConfigError(f"unknown metric {name!r}: {there_are(METRICS, name)}")
    return METRICS[name].build(options or MetricOptions())


__all__ = ["METRICS", "Column", "Metric", "MetricOptions", "Score", "make_metric", "unscored"]
