"""Krippendorff's alpha comes out as published, and as nothing where it means nothing."""

import pytest

from summq.eval.statistics import nominal_alpha

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", example C: 4 observers, 12 units, nominal.
OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
UNITS = [
    [rating for rating in unit if rating != "."] for unit in zip(*(line.split() for line in OBSERVERS), strict=True)
]


def test_the_published_example_has_its_published_value() -> None:
    alpha = nominal_alpha(UNITS)
    assert alpha.mean == pytest.approx(0.743, abs=5e-4)
    assert (alpha.n, alpha.failed) == (11, 1)
    assert alpha.low is not None
    assert alpha.high is not None
    assert alpha.low < 0.743 < alpha.high


def test_full_agreement_is_one_and_opposite_ratings_lie_below_chance() -> None:
    assert nominal_alpha([["x", "x"], ["y", "y"]]).mean == 1.0
    opposite = nominal_alpha([["x", "y"]] * 4).mean
    assert opposite is not None
    assert opposite < 0


def test_without_anything_to_agree_on_there_is_no_alpha() -> None:
    assert nominal_alpha([]).mean is None
    assert nominal_alpha([["x"], ["y"]]).mean is None
    assert nominal_alpha([["x", "x"], ["x", "x"]]).mean is None
