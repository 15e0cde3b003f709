"""Accuracy and what guessing is worth."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.signatures import CHANCE, KINDS, Exam, GradedAnswer

graded = st.builds(
    GradedAnswer,
    number=st.integers(1, 30),
    kind=st.sampled_from(KINDS),
    question=st.just("?"),
    given=st.just("x"),
    correct=st.sampled_from([True, False, None]),
)


def answer(kind: str, correct: bool | None, *, not_in_summary: bool = False) -> GradedAnswer:
    return GradedAnswer(number=1, kind=kind, question="?", given="x", correct=correct, not_in_summary=not_in_summary)


@pytest.mark.slow
@given(st.lists(graded, max_size=20))
def test_scores_stay_in_their_ranges_and_unscored_answers_do_not_count(answers: list[GradedAnswer]) -> None:
    exam = Exam(answers=answers)
    scored = [a for a in answers if a.correct is not None]
    assert exam.unscored == len(answers) - len(scored)
    assert exam == Exam.model_validate_json(exam.model_dump_json())
    assert Exam(answers=scored).accuracy == exam.accuracy
    if exam.accuracy is None or exam.chance_corrected is None:
        assert not scored
        return
    assert 0 <= exam.accuracy <= 1
    assert -1 <= exam.chance_corrected <= exam.accuracy + 1e-9


@pytest.mark.parametrize(("kind", "options"), [("multiple_choice", 4), ("true_false", 2)])
def test_guessing_is_worth_nothing(kind: str, options: int) -> None:
    guesses = [answer(kind, key == guess) for key, guess in product(range(options), repeat=2)]
    assert Exam(answers=guesses).accuracy == pytest.approx(CHANCE[kind])
    assert Exam(answers=guesses).chance_corrected == pytest.approx(0)


@pytest.mark.parametrize("kind", KINDS)
def test_all_right_is_one_and_not_told_is_zero(kind: str) -> None:
    assert Exam(answers=[answer(kind, True)]).chance_corrected == 1
    assert Exam(answers=[answer(kind, False, not_in_summary=True)]).chance_corrected == 0


def test_kinds_are_scored_apart() -> None:
    exam = Exam(answers=[answer("true_false", True), answer("true_false", False), answer("short_answer", None)])
    assert exam.accuracy_by_kind == {"true_false": 0.5, "short_answer": None}
    assert exam.chance_corrected_by_kind == {"true_false": 0.0, "short_answer": None}


def test_an_exam_without_scored_answers_has_no_score() -> None:
    assert Exam(answers=[]).accuracy is None
    assert Exam(answers=[answer("short_answer", None)]).chance_corrected is None
