"""Paired tests find a planted difference, find none where there is none, and agree with scipy."""

import math

import numpy as np
import pytest

from summq.eval.statistics import compare, holm
from summq.eval.statistics.comparisons import sign_flip_p
from summq.eval.statistics.estimates import MANY

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


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 6, 10, 13, 30])
def test_p_values_are_those_of_scipys_permutation_test(count: int) -> None:
    from scipy import stats

    differences = (SAME - BASE)[:count]
    resamples = math.inf if count <= 20 else 10_000
    expected = stats.permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",
        n_resamples=resamples,
        alternative="two-sided",
        rng=1,
    ).pvalue
    assert sign_flip_p(differences) == pytest.approx(expected, abs=1e-12 if count <= 13 else 0.015)


def test_flips_are_exact_up_to_twenty_documents() -> None:
    differences = np.arange(1.0, 21.0)
    assert sign_flip_p(differences) == 2 / 2**20
    differences[0] = -1.0
    assert sign_flip_p(differences) == 4 / 2**20


def test_identical_systems_have_p_one() -> None:
    found = compare([0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.2, 0.3, 0.4, 0.5])
    assert (found.p, found.low, found.high) == (1, 0, 0)


def test_fewer_than_five_documents_have_neither_interval_nor_p_and_a_reason() -> None:
    single = compare([0.9], [0.1])
    assert (single.p, single.low, single.detectable) == (None, None, None)
    assert single.difference == pytest.approx(0.8)
    four = compare([0.9, 0.8, 0.9, 0.7], [0.1, 0.1, 0.2, 0.1])
    assert (four.p, four.low, four.high) == (None, None, None)
    assert four.difference == pytest.approx(0.7)
    assert four.reason == "4 of at least 5 independent documents"


def test_five_documents_can_show_nothing_and_say_so() -> None:
    found = compare([0.9, 0.8, 0.9, 0.7, 0.8], [0.1, 0.1, 0.2, 0.1, 0.1])
    assert found.p == 2 / 2**5
    assert found.detectable is None
    assert found.low == 0  # the interval holds what the test can't rule out


def test_interval_and_p_never_contradict() -> None:
    generator = np.random.default_rng(3)
    for n in (5, 6, 8, 11, 25):
        for _ in range(60):
            a, b = generator.exponential(size=n), generator.exponential(size=n) + generator.uniform(0, 2)
            found = compare(list(a), list(b), resamples=500)
            assert found.p is not None
            assert found.low is not None
            assert found.high is not None
            assert (found.p < 0.05) == (not found.low <= 0 <= found.high)


def test_what_could_have_been_seen_shrinks_with_the_documents() -> None:
    differences = GENERATOR.normal(0, 0.1, size=40)
    few, many = (compare(list(differences[:n]), [0.0] * n).detectable for n in (10, 40))
    assert few is not None
    assert many is not None
    assert 0.03 < many < few < 0.2


def test_rows_of_one_source_are_one_observation() -> None:
    a, b = [0.5] * 12, [0.4] * 12
    assert compare(a, b).p == pytest.approx(2 / 2**12)
    found = compare(a, b, [book for book in "uvwxyz" for _ in range(2)])
    assert found.p == pytest.approx(2 / 2**6)
    assert (found.n, found.sources) == (12, 6)


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


@pytest.mark.slow
def test_with_many_sources_the_p_value_is_that_of_normal_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(1).exponential(size=MANY) - 0.96
    computed = sign_flip_p(differences)
    monkeypatch.setattr("summq.eval.statistics.comparisons.MANY", 10**9)
    assert computed == pytest.approx(sign_flip_p(differences, resamples=4000), abs=0.02)
    assert sign_flip_p(np.zeros(MANY)) == 1.0


def test_an_interval_ends_where_differences_do() -> None:
    ours, theirs = [1.0, 1.0, 1.0, 1.0, 0.0, 0.9], [0.0, 0.0, 0.1, 0.0, 0.9, 0.0]
    free, bound = compare(ours, theirs), compare(ours, theirs, largest=1.0)
    assert free.high is not None
    assert free.high > 1.0
    assert (bound.low, bound.high) == (max(free.low or 0.0, -1.0), 1.0)
