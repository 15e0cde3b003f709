"""What is told of the scores of quizzes of different sizes."""

from itertools import product

import pytest
from quiz_size import MIXES, Record, by_mix, mixes_table


def records(shift: float) -> list[Record]:
    """Ten documents, two seeds; the smallest quiz scores higher by `shift`."""
    return [
        {"document": str(d), "mix": mix, "seed": seed, "score": 0.04 * d + 0.02 * seed + shift * (mix == MIXES[0])}
        for d, mix, seed in product(range(10), MIXES, (0, 1))
    ]


def test_scores_are_means_over_seeds_and_unscored_exams_are_left_out() -> None:
    some: list[Record] = [*records(0), {"document": "9", "mix": "2/2/1", "seed": 2, "score": None}]
    assert by_mix(some)["2/2/1"] == pytest.approx([0.04 * d + 0.01 for d in range(10)])


@pytest.mark.parametrize(("shift", "apart"), [(0.0, 0), (0.1, 2)])
def test_a_planted_dependence_on_the_size_is_found(shift: float, apart: int) -> None:
    assert mixes_table(by_mix(records(shift)))[1] == apart
