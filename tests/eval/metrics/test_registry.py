"""Metrics by name: each has the columns that are known of it, and takes the options that concern it."""

from pathlib import Path

import pytest

from summq.eval.metrics import METRICS, MetricOptions, make_metric
from summq.programs.errors import ConfigError, DataError
from summq.signatures import QuestionCounts


@pytest.mark.parametrize("name", sorted(METRICS.keys() - {"bertscore"}))
def test_a_metric_has_the_name_and_the_columns_that_are_known_without_it(name: str, tmp_path: Path) -> None:
    metric = make_metric(name, MetricOptions(quizzes=tmp_path))
    assert metric.name == name
    assert metric.columns == METRICS[name].columns


def test_options_reach_the_metrics_that_they_concern(tmp_path: Path) -> None:
    questions = QuestionCounts(multiple_choice=2, true_false=1, short_answer=0)
    described = make_metric("exam", MetricOptions(quizzes=tmp_path, questions=questions, seed=7)).describe()
    assert (described["questions"], described["seed"]) == ("2/1/0", 7)
    with pytest.raises(DataError, match="nowhere"):
        make_metric("examinee", MetricOptions(quizzes=tmp_path, learned=Path("nowhere")))


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown metric 'bleu': there are rouge, bertscore, "):
        make_metric("bleu")
