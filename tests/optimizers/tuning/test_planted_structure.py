"""A study of 40 trials on the offline reader finds the structure that its error rates make the best."""

from pathlib import Path

import pytest
from tune_planted import ERRING, FAULTLESS, search


@pytest.mark.simulation
def test_further_reviewers_are_found_where_they_are_worth_their_calls(shared_data: Path, tmp_path: Path) -> None:
    found = search(ERRING, str(shared_data / "reports"), tmp_path, trials=40)
    assert found.summary_reviewers >= 3
    assert found.quality > found.solo_quality + 0.03


@pytest.mark.simulation
def test_one_agent_of_each_kind_is_found_where_nobody_errs(shared_data: Path, tmp_path: Path) -> None:
    found = search(FAULTLESS, str(shared_data / "reports"), tmp_path, trials=40)
    assert (found.summary_reviewers, found.quiz_reviewers) == (1, 1)
