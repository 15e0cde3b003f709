"""Means and intervals are what scipy and arithmetic say, and failures are counted apart."""

import math

import numpy as np
import pytest
from scipy import stats

from summq.eval.statistics import Estimate, summarise

VALUES = [float(value) for value in np.random.default_rng(1).normal(0.4, 0.1, size=40)]


def test_the_interval_is_that_of_the_percentile_bootstrap() -> None:
    found = summarise(VALUES)
    expected = stats.bootstrap((VALUES,), np.mean, n_resamples=10_000, method="percentile", rng=3).confidence_interval
    assert found.mean == pytest.approx(np.mean(VALUES))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.002)
    assert (found.n, found.failed) == (40, 0)


def test_the_same_seed_gives_the_same_interval_and_another_seed_hardly_another() -> None:
    assert summarise(VALUES) == summarise(VALUES)
    other = summarise(VALUES, seed=1)
    assert other != summarise(VALUES)
    assert other.low == pytest.approx(summarise(VALUES).low, abs=0.003)


def test_intervals_hold_the_true_mean_as_often_as_they_say() -> None:
    generator = np.random.default_rng(5)
    estimates = [summarise(list(generator.normal(0.3, 0.1, size=50)), resamples=500) for _ in range(200)]
    held = np.mean([found.low <= 0.3 <= found.high for found in estimates if found.low and found.high])
    assert 0.90 <= held <= 0.99


def test_rows_of_one_source_are_resampled_together() -> None:
    values = [0.2] * 10 + [0.4] * 10 + [0.6] * 10
    books = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    alone, clustered = summarise(values), summarise(values, books)
    assert clustered.mean == alone.mean == pytest.approx(0.4)
    assert clustered.high is not None
    assert alone.high is not None
    assert clustered.high > alone.high + 0.1
    by_book = stats.bootstrap(([0.2, 0.4, 0.6],), np.mean, n_resamples=10_000, method="percentile", rng=3)
    assert clustered.high == pytest.approx(by_book.confidence_interval.high, abs=0.001)


def test_sources_of_different_size_count_by_their_rows() -> None:
    assert summarise([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"]).mean == 0.75
    assert summarise([1.0, 0.0], ["a", None]) == summarise([1.0, 0.0])


def test_failures_are_counted_and_never_averaged() -> None:
    found = summarise([0.5, None, 0.7, math.nan])
    assert found.mean == pytest.approx(0.6)
    assert (found.n, found.failed) == (2, 2)
    assert summarise([None, None]) == Estimate(n=0, failed=2)
    assert summarise([]) == Estimate(n=0)


def test_a_single_source_has_no_interval() -> None:
    assert summarise([0.5, 0.7], ["a", "a"]) == Estimate(mean=0.6, n=2)


def test_clusters_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        summarise([0.5], ["a", "b"])
