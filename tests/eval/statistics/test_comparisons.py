"""Paired tests find a planted difference, find none where there is none, and agree with scipy."""

import numpy as np
import pytest
from scipy import stats

from summq.eval.statistics import compare, holm
from summq.eval.statistics.comparisons import sign_flip_p

GENERATOR = np.random.default_rng(7)
BASE = GENERATOR.normal(0.3, 0.1, size=30)
BETTER = BASE + GENERATOR.normal(0.02, 0.02, size=30)
SAME = BASE + GENERATOR.normal(0.0, 0.02, size=30)


def test_a_planted_difference_is_found_with_its_size() -> None:
    found = compare(list(BETTER), list(BASE))
    assert found.difference == pytest.approx(np.mean(BETTER - BASE))
    assert found.low is not None
    assert found.low > 0
    assert found.p is not None
    assert found.p < 0.001
    assert (found.n, found.unpaired) == (30, 0)


def test_no_difference_is_not_found() -> None:
    found = compare(list(SAME), list(BASE))
    assert found.p is not None
    assert found.p > 0.05
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high


@pytest.mark.parametrize("count", [2, 6, 10, 30])
def test_p_values_are_those_of_scipys_permutation_test(count: int) -> None:
    differences = (SAME - BASE)[:count]
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=10_000, alternative="two-sided", rng=1
    ).pvalue
    assert sign_flip_p(differences) == pytest.approx(expected, abs=1e-12 if count <= 10 else 0.015)


def test_identical_systems_have_p_one_and_one_document_proves_nothing() -> None:
    assert compare([0.1, 0.2], [0.1, 0.2]).p == 1
    single = compare([0.9], [0.1])
    assert (single.p, single.low) == (1, None)
    assert single.difference == pytest.approx(0.8)


def test_rows_of_one_source_are_one_observation() -> None:
    a, b = [0.5] * 12, [0.4] * 12
    assert compare(a, b).p == pytest.approx(2 / 2**12)
    assert compare(a, b, ["x"] * 4 + ["y"] * 4 + ["z"] * 4).p == pytest.approx(2 / 2**3)


def test_only_documents_scored_for_both_are_compared() -> None:
    found = compare([0.5, None, 0.9, 0.4], [0.4, 0.3, None, 0.2])
    assert (found.n, found.unpaired) == (2, 2)
    assert found.difference == pytest.approx(0.15)
    nothing = compare([None], [0.4])
    assert (nothing.p, nothing.difference, nothing.n) == (None, None, 0)


def test_holm_corrects_as_in_the_textbook() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []
