"""Grading by comparison."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.examine import grade_by_comparison, normal, not_told
from summq.signatures import KINDS, OPTIONS, Question

CHOICE = Question(
    kind="multiple_choice", question="Where?", options=("Bern", "Basel", "Chur", "the Jura"), answer="Bern"
)
SHOWN = ("Basel", "the Jura", "Bern", "Chur")  # another order than the key's


def graded(question: Question, answer: str | None) -> bool | None:
    return grade_by_comparison(1, question, answer, SHOWN if question.options else ()).correct


def short(key: str) -> Question:
    return Question(kind="short_answer", question="What?", answer=key)


@pytest.mark.slow
@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Harbour Board.", "harbour board"),
        ("12,500 lamps", "12500 lamps"),
        ("50 %", "50%"),
        ("“nobody”", "nobody"),
        ("5km", "5 km"),
        ("well-known", "well known"),
    ],
)
def test_case_articles_punctuation_and_separators_do_not_matter(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("5", "-5"), ("5 %", "5"), ("$5", "£5"), ("3.5", "35"), ("1.5", "1, 5"), ("C++", "C"), ("∞", "∑")],
)
def test_signs_that_change_what_is_said_matter(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.parametrize("answer", ["Bern", "bern", "BERN.", "C", "(c)", "C) Bern", "the Bern", "Option C", "It is C."])
def test_the_right_option_is_recognised_as_examinees_write_it(answer: str) -> None:
    assert graded(CHOICE, answer) is True


@pytest.mark.parametrize("answer", ["Basel", "A", "B) the Jura", "Jura", "option b"])
def test_another_option_is_wrong(answer: str) -> None:
    assert graded(CHOICE, answer) is False


@pytest.mark.parametrize("answer", ["Bern, because it says so", "Bern (option C)", "Option C: Bern", "It must be Bern"])
def test_the_one_option_that_is_named_among_other_words_counts(answer: str) -> None:
    assert graded(CHOICE, answer) is True
    assert graded(CHOICE, answer.replace("Bern", "Basel").replace("ption C", "ption A")) is False


@pytest.mark.parametrize(
    "answer", ["not Bern", "Bern (option A)", "Bern, or perhaps Basel", "neither Bern nor another"]
)
def test_an_option_that_is_denied_or_named_beside_another_does_not(answer: str) -> None:
    assert graded(CHOICE, answer) is None


@pytest.mark.parametrize("answer", ["Zug", "Bern or Basel", "E", "I can't tell", "…"])
def test_what_is_no_option_is_unscored(answer: str) -> None:
    assert graded(CHOICE, answer) is None


def test_options_that_differ_only_in_a_sign_are_told_apart() -> None:
    question = CHOICE.model_copy(update={"options": ("$5", "£5", "-5", "5"), "answer": "£5"})
    assert grade_by_comparison(1, question, "£5", question.options).correct is True
    assert grade_by_comparison(1, question, "$5", question.options).correct is False


def test_an_option_that_says_not_in_the_document_is_an_answer() -> None:
    question = CHOICE.model_copy(update={"options": ("Not in the text", "a", "b", "c"), "answer": "Not in the text"})
    record = grade_by_comparison(1, question, "Not in the text", question.options)
    assert record.correct is True
    assert not record.not_in_summary


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        *((answer, True) for answer in ("true", "True, it did.", "**True**", "T", "It is true.", "Answer: true")),
        *((answer, False) for answer in ("FALSE", "The statement is false.", "false: the text says otherwise")),
        *(
            (answer, None)
            for answer in ("not true", "yes", "true or false", "True/False", "partly true", "I can't say")
        ),
    ],
)
def test_true_and_false(answer: str, correct: bool | None) -> None:
    assert graded(Question(kind="true_false", question="It froze.", answer="true"), answer) is correct


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", ["not in the summary", "Not stated in the text.", "Not mentioned in the document"])
def test_not_told_is_wrong_and_marked(kind: str, answer: str) -> None:
    record = grade_by_comparison(1, Question(kind=kind, answer="true", options=("true",) * OPTIONS), answer, ())
    assert (record.correct, record.not_in_summary) == (False, True)


def test_not_told_is_recognised_only_at_the_beginning() -> None:
    assert not not_told("It is found in the text, and not in the summary")


def test_a_short_answer_is_right_when_it_is_the_key_and_else_undecided() -> None:
    assert graded(short("The Harbour Board"), "harbour board") is True
    assert graded(short("The Harbour Board"), "the board") is None
    assert graded(short("!"), "?") is None


@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_is_unscored(kind: str) -> None:
    record = grade_by_comparison(1, Question(kind=kind, answer="true"), None, ())
    assert record.correct is None
    assert record.given is None


@pytest.mark.parametrize("answer", ["Vitamin B", "A river", "Plan C"])
def test_a_letter_among_other_words_is_no_option(answer: str) -> None:
    assert graded(CHOICE, answer) is None
