"""Agreement is Kendall's tau-b and the share of pairs in the right order, with documents resampled."""

import numpy as np
import pytest

from summq.eval.statistics import measure_agreement

GENERATOR = np.random.default_rng(11)
DOCUMENTS = [f"d{number % 12}" for number in range(60)]
HUMAN = [float(score) for score in GENERATOR.integers(0, 6, size=60)]
METRIC = [score + float(noise) for score, noise in zip(HUMAN, GENERATOR.normal(0, 2, size=60).round(), strict=True)]


def of_document(scores: list[float], document: str) -> list[float]:
    return [score for score, name in zip(scores, DOCUMENTS, strict=True) if name == document]


@pytest.mark.slow
def test_tau_is_that_of_scipy() -> None:
    from scipy import stats

    found = measure_agreement(METRIC, HUMAN, DOCUMENTS, resamples=500)
    assert found.pooled_tau.mean == pytest.approx(stats.kendalltau(METRIC, HUMAN).statistic)
    taus = [stats.kendalltau(of_document(METRIC, d), of_document(HUMAN, d)).statistic for d in sorted(set(DOCUMENTS))]
    assert found.within_tau.mean == pytest.approx(np.nanmean(taus))
    assert found.within_tau.n == int(np.sum(~np.isnan(taus)))


@pytest.mark.slow
def test_the_interval_is_that_of_resampled_documents() -> None:
    from scipy import stats

    found = measure_agreement(METRIC, HUMAN, DOCUMENTS, resamples=2000).pooled_tau
    generator, names, taus = np.random.default_rng(3), sorted(set(DOCUMENTS)), []
    for _ in range(400):
        drawn = [names[place] for place in generator.integers(len(names), size=len(names))]
        one = [score for name in drawn for score in of_document(METRIC, name)]
        other = [score for name in drawn for score in of_document(HUMAN, name)]
        taus.append(stats.kendalltau(one, other).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(taus, [0.025, 0.975])), abs=0.04)


def test_accuracy_counts_pairs_and_halves_the_metrics_ties() -> None:
    found = measure_agreement([1, 2, 2, 5, 4], [1, 2, 3, 9, 9], ["a", "a", "a", "b", "b"])
    assert found.within_accuracy.mean == pytest.approx(2.5 / 3)
    assert found.metric_ties == pytest.approx(1 / 3)
    assert found.pooled_accuracy.mean == pytest.approx(8.5 / 9)


def test_perfect_reversed_and_constant_metrics() -> None:
    perfect = measure_agreement(HUMAN, HUMAN, DOCUMENTS, resamples=200)
    assert (perfect.pooled_tau.mean, perfect.pooled_tau.low, perfect.within_accuracy.mean) == (1, 1, 1)
    reverse = measure_agreement([-score for score in HUMAN], HUMAN, DOCUMENTS, resamples=200)
    assert (reverse.pooled_tau.mean, reverse.pooled_accuracy.mean) == (-1, 0)
    constant = measure_agreement([1.0] * 60, HUMAN, DOCUMENTS, resamples=200)
    assert (constant.pooled_tau.mean, constant.pooled_tau.low, constant.within_tau.mean) == (None, None, None)
    assert (constant.pooled_accuracy.mean, constant.metric_ties) == (0.5, 1)


def test_unscored_summaries_are_failed() -> None:
    found = measure_agreement([1.0, None, 2.0, 3.0], [1.0, 2.0, None, 3.0], ["a", "a", "b", "b"])
    assert (found.pooled_tau.n, found.pooled_tau.failed, found.pooled_tau.mean) == (2, 2, 1)
    nothing = measure_agreement([None], [1.0], ["a"])
    assert (nothing.pooled_tau.mean, nothing.pooled_tau.n, nothing.metric_ties) == (None, 0, None)
