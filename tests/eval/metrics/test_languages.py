"""Metrics in 22 languages: identical texts score 1, different ones near 0, or nothing is scored and the reason said."""

import pytest

from summq.eval.data import Row
from summq.eval.metrics import Metric
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.rouge import Rouge
from summq.signatures import Document
from tests.eval.metrics.languages import DOUGH, HARBOUR


def scores(metric: Metric, column: str, language: str) -> tuple[float | None, float | None, str | None]:
    """Of a text against itself, and of another text against it; the reason why there is none."""
    row = Row("1", Document(text=HARBOUR[language]), (HARBOUR[language],))
    same, other = metric.score(HARBOUR[language], row), metric.score(DOUGH[language], row)
    return same.values[column], other.values[column], other.reason


@pytest.mark.parametrize("language", HARBOUR)
def test_rouge_tells_the_same_from_another(language: str) -> None:
    same, other, _ = scores(Rouge(), "rouge2", language)
    assert same == pytest.approx(1)
    assert other is not None
    assert other < 0.12


@pytest.mark.slow
@pytest.mark.extra_metrics
@pytest.mark.parametrize("language", HARBOUR)
def test_bertscore_tells_the_same_from_another_or_says_why_not(language: str) -> None:
    same, other, reason = scores(BertScore(), "bertscore_f1", language)
    if language == "English":
        assert same == pytest.approx(1)
        assert other is not None
        assert other < 0.2
    else:
        assert (same, other) == (None, None)
        assert reason == "the encoder reads English only: name another one with --encoder"


@pytest.mark.parametrize("language", ["German", "French", "Portuguese", "Finnish", "Swedish"])
def test_rouge_parts_no_word_at_an_accent(language: str) -> None:
    details = Rouge().score("Ein Text.", Row("1", Document(text=""), (HARBOUR[language],))).details
    assert details["tokenizer"] == "unicode"


def test_a_document_with_umlauts_decides_where_the_reference_has_none() -> None:
    row = Row("1", Document(text=HARBOUR["German"]), ("Der Hafen war zwei Tage lang zu.",))
    assert Rouge().score("Der Hafen war geschlossen.", row).details["tokenizer"] == "unicode"


@pytest.mark.slow
@pytest.mark.extra_metrics
@pytest.mark.parametrize("references", [(), ("",), ("  ", "\n")])
def test_an_empty_reference_is_no_reference(references: tuple[str, ...]) -> None:
    row = Row("1", Document(text="The harbour was closed."), references)
    for metric in (Rouge(), BertScore()):
        assert metric.score("The harbour.", row).reason == "no reference"
        assert metric.score("The harbour.", Row("1", row.document, ("", "The harbour."))).reason is None
