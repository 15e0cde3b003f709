"""A pool holds summaries from good to bad, and never judges a reference by itself where there are others."""

from summq.optimizers.planted.candidates import build_pool, usual_systems
from summq.programs.runtime.session import session
from tests.optimizers.domain import HARBOUR, HARBOUR_REFERENCES, ORCHARD, ORCHARD_REFERENCE


def test_the_same_seed_makes_the_same_pool() -> None:
    assert build_pool(HARBOUR, ORCHARD, {}, seed=2) == build_pool(HARBOUR, ORCHARD, {}, seed=2)
    assert build_pool(HARBOUR, ORCHARD, {}, seed=2) != build_pool(HARBOUR, ORCHARD, {}, seed=3)


def test_holds_what_meta_evaluation_needs() -> None:
    kinds = {candidate.kind for candidate in build_pool(HARBOUR, ORCHARD, {}).candidates}
    assert kinds >= {"reference", "lead", "tail", "random", "empty", "other_document", "reference/truncation"}
    assert kinds >= {"reference/swapped_entity", "reference/changed_number"}


def test_candidates_are_not_compared_with_themselves() -> None:
    pool = build_pool(HARBOUR, ORCHARD, {})
    (human,) = (candidate.text for candidate in pool.candidates if candidate.kind == "reference")
    assert {human, *pool.row.references} == set(HARBOUR_REFERENCES)


def test_a_single_reference_is_candidate_and_judge() -> None:
    pool = build_pool(ORCHARD, HARBOUR, {})
    assert pool.row.references == (ORCHARD_REFERENCE,) == (pool.candidates[0].text,)


def test_what_was_damaged_stands_behind_what_it_was_made_of() -> None:
    planted = build_pool(HARBOUR, ORCHARD, {}).planted()
    assert {better.kind for better, _ in planted} == {"reference"}
    assert all(better.text != worse.text for better, worse in planted)


def test_systems_are_candidates_and_the_first_is_damaged_too() -> None:
    with session("offline", cache_dir=""):
        pool = build_pool(HARBOUR, ORCHARD, usual_systems(120))
    texts = {candidate.kind: candidate.text for candidate in pool.candidates}
    assert {"draft", "short_draft", "solo", "draft/truncation"} <= texts.keys()
    assert len(texts["short_draft"].split()) < 60 < len(texts["draft"].split())
