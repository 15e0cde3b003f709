"""What code finds wrong with a question before a call is spent on it."""

from typing import Any

import pytest

from summq.programs.coverage import assemble, batches, calls_for, placed, quotas
from summq.programs.examine import Examinee
from summq.programs.quiz_checks import flaws, says_the_same
from summq.programs.quiz_craft import asking_for
from summq.signatures import KINDS, LONGEST, DraftQuiz, Question, QuestionCounts, Quiz
from tests.planted import Asked, Outputs, halls, planted, question, sentence


@pytest.mark.parametrize(
    ("changes", "flaw"),
    [
        ({"question": "What is a sea"}, "breaks off"),
        ({"question": "Lamps?"}, "no sentence"),
        ({"question": "Who was it?"}, "names nothing"),
        ({"question": "What is the main topic of the report?"}, "about the text"),
        ({"evidence": "1007 lamps"}, "no sentence"),
        ({"evidence": "lamps " * LONGEST}, "runs in circles"),
        ({"kind": "true_false", "answer": "false", "question": "How many lamps has hall 5?"}, "a statement"),
        (
            {"kind": "multiple_choice", "answer": "SIMP", "options": ("SIMP", "SIMP Program", "FDA", "EPA")},
            "say the same",
        ),
    ],
)
def test_a_question_that_is_none_is_told(changes: dict[str, Any], flaw: str) -> None:
    assert not flaws(question(5))
    assert any(flaw in found for found in flaws(question(5, **changes)))


@pytest.mark.parametrize("kind", KINDS)
def test_sound_questions_have_no_flaws(kind: str) -> None:
    assert not flaws(question(5, kind))


@pytest.mark.parametrize(
    ("option", "key", "same"),
    [
        ("The Noorder Bank", "Noorder Bank", True),
        ("noorder bank.", "Noorder Bank", True),
        ("4.2 million guilders", "4.8 million guilders", False),
        ("in 1936", "in May 1936", True),
        ("May", "May 1936", False),
        ("Wages did not rise", "Wages did rise", False),
        ("It can't be crossed", "It can be crossed", False),
        ("Johanna Vries", "Maria Vries", False),
    ],
)
def test_options_that_say_the_key_in_other_words(option: str, key: str, same: bool) -> None:
    assert says_the_same(option, key) is same


@pytest.mark.parametrize(
    ("quoted", "evidence"),
    [
        ("In hall 5 the keeper", sentence(5)),
        ("hall 5 the keeper found 1035 lamps", sentence(5).removeprefix("In ")),
        (sentence(5), sentence(5)),
        ("of no such thing", "of no such thing"),
    ],
)
def test_a_quotation_that_breaks_off_is_taken_to_the_end_of_its_sentence(quoted: str, evidence: str) -> None:
    assert placed(question(5, evidence=quoted), halls()).evidence == evidence


def test_two_questions_about_one_fact_are_one() -> None:
    twice = [question(5), question(5, question="What number of lamps did the keeper find in hall 5?")]
    quiz = assemble(twice, QuestionCounts(multiple_choice=0, true_false=0, short_answer=2))
    assert quiz.questions == twice[:1]


def test_many_questions_are_asked_for_by_kind_and_few_at_once() -> None:
    thirty = QuestionCounts()
    by_kind = batches(thirty, quotas(halls(), (), 30), most=10)
    assert [batch.wanted.model_dump() for batch in by_kind] == [{**dict.fromkeys(KINDS, 0), kind: 10} for kind in KINDS]
    assert all(sum(quota.questions for quota in batch.spread) == 10 for batch in by_kind)
    assert all({quota.part for quota in batch.spread} == {1, 2, 3, 4, 5} for batch in by_kind)
    six = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
    assert [batch.wanted for batch in batches(six, quotas(halls(), (), 6), most=10)] == [six]


def test_who_is_asked_for_one_kind_is_told_nothing_of_the_others() -> None:
    statements = QuestionCounts(multiple_choice=0, true_false=2, short_answer=0)
    told = asking_for(statements, DraftQuiz).instructions
    assert "- true_false:" in told
    assert "that matters.\n\nSpread the questions" in told
    assert not [kind for kind in ("multiple_choice", "short_answer") if kind in told]
    assert asking_for(QuestionCounts(), DraftQuiz).instructions == DraftQuiz.instructions


def test_calls_for_one_kind_ask_about_different_parts() -> None:
    many = QuestionCounts(multiple_choice=20, true_false=0, short_answer=0)
    first, second = batches(many, quotas(halls(), (), 20), most=10)
    assert max(quota.part for quota in first.spread) <= min(quota.part for quota in second.spread)
    assert calls_for(many, 10) == 2


@pytest.mark.parametrize("told_by", ["its evidence", "the document", "neither"])
def test_only_what_its_evidence_does_not_bear_out_is_tried_with_the_document(told_by: str) -> None:
    asked_about = question(5, section="part 1 of 5")

    def examinee(asked: Asked) -> Outputs:
        reading = "the document" if halls().text in asked.text else "its evidence"
        answer = asked_about.answer if reading == told_by else "not in the document"
        return {"sheet": {"answers": [f"1. {answer}"]}}

    with planted({"examinee.open_book": examinee}) as engine:
        verification = Examinee().verify([asked_about], [halls()])
    assert verification.holds == {asked_about: told_by != "neither"}
    first, *others = engine.of("examinee.open_book")
    assert sentence(5) in first.text
    assert sentence(6) not in first.text
    assert [halls().text in asked.text for asked in others] == [True] * (told_by != "its evidence")


def test_a_question_whose_evidence_is_nowhere_is_tried_with_the_document_alone() -> None:
    with planted() as engine:
        Examinee().verify([question(5, section="")], [halls()])
    assert [halls().text in asked.text for asked in engine.of("examinee.open_book")] == [True]


def test_what_holds_is_not_read_again() -> None:
    quiz = Quiz(questions=[Question(**question(5).model_dump() | {"section": "part 1 of 5"})])
    with planted() as engine:
        assert all(Examinee().verify(quiz.questions, [halls()]).holds.values())
    assert engine.calls == {"examinee.open_book": 1}
