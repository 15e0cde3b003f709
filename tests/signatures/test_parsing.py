"""Lists in replies, where a bad item costs one item, and labels."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from summq.signatures import Answers, Arguments, IssueGroups, IssueList, Listing, Quiz, Verdicts, named_label

LISTS = [Answers, Arguments, IssueGroups, IssueList, Quiz, Verdicts]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def field_of(listing: type[Listing]) -> str:
    (name,) = listing.model_fields
    return name


GOOD: dict[type[Listing], Any] = {
    Answers: {"number": 1, "answer": "x"},
    Arguments: {"issue": "A1", "uphold": True, "argument": "x"},
    IssueGroups: ["A1"],
    IssueList: {"kind": "omission", "target": "x", "explanation": "y"},
    Quiz: {"kind": "true_false", "question": "x", "answer": "true"},
    Verdicts: {"issue": "A1", "uphold": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("listing", LISTS)
@given(items=st.lists(anything, max_size=5))
def test_items_are_read_or_dropped_unless_none_can_be_read(listing: type[Listing], items: list[Any]) -> None:
    name = field_of(listing)
    readable = [item for item in items if getattr(listing.model_validate({name: [GOOD[listing], item]}), name)[1:]]
    if items and not readable:
        with pytest.raises(ValidationError, match=f"none of {len(items)} {name} can be read"):
            listing.model_validate({name: items})
    else:
        assert len(getattr(listing.model_validate({name: items}), name)) == len(readable)


@given(before=st.lists(anything, max_size=3), after=st.lists(anything, max_size=3))
def test_a_good_item_survives_among_bad_ones(before: list[Any], after: list[Any]) -> None:
    good = {"number": "Q7.", "answer": True}
    read = Answers.model_validate({"answers": [*before, good, *after]}).answers
    assert (7, "true") in [(answer.number, answer.answer) for answer in read]


@pytest.mark.parametrize("listing", LISTS)
def test_a_bare_list_is_taken_for_the_field(listing: type[Listing]) -> None:
    assert listing.model_validate([]) == listing.model_validate({field_of(listing): []})


@pytest.mark.parametrize("listing", LISTS)
@pytest.mark.parametrize("reply", ["no list", 3, None, {}, {"else": []}])
def test_a_reply_without_a_list_is_an_error(listing: type[Listing], reply: Any) -> None:
    with pytest.raises(ValidationError):
        listing.model_validate(reply)


@pytest.mark.parametrize(("written", "number"), [(3, 3), ("3", 3), ("Q3", 3), ("3.", 3), ("Question 3:", 3)])
def test_numbers_are_read_in_the_forms_that_models_write(written: Any, number: int) -> None:
    (answer,) = Answers.model_validate([{"number": written, "answer": "x"}]).answers
    assert answer.number == number


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("3. true", "true"),
        ("3) 12 March 1936", "12 March 1936"),
        ("Q3: 3.5 million", "3.5 million"),
        ("**3.** B. Bern", "B. Bern"),
        ("3. one\ntwo", "one\ntwo"),
    ],
)
def test_an_answer_stands_behind_the_number_of_its_question(written: str, answer: str) -> None:
    (read,) = Answers.model_validate([written]).answers
    assert (read.number, read.answer) == (3, answer)
    assert Answers.model_validate([read.model_dump()]).answers == [read]


@pytest.mark.parametrize("written", ["true", "3.5 million", "12 March 1936", "3", "3.", "", "Bern (3)"])
def test_an_answer_without_a_number_is_dropped(written: str) -> None:
    assert [answer.number for answer in Answers.model_validate([written, "4. x"]).answers] == [4]


@pytest.mark.parametrize("written", ["three", "", None, "between 3 and 5", "3.5 or so"])
def test_what_is_no_number_costs_its_item(written: Any) -> None:
    answers = [{"number": written, "answer": "x"}, {"number": 4, "answer": "y"}]
    assert [answer.number for answer in Answers.model_validate(answers).answers] == [4]


def test_lists_read_back_what_they_write() -> None:
    issues = IssueList.model_validate([{"kind": "omission", "target": 4, "explanation": None}])
    assert IssueList.model_validate_json(issues.model_dump_json()) == issues
    assert issues.issues[0].target == "4"
    assert not issues.issues[0].explanation


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "b",
        " b. ",
        "(B)",
        "(b)",
        "**B**",
        "__B__",
        "`B`",
        "Candidate B",
        "candidate b",
        "the best is B.",
        "B: because it says more",
        "B is a better one",
        "candidate b is a better one",
        "I choose B",
        "Best: B\nB says more.",
    ],
)
def test_the_label_is_read_whatever_surrounds_it(reply: str) -> None:
    assert named_label(reply, "ABC") == "B"


@pytest.mark.parametrize("reply", ["a", "A.", "(a)", "Candidate A", "candidate a", "A is the best", "a: because"])
def test_the_label_a_is_told_from_the_article(reply: str) -> None:
    assert named_label(reply, "ABC") == "A"


@pytest.mark.parametrize("reply", ["A and B", "B or C?", "a, b", "A is better than B", "A better one is B"])
def test_several_labels_are_no_label(reply: str) -> None:
    assert named_label(reply, "ABC") is None


@pytest.mark.parametrize("reply", ["", "neither", "Z", "a summary in between", "Bern", "B2", "i think none"])
def test_no_label_is_no_label(reply: str) -> None:
    assert named_label(reply, "ABCI") is None


def test_longer_labels_are_not_taken_for_shorter_ones() -> None:
    labels = ["A", "B", "AB", "A1", "A12"]
    assert [named_label(f"Candidate {label}", labels) for label in labels] == labels
