"""Means and intervals are what scipy and arithmetic say, and failures are counted apart."""

import math
import re

import numpy as np
import pytest

from summq.eval.statistics import Estimate, summarise
from summq.eval.statistics.estimates import MANY, t_quantile

VALUES = [float(value) for value in np.random.default_rng(1).normal(0.4, 0.1, size=40)]


@pytest.mark.slow
def test_with_many_values_of_a_symmetric_kind_the_interval_is_students() -> None:
    from scipy import stats

    found = summarise(VALUES)
    error = stats.sem(VALUES)
    low, high = stats.t.interval(0.95, len(VALUES) - 1, np.mean(VALUES), error)
    assert found.mean == pytest.approx(np.mean(VALUES))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.2 * error)
    assert (found.n, found.failed) == (40, 0)


@pytest.mark.slow
def test_the_interval_is_never_narrower_than_students_nor_than_the_studentised_bootstrap() -> None:
    from scipy import stats

    skewed = [0.01, 0.02, 0.02, 0.05, 0.4]
    found = summarise(skewed)
    low, high = stats.t.interval(0.95, 4, np.mean(skewed), stats.sem(skewed))
    assert found.low == pytest.approx(low)
    assert found.high is not None
    assert found.high > high + 0.2


@pytest.mark.parametrize("n", [5, 6, 8])
def test_no_bound_of_few_values_is_more_than_three_times_as_far_as_students(n: int) -> None:
    for sample in range(40):
        values = np.random.default_rng(sample).exponential(size=n)
        interval = summarise([float(v) for v in values])
        assert interval.low is not None
        assert interval.high is not None
        farthest = 3.001 * t_quantile(0.975, n - 1) * float(values.std(ddof=1)) / n**0.5
        assert values.mean() - farthest <= interval.low < interval.high <= values.mean() + farthest


def test_a_source_with_most_of_the_rows_leaves_an_interval_that_says_something() -> None:
    levels, rows = [0.2, 0.5, 0.3, 0.4, 0.6], [1, 1, 1, 40, 1]
    values = [level + 0.1 * (k % 2) for level, count in zip(levels, rows, strict=True) for k in range(count)]
    books: list[str | None] = [str(book) for book, count in enumerate(rows) for _ in range(count)]
    interval = summarise(values, books)
    assert interval.low is not None
    assert interval.high is not None
    assert 0.05 < interval.high - interval.low < 0.5


def test_the_same_seed_gives_the_same_interval_and_another_seed_hardly_another() -> None:
    assert summarise(VALUES) == summarise(VALUES)
    other = summarise(VALUES, seed=1)
    assert other != summarise(VALUES)
    assert other.low == pytest.approx(summarise(VALUES).low, abs=0.003)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 9, 20])
@pytest.mark.parametrize(("draw", "truth"), [("gamma(2)", 2.0), ("lognormal(0, 1)", math.exp(0.5))])
def test_intervals_hold_the_true_mean_as_often_as_they_say(n: int, draw: str, truth: float) -> None:
    generator = np.random.default_rng(5)
    name, *numbers = re.findall(r"[a-z]+|[\d.]+", draw)
    samples = [getattr(generator, name)(*map(float, numbers), size=n) for _ in range(500)]
    estimates = [summarise(list(sample), resamples=1000) for sample in samples]
    held = np.mean([e.low <= truth <= e.high for e in estimates if e.low is not None and e.high is not None])
    assert 0.91 <= held <= 0.98


def test_rows_of_one_source_are_resampled_together() -> None:
    levels = [0.2, 0.3, 0.4, 0.5, 0.6]  # of five books
    values = [level for level in levels for _ in range(10)]
    books = [book for book in "abcde" for _ in range(10)]
    alone, clustered = summarise(values), summarise(values, books)
    assert clustered.mean == alone.mean == pytest.approx(0.4)
    assert (clustered.low, clustered.high) == pytest.approx((summarise(levels).low, summarise(levels).high))
    assert alone.high is not None
    assert clustered.high is not None
    assert clustered.high > alone.high + 0.1


def test_an_interval_ends_where_the_measure_does() -> None:
    found = summarise([0.0, 0.0, 0.5, 1.0, 1.0], bounds=(0, 1))
    assert (found.low, found.mean, found.high) == (0, 0.5, 1)
    assert summarise([0.5, 0.75], bounds=(0, 1)) == Estimate(mean=0.625, n=2)


@pytest.mark.slow
@pytest.mark.parametrize("sources", [5, 30])
def test_values_that_are_all_the_same_leave_room_for_others(sources: int) -> None:
    from scipy import stats

    found = summarise([1.0] * sources, bounds=(0, 1))
    assert found.high == 1
    assert found.low == pytest.approx(stats.binomtest(sources, sources).proportion_ci(0.95).low)
    unbounded = summarise([1.0] * sources)
    assert (unbounded.low, unbounded.high) == (1, 1)


def test_sources_of_different_size_count_by_their_rows() -> None:
    assert summarise([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"]).mean == 0.75
    assert summarise([1.0, 0.0], ["a", None]) == summarise([1.0, 0.0])


def test_failures_are_counted_and_never_averaged() -> None:
    found = summarise([0.5, None, 0.7, math.nan])
    assert found.mean == pytest.approx(0.6)
    assert (found.n, found.failed) == (2, 2)
    assert summarise([None, None]) == Estimate(n=0, failed=2)
    assert summarise([]) == Estimate(n=0)


@pytest.mark.parametrize("sources", [1, 2, 4])
def test_fewer_than_five_sources_have_no_interval(sources: int) -> None:
    values = [0.4, 0.6, 0.2, 0.8, 0.5, 0.5, 0.1, 0.9]
    found = summarise(values, [str(place % sources) for place in range(8)])
    assert found == Estimate(mean=found.mean, n=8)
    assert found.mean == pytest.approx(0.5)


def test_clusters_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        summarise([0.5], ["a", "b"])


@pytest.mark.parametrize("clustered", [False, True])
def test_many_sources_have_the_interval_that_resampling_gives(clustered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    values = list(np.random.default_rng(3).exponential(size=MANY))
    clusters = [f"book {place // 2}" for place in range(len(values))] if clustered else None
    monkeypatch.setattr("summq.eval.statistics.estimates.MANY", 1000)
    computed = summarise(values, clusters)
    monkeypatch.setattr("summq.eval.statistics.estimates.MANY", 10**9)
    resampled = summarise(values, clusters, resamples=2000)
    assert computed.low is not None
    assert computed.high is not None
    assert resampled.low is not None
    assert resampled.high is not None
    width = resampled.high - resampled.low
    assert computed.low == pytest.approx(resampled.low, abs=0.03 * width)
    assert computed.high == pytest.approx(resampled.high, abs=0.03 * width)


def test_a_hundred_thousand_sources_need_no_resampling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summq.eval.statistics.estimates.bootstrap", None)
    estimate = summarise(list(np.random.default_rng(0).normal(0.5, 0.1, 100_000)))
    assert estimate.low == pytest.approx(0.5 - 1.96 * 0.1 / 100_000**0.5, abs=0.001)


def test_a_share_is_shown_in_percent_with_its_interval_where_it_has_one() -> None:
    assert Estimate(mean=0.62, low=0.5, high=0.74, n=9).percent() == "62 % [50, 74]"
    assert Estimate(mean=0.62, n=3).percent() == "62 %"
    assert Estimate(n=0).percent() == "–"
