"""What roles are shown can be read back: nothing is lost, and no text can pass for another item."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.runtime.readable import readable, understood
from summq.signatures import (
    KINDS,
    HeardArgument,
    Issue,
    KeyedAnswer,
    NumberedIssue,
    PartQuota,
    Question,
    QuestionCounts,
    Quiz,
    Sentence,
    SheetItem,
)

LINES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=30)
TEXTS = st.lists(LINES, min_size=1, max_size=3).map("\n".join)
QUESTIONS = st.builds(
    Question,
    kind=st.sampled_from(KINDS),
    question=LINES,
    options=st.lists(LINES, max_size=4).map(tuple),
    answer=LINES,
    evidence=LINES,
)
ISSUES = st.builds(Issue, kind=st.sampled_from(["omission", "trivial"]), target=LINES, explanation=LINES, fix=LINES)


@pytest.mark.slow
@given(st.lists(QUESTIONS, max_size=4))
def test_questions_are_read_back(questions: list[Question]) -> None:
    assert understood(readable(questions), list[Question]) == questions
    quizzes = {"A": Quiz(questions=questions), "B": Quiz(questions=questions[:1])}
    assert understood(readable(quizzes), dict[str, Quiz]) == quizzes


@pytest.mark.slow
@given(st.lists(ISSUES, max_size=4), st.lists(TEXTS, max_size=3))
def test_issues_and_texts_are_read_back(issues: list[Issue], texts: list[str]) -> None:
    assert understood(readable(issues), list[Issue]) == issues
    assert understood(readable(texts), list[str]) == texts
    labelled = dict(zip("ABC", texts, strict=False))
    assert understood(readable(labelled), dict[str, str]) == labelled


VALUES: list[tuple[Any, Any]] = [
    (300, int),
    ("Several\n\nparagraphs.", str),
    (QuestionCounts(multiple_choice=1, true_false=0, short_answer=2), QuestionCounts),
    ([PartQuota(part=2, of=5, questions=1, opens_with="The 1. of May: a day")], list[PartQuota]),
    ([PartQuota(part=1, of=5, questions=1)], list[PartQuota]),
    ([SheetItem(number=7, kind="multiple_choice", question="Who?", options=["Ann", "Bo"])], list[SheetItem]),
    ([NumberedIssue(id="B3", kind="omission", target="t", explanation="e", reviewer=1)], list[NumberedIssue]),
    (
        [
            HeardArgument(issue="B3", argument="so", evidence="e: f", uphold=side, reviewer=27, round=2)
            for side in (True, False, None)
        ],
        list[HeardArgument],
    ),
    ([KeyedAnswer(number=2, question="Who?", key="Ann", given="answer: Bo")], list[KeyedAnswer]),
    ([Sentence(number=1, text="2. May was cold.")], list[Sentence]),
    ([], list[Question]),
]


@pytest.mark.parametrize(("value", "kind"), VALUES)
def test_everything_that_is_exchanged_is_read_back(value: Any, kind: Any) -> None:
    assert understood(readable(value), kind) == value


def test_a_question_is_shown_as_people_write_it() -> None:
    question = Question(
        kind="multiple_choice", question="Who?", options=("Ann", "Bo"), answer="Bo", evidence="Bo\ndid."
    )
    assert readable([question]) == "\n".join(
        ["1. (multiple_choice) Who?", "   A. Ann", "   B. Bo", "   answer: Bo", "   evidence: Bo did."]
    )


def test_a_text_cant_pass_for_the_next_item() -> None:
    assert understood(readable(["One.\n2. Two."]), list[str]) == ["One.\n2. Two."]
