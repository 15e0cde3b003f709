"""TAKEQUIZ: what the examinee is shown, and what comes of its answers."""

import json

import pytest
from dspy.lm15 import AuthError, TimeoutError

from summq.programs.errors import BackboneError
from summq.programs.examine import Examinee, ExamOutcome
from summq.signatures import KINDS, Quiz
from tests.planted import GARBLED, Asked, Outputs, Plan, halls, lamps, planted, question

QUIZ = Quiz(questions=[question(hall, kind) for hall, kind in enumerate(KINDS, 1)])
SHORT = Quiz(questions=[question(hall) for hall in (1, 2, 3)])


def take(quiz: Quiz, plan: Plan, *, seed: int = 0) -> ExamOutcome:
    with planted(plan):
        outcome: ExamOutcome = Examinee(seed)(quiz=quiz, summary="A summary.")
    return outcome


def answers(**given: object) -> Outputs:
    """Answers by number: `q1="..."`."""
    return {"sheet": {"answers": [{"number": number, "answer": answer} for number, answer in given.items()]}}


def test_right_answers_of_all_kinds_need_no_grader() -> None:
    with planted() as engine:
        exam = Examinee()(quiz=QUIZ, summary="A summary.").exam
    assert exam.accuracy == 1
    assert engine.calls == {"examinee": 1}


def test_the_examinee_sees_summary_and_questions_and_nothing_else() -> None:
    with planted() as engine:
        Examinee()(quiz=QUIZ, summary="A summary.")
    (asked,) = engine.asked
    assert asked["summary"] == "A summary."
    assert [item["question"] for item in json.loads(asked["questions"])] == [q.question for q in QUIZ.questions]
    assert "evidence" not in asked.text
    assert "In hall" not in asked.text
    assert str(lamps(3)) not in asked.text  # the key of the short answer


def test_options_are_shuffled_by_seed_and_always_alike() -> None:
    quiz = Quiz(questions=[question(hall, "multiple_choice") for hall in range(1, 13)])

    def orders(seed: int) -> list[list[str]]:
        with planted() as engine:
            Examinee(seed)(quiz=quiz, summary="A summary.")
        return [item["options"] for item in json.loads(engine.asked[0]["questions"])]

    places = [options.index(q.answer) for options, q in zip(orders(0), quiz.questions, strict=True)]
    assert set(places) == {0, 1, 2, 3}
    assert orders(0) == orders(0) != orders(1)
    assert [sorted(options) for options in orders(1)] == [sorted(q.options) for q in quiz.questions]


def test_the_order_of_options_changes_no_grade() -> None:
    wrong = answers(q1=lamps(1) + 1, q2="false", q3="none")
    exams = [take(QUIZ, {"examinee": wrong}, seed=seed).exam for seed in range(5)]
    assert all(exam == exams[0] for exam in exams)


def test_missing_answers_are_unscored() -> None:
    exam = take(QUIZ, {"examinee": answers(q2="true", q9="x")}).exam
    assert [a.correct for a in exam.answers] == [None, True, None]
    assert exam.accuracy == 1
    assert exam.unscored == 2


def test_the_grader_decides_on_short_answers_that_are_not_the_key() -> None:
    def grade(asked: Asked) -> Outputs:
        given = json.loads(asked["given"])
        assert [(g["number"], g["key"]) for g in given] == [(2, str(lamps(2))), (3, str(lamps(3)))]
        return {"marks": {"grades": [{"number": 2, "correct": True}]}}

    exam = take(SHORT, {"examinee": answers(q1=lamps(1), q2="a thousand odd", q3="many"), "grader": grade}).exam
    assert [a.correct for a in exam.answers] == [True, True, None]


def test_the_grader_can_change_no_grade_that_comparison_gave() -> None:
    everything = {"marks": {"grades": [{"number": n, "correct": True} for n in (1, 2, 3)]}}
    exam = take(SHORT, {"examinee": answers(q1="not in the summary", q2="x"), "grader": everything}).exam
    assert [a.correct for a in exam.answers] == [False, True, None]


@pytest.mark.parametrize("failure", [GARBLED, TimeoutError("slow")])
def test_a_lost_examinee_leaves_all_unscored(failure: str | Exception) -> None:
    outcome = take(QUIZ, {"examinee": failure})
    assert outcome.exam.accuracy is None
    assert outcome.exam.unscored == 3
    assert [lost.role for lost in outcome.lost] == ["examinee"]


def test_a_lost_grader_leaves_its_answers_unscored() -> None:
    outcome = take(SHORT, {"examinee": answers(q1=lamps(1), q2="x", q3="y"), "grader": GARBLED})
    assert [a.correct for a in outcome.exam.answers] == [True, None, None]
    assert [lost.role for lost in outcome.lost] == ["grader"]


def test_a_rejected_key_ends_the_run() -> None:
    with pytest.raises(BackboneError, match="no such key"):
        take(QUIZ, {"examinee": AuthError("no such key")})


def test_the_open_book_call_holds_the_document_in_place_of_the_summary() -> None:
    with planted() as engine:
        exam = Examinee().with_document(QUIZ, halls()).exam
    (asked,) = engine.asked
    assert exam.accuracy == 1
    assert asked.role == "examinee.open_book"
    assert halls().text in asked.text
    with pytest.raises(KeyError):
        asked["summary"]


def test_an_empty_quiz_needs_no_call() -> None:
    with planted() as engine:
        assert Examinee()(quiz=Quiz(questions=[]), summary="A summary.").exam.accuracy is None
    assert not engine.asked
