"""Each feature sees what it is about: order, facts, grounding, repetition."""

import random

import pytest

from summq.eval.metrics.examinee.claims import facts_in_context
from summq.eval.metrics.examinee.embeddings import align
from summq.eval.metrics.examinee.features import EXAM_FEATURES, FEATURES, REFERENCE_FEATURES, RatedSummary, features_of
from summq.eval.metrics.examinee.word_order import order_gain
from summq.optimizers.planted.summaries import change_facts
from tests.optimizers.domain import HARBOUR, HARBOUR_REFERENCES, ORCHARD_REFERENCE

TEXT = HARBOUR.document.text
HUMAN = HARBOUR_REFERENCES[0]
WORDING = ("facts_in_context", "vocabulary", "word_order", "word_variety", "word_length", "unrepeated")


def shuffled(text: str) -> str:
    return " ".join(random.Random(0).sample(text.split(), len(text.split())))


def test_word_order_tells_prose_from_the_same_words_in_disorder() -> None:
    backwards = " ".join(reversed(HUMAN.split()))
    assert order_gain(TEXT, HUMAN) > 0.7
    assert order_gain(TEXT, shuffled(HUMAN)) < 0.3
    assert order_gain(TEXT, backwards) < 0.3
    assert order_gain(TEXT, HUMAN) == order_gain(TEXT, HUMAN)
    assert order_gain(TEXT, "...") == 0.0


def test_exchanged_names_stand_no_longer_where_their_sentence_points() -> None:
    false = change_facts(HUMAN, random.Random(0))
    assert false is not None
    honest, exchanged = facts_in_context(HARBOUR.document, HUMAN), facts_in_context(HARBOUR.document, false)
    assert honest is not None
    assert exchanged is not None
    assert honest > exchanged + 0.3
    assert facts_in_context(HARBOUR.document, "It rains a lot here.") is None


def test_only_the_named_features_are_computed() -> None:
    found = features_of(RatedSummary(HARBOUR.document, HUMAN), WORDING)
    assert set(found) == set(WORDING)
    assert "grounding" not in found


def test_every_feature_has_a_group_and_words() -> None:
    assert all(FEATURES.values())
    assert EXAM_FEATURES.keys() | REFERENCE_FEATURES.keys() < FEATURES.keys()


def test_a_sentence_said_again_says_no_more() -> None:
    short = " ".join(HUMAN.split()[:20]) + "."
    names = (*WORDING, "not_short", "not_long", "own_words", "grounded")
    once, twice = (
        features_of(RatedSummary(HARBOUR.document, text, usual_words=100), names)
        for text in (short, f"{short} {short}")
    )
    changed = {name for name in names if twice[name] != pytest.approx(once[name])}
    assert changed <= {"unrepeated", "not_long"}
    assert twice["unrepeated"] < once["unrepeated"]
    assert once["not_short"] < 0


def test_without_a_usual_length_any_length_is_as_good() -> None:
    found = features_of(RatedSummary(HARBOUR.document, HUMAN), ("not_short", "not_long"))
    assert found == {"not_short": 0, "not_long": 0}


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_a_summary_lies_nearer_to_its_own_document() -> None:
    own, other = align(TEXT, HUMAN), align(TEXT, ORCHARD_REFERENCE)
    assert own.grounding > other.grounding + 0.2
    assert own.coverage > other.coverage
    assert align(TEXT, TEXT).grounding == pytest.approx(1.0, abs=1e-4)


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_sentence_order_is_that_of_the_document() -> None:
    sentences = [s.strip() + "." for s in HUMAN.split(". ")]
    forwards, backwards = align(TEXT, TEXT), align(TEXT, " ".join(reversed(sentences)))
    assert forwards.sentence_order > 0.9
    assert align(TEXT, HUMAN).sentence_order > backwards.sentence_order
    assert align(TEXT, sentences[0]).sentence_order == 0.0
