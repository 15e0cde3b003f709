"""Candidates range from good to bad, and no reference is compared with itself where there are others."""

import pytest

from summq.optimizers.planted.candidates import build_candidates, usual_systems
from summq.programs.runtime.session import session
from tests.optimizers.domain import HARBOUR, HARBOUR_REFERENCES, ORCHARD, ORCHARD_REFERENCE


def test_the_same_seed_makes_the_same_candidates() -> None:
    assert build_candidates(HARBOUR, ORCHARD, {}, seed=2) == build_candidates(HARBOUR, ORCHARD, {}, seed=2)
    assert build_candidates(HARBOUR, ORCHARD, {}, seed=2) != build_candidates(HARBOUR, ORCHARD, {}, seed=3)


def test_holds_what_meta_evaluation_needs() -> None:
    kinds = {candidate.kind for candidate in build_candidates(HARBOUR, ORCHARD, {}).candidates}
    assert kinds >= {"reference", "lead", "tail", "random", "empty", "other_document", "reference/truncation"}
    assert kinds >= {"reference/swapped_entity", "reference/changed_number"}


def test_candidates_are_not_compared_with_themselves() -> None:
    made = build_candidates(HARBOUR, ORCHARD, {})
    (human,) = (candidate.text for candidate in made.candidates if candidate.kind == "reference")
    assert {human, *made.row.references} == set(HARBOUR_REFERENCES)


def test_a_single_reference_is_candidate_and_judge() -> None:
    made = build_candidates(ORCHARD, HARBOUR, {})
    assert made.row.references == (ORCHARD_REFERENCE,) == (made.candidates[0].text,)


def test_what_was_damaged_stands_behind_what_it_was_made_of() -> None:
    planted = build_candidates(HARBOUR, ORCHARD, {}).planted()
    assert {better.kind for better, _ in planted} == {"reference"}
    assert all(better.text != worse.text for better, worse in planted)


@pytest.mark.slow
def test_systems_are_candidates_and_the_first_is_damaged_too() -> None:
    with session("offline", cache_dir=""):
        made = build_candidates(HARBOUR, ORCHARD, usual_systems(120))
    texts = {candidate.kind: candidate.text for candidate in made.candidates}
    assert {"draft", "short_draft", "solo", "draft/truncation"} <= texts.keys()
    assert len(texts["short_draft"].split()) < 60 < len(texts["draft"].split())
