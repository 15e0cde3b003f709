"""Likeness to references, and what makes the difference in words."""

import pytest

from summq.eval.metrics.reference import reference_remarks, reference_score, share_said
from summq.programs.errors import DataError
from tests.optimizers.domain import HARBOUR_REFERENCES


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_a_reference_is_most_like_itself() -> None:
    score = reference_score()
    itself = score(HARBOUR_REFERENCES[0], HARBOUR_REFERENCES)
    other = score(HARBOUR_REFERENCES[0], HARBOUR_REFERENCES[1:])
    assert itself.score == pytest.approx(1)
    assert 0 < other.score < 1
    assert other.bertscore is not None
    assert other.score == (other.rouge1 + other.bertscore) / 2


@pytest.mark.extra_metrics
def test_an_empty_summary_is_like_nothing() -> None:
    assert reference_score()("", HARBOUR_REFERENCES).score == 0


@pytest.mark.extra_metrics
def test_where_the_encoder_cant_read_it_is_rouge_alone() -> None:
    german = "Der Sturm schloss den Hafen für zwei Tage, und die Fähren blieben am Kai, bis der Wind nachließ."
    likeness = reference_score()(german, [german])
    assert (likeness.score, likeness.bertscore, str(likeness)) == (1.0, None, "ROUGE-1 1.000")


@pytest.mark.extra_metrics
def test_without_a_reference_there_is_no_score_and_a_reason() -> None:
    with pytest.raises(DataError, match="no reference"):
        reference_score()("Anything.", [])


def test_the_scorer_is_made_once() -> None:
    assert reference_score() is reference_score()


def test_says_what_is_missing_and_what_is_too_much() -> None:
    said = "Nine vehicles were on the bridge and seven of them slid into the water."
    summary = HARBOUR_REFERENCES[0].replace(said, "Cheese lay in the sun.")
    lines = reference_remarks(summary, HARBOUR_REFERENCES)
    assert any(said in line for line in lines if line.startswith("A human summary says"))
    assert any("Cheese lay in the sun" in line for line in lines if line.startswith("This summary says"))
    assert reference_remarks(HARBOUR_REFERENCES[0], HARBOUR_REFERENCES) == []
    assert reference_remarks("Anything.", []) == []


def test_shares_count_words_that_carry_meaning() -> None:
    assert share_said("The bridge fell.", of="Bridges fall") == pytest.approx(0.5)
    assert share_said("", of="the") == 1
