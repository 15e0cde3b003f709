"""Length, compression and novelty are what one counts by hand."""

import pytest

from summq.eval.data import Row
from summq.eval.metrics import make_metric
from summq.eval.metrics.surface import Surface
from summq.programs.errors import ConfigError
from summq.signatures import Document

ROW = Row("r", Document(text="The harbour was closed. The ferries stayed in port for two days."))


def test_an_extract_has_nothing_novel() -> None:
    values = Surface().score("The ferries stayed in port", ROW).values
    assert values == {
        "words": 5,
        "compression": pytest.approx(12 / 5),
        "novel_1": 0,
        "novel_2": 0,
        "novel_3": 0,
        "novel_4": 0,
    }


def test_new_words_and_new_orders_are_novel() -> None:
    values = Surface().score("Ferries slept. The harbour was closed.", ROW).values
    assert values["novel_1"] == pytest.approx(1 / 6)
    assert values["novel_2"] == pytest.approx(2 / 5)


def test_what_an_empty_summary_cannot_have_is_unscored() -> None:
    score = Surface().score("", ROW)
    assert score.values["words"] == 0
    assert score.values["compression"] is None
    assert score.values["novel_1"] is None
    assert score.reason


def test_metrics_are_made_by_name() -> None:
    assert make_metric("rouge", types=["rouge1"]).columns == ("rouge1",)
    with pytest.raises(ConfigError, match=r"Unknown metric 'bleu'. There are rouge, bertscore, "):
        make_metric("bleu")
    with pytest.raises(ConfigError, match="'surface' does not take these options"):
        make_metric("surface", colour=1)
