"""What is suggested where a name is misspelt."""

import pytest

from summq.programs.errors import closest, did_you_mean, there_are

ROLES = ["examiner", "generator", "summary_generator", "examinee", "examinee.blind", "reviewer"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("examinne", "examinee"),  # one letter; examiner is two away
        ("examniee", "examinee"),
        ("exminer", "examiner"),
        ("summary_genrator", "summary_generator"),
        ("banana", None),
        ("", None),
    ],
)
def test_the_name_with_the_fewest_slips_is_suggested(written: str, meant: str | None) -> None:
    assert closest(written, ROLES) == closest(written, reversed(ROLES)) == meant


def test_a_suggestion_ends_the_list_of_names() -> None:
    assert there_are(["direct", "lead"], "led") == "there are direct, lead; did you mean lead?"
    assert there_are(["direct", "lead"], "x") == "there are direct, lead"
    assert did_you_mean("x", []) == ""
