"""Questions as models write them, and what can be asked of an examinee."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.signatures import KINDS, OPTIONS, Question, QuestionCounts, Quiz

SOUND: dict[str, dict[str, object]] = {
    "multiple_choice": {"answer": "Bern", "options": ["Basel", "Bern", "Chur", "Genf"]},
    "true_false": {"answer": "false"},
    "short_answer": {"answer": "1848"},
}
texts = st.text(max_size=30)
questions = st.builds(
    Question,
    kind=st.sampled_from([*KINDS, "True/False", "multiple choice", "essay", ""]),
    question=texts,
    options=st.lists(texts, max_size=6).map(tuple),
    answer=texts | st.sampled_from(["A", "b)", "true", "F", "Yes"]),
)


def sound(kind: str, /, **changes: object) -> Question:
    return Question.model_validate({"kind": kind, "question": "Which?", **SOUND[kind]} | changes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_question_has_no_faults_and_stays_as_it_is(kind: str) -> None:
    assert sound(kind).faults() == []
    assert sound(kind).normalised() == sound(kind)


def test_wrong_answers_and_the_right_one_are_the_options_and_the_right_one_is_anywhere_among_them() -> None:
    item = {"answer": "Bern", "wrong": ["Basel", "Chur", "Genf"]}
    read = [Quiz.model_validate({"multiple_choice": [{**item, "question": f"Which, {k}?"}]}) for k in range(40)]
    options = [quiz.questions[0].options for quiz in read]
    assert all(sorted(four) == ["Basel", "Bern", "Chur", "Genf"] for four in options)
    assert {four.index("Bern") for four in options} == {0, 1, 2, 3}
    assert not any(quiz.questions[0].faults() for quiz in read)


@given(questions)
def test_normalising_twice_changes_nothing(question: Question) -> None:
    once = question.normalised()
    assert once.normalised() == once


@given(questions)
def test_what_passes_can_be_asked_and_graded(question: Question) -> None:
    question = question.normalised()
    if question.faults():
        return
    assert question.kind in KINDS
    assert question.question
    assert question.answer
    if question.kind == "multiple_choice":
        assert len(set(question.options)) == OPTIONS
        assert question.answer in question.options
    else:
        assert not question.options
    if question.kind == "true_false":
        assert question.answer in ("true", "false")


@given(questions)
def test_normalising_never_makes_a_sound_question_faulty(question: Question) -> None:
    if not question.faults():
        assert not question.normalised().faults()


@pytest.mark.parametrize(("written", "kind"), [("True/False", "true_false"), ("multiple choice", "multiple_choice")])
def test_kinds_are_read_in_other_spellings(written: str, kind: str) -> None:
    assert Question(kind=written).normalised().kind == kind


@pytest.mark.parametrize("key", ["B", "b)", "(B)", "B.", "B) Bern", "bern", "BERN", "Bern."])
def test_a_key_may_name_its_option_by_letter_or_in_another_case(key: str) -> None:
    assert sound("multiple_choice", answer=key).normalised().answer == "Bern"


def test_a_letter_that_is_an_option_stands_for_itself() -> None:
    vitamins = sound("multiple_choice", options=["D", "C", "B", "A"], answer="A")
    assert vitamins.normalised().answer == "A"


@pytest.mark.parametrize(("key", "answer"), [(True, "true"), ("False.", "false"), ("T", "true"), ("no", "false")])
def test_truth_is_read_in_other_words(key: object, answer: str) -> None:
    assert sound("true_false", answer=key).normalised().answer == answer


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"question": ""}, "no question"),
        ({"answer": None}, "no answer"),
        ({"options": ["Basel", "Bern", "Bern", "Genf"]}, "3 different options instead of 4"),
        ({"answer": "Zug"}, "the answer is not one of the options"),
        ({"kind": "essay"}, "unknown kind 'essay'"),
    ],
)
def test_faults_say_what_is_wrong(changes: dict[str, object], fault: str) -> None:
    assert fault in sound("multiple_choice", **changes).normalised().faults()


def test_a_sheet_shows_neither_key_nor_evidence() -> None:
    quiz = Quiz(questions=[sound(kind, evidence="The EVIDENCE.") for kind in KINDS])
    shown = [item.model_dump() for item in quiz.sheet()]
    assert [item["number"] for item in shown] == [1, 2, 3]
    assert all(item.keys() == {"number", "kind", "question", "options"} for item in shown)
    assert "EVIDENCE" not in str(shown)


def test_counts_add_up_and_take_no_unknown_kind() -> None:
    assert QuestionCounts(multiple_choice=1, true_false=2, short_answer=0).total == 3
    with pytest.raises(ValueError, match="essay"):
        QuestionCounts.model_validate({"essay": 1})
