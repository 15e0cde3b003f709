"""Planted errors make a text worse in the way that they say, and only there."""

import random

import pytest

from summq.optimizers.planted.summaries import DAMAGES, PLANTABLE, DamageKind, change_facts, damage
from tests.optimizers.domain import HARBOUR_REFERENCES, ORCHARD_REFERENCE

TEXT = HARBOUR_REFERENCES[0]


@pytest.mark.parametrize("kind", DAMAGES)
def test_the_same_seed_plants_the_same_errors(kind: DamageKind) -> None:
    one, other = (damage(TEXT, kind, random.Random(3)) for _ in range(2))
    assert one == other
    assert one is not None
    assert one.text != TEXT


@pytest.mark.parametrize("kind", PLANTABLE)
def test_an_error_stands_where_it_is_said_to_stand(kind: DamageKind) -> None:
    damaged = damage(TEXT, kind, random.Random(0), most=1)
    assert damaged is not None
    (error,) = damaged.planted
    assert error.before in TEXT
    assert error.after in damaged.text
    rest = TEXT.replace(error.before, "")
    assert damaged.text.replace(error.after, "").split() == rest.split()


def test_a_name_becomes_the_same_other_name_wherever_it_stands() -> None:
    text = "Anna Brook met Carl Dorn. Carl Dorn paid. Later the money of Carl Dorn was gone, says Anna Brook."
    damaged = damage(text, "swapped_entity", random.Random(0))
    assert damaged is not None
    assert (
        damaged.text
        == "Carl Dorn met Anna Brook. Anna Brook paid. Later the money of Anna Brook was gone, says Carl Dorn."
    )


def test_a_number_becomes_another_of_the_same_form() -> None:
    damaged = damage("He paid $1,250 in 1923.", "changed_number", random.Random(0))
    assert damaged is not None
    assert damaged.text != "He paid $1,250 in 1923."
    assert damaged.text.endswith(",250 in 1923.")


def test_a_denial_becomes_an_assertion_and_the_other_way_round() -> None:
    damaged = damage("She was not at home. The door was open.", "negation", random.Random(0))
    assert damaged is not None
    assert damaged.text == "She was at home. The door was not open."


def test_half_of_the_sentences_are_cut_off() -> None:
    damaged = damage(ORCHARD_REFERENCE, "truncation", random.Random(0))
    assert damaged is not None
    assert ORCHARD_REFERENCE.startswith(damaged.text)
    assert damaged.text.endswith("1,400 crates.")


@pytest.mark.parametrize(
    ("kind", "text"), [("swapped_entity", "it rains"), ("changed_number", "it rains"), ("truncation", "It rains.")]
)
def test_nothing_is_planted_where_there_is_no_place_for_it(kind: DamageKind, text: str) -> None:
    assert damage(text, kind, random.Random(0)) is None


def test_every_fact_is_changed_and_the_rest_stays() -> None:
    text = "Anna Brook paid 12 pounds to Carl Dorn. It rained. Carl Dorn kept 7."
    changed = change_facts(text, random.Random(0))
    assert changed is not None
    assert changed.startswith("Carl Dorn paid ")
    assert " to Anna Brook. It rained. Anna Brook kept " in changed
    assert "12 pounds" not in changed
    assert not changed.endswith(" 7.")
    assert change_facts("it rains", random.Random(0)) is None
