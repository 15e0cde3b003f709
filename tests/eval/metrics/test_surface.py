"""Length, compression and novelty are what one counts by hand."""

import pytest

from summq.eval.data import Row
from summq.eval.metrics.surface import Surface
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
