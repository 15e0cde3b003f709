"""Quizzes are complete and true to the document; examinees answer what their text tells and nothing else."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from summq.programs.runtime.offline import OfflineEngine
from summq.programs.runtime.offline.quizzing import same_question
from summq.signatures import (
    KINDS,
    NOT_IN_SUMMARY,
    PARTS,
    AggregateQuizzes,
    Document,
    DraftQuiz,
    GradeAnswers,
    KeyedAnswer,
    PartQuota,
    Question,
    QuestionCounts,
    Quiz,
    SheetItem,
    TakeQuiz,
    TakeQuizOpenBook,
)


def even_spread(number: int) -> list[PartQuota]:
    return [PartQuota(part=p, of=PARTS, questions=number // PARTS + (p <= number % PARTS)) for p in range(1, PARTS + 1)]


def quiz_on(ask: Any, document: Document, wanted: QuestionCounts, present: list[str] | None = None) -> Quiz:
    spread = even_spread(wanted.total)
    quiz: Quiz = ask(DraftQuiz, document=document, wanted=wanted, spread=spread, present=present or []).quiz
    return quiz


def answers_of(sheet: Any) -> list[str]:
    return [answer.answer for answer in sheet.answers]


SMALL = QuestionCounts(multiple_choice=3, true_false=4, short_answer=3)


def test_writes_as_many_of_each_kind_as_wanted(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)

    assert {kind: sum(q.kind == kind for q in quiz.questions) for kind in KINDS} == {
        "multiple_choice": 3,
        "true_false": 4,
        "short_answer": 3,
    }


def test_questions_are_sound_in_form_and_proven_word_for_word(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)

    assert [q.faults() for q in quiz.questions if q.faults()] == []
    assert all(q.evidence in harbour.text for q in quiz.questions)
    assert all(len(set(q.options)) == 4 for q in quiz.questions if q.kind == "multiple_choice")


def test_half_of_the_statements_are_false(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, QuestionCounts(multiple_choice=0, true_false=6, short_answer=0))

    assert Counter(q.answer for q in quiz.questions) == {"true": 3, "false": 3}


def test_every_part_is_asked_about(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)
    parts = Counter(harbour.part_at(harbour.text.index(q.evidence)) for q in quiz.questions)

    assert all(parts[part] == 2 for part in range(1, PARTS + 1))


def test_nothing_that_is_present_is_asked_again(harbour: Document, ask: Any) -> None:
    first = quiz_on(ask, harbour, SMALL)
    second = quiz_on(ask, harbour, SMALL, present=[q.question for q in first.questions])

    assert second.questions
    assert not any(same_question(old.question, new.question) for old in first.questions for new in second.questions)


def test_a_tiny_document_yields_what_it_can(ask: Any) -> None:
    text = "Anna Petrov sailed from Riga to Danzig with a cargo of amber in 1912. She came back in 1914."
    quiz = quiz_on(ask, Document(text=text), QuestionCounts())

    assert 1 <= len(quiz.questions) < 30


def test_an_empty_handed_writer_hands_in_an_empty_quiz(ask: Any) -> None:
    assert quiz_on(ask, Document(text="It came to nothing at all."), QuestionCounts()).questions == []


def test_with_the_document_at_hand_every_question_is_answered_right(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)
    sheet = ask(TakeQuizOpenBook, document=harbour, questions=quiz.sheet()).sheet

    assert answers_of(sheet) == [q.answer for q in quiz.questions]


def test_what_the_summary_does_not_tell_is_not_answered(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)
    sheet = ask(TakeQuiz, summary="The town has a church with two bells.", questions=quiz.sheet()).sheet

    assert set(answers_of(sheet)) == {NOT_IN_SUMMARY}


def test_what_the_summary_tells_is_answered_from_it(harbour: Document, ask: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)
    for question in quiz.questions:
        sheet = ask(TakeQuiz, summary=" ".join(question.evidence.split()), questions=Quiz(questions=[question]).sheet())

        assert answers_of(sheet.sheet) == [question.answer], question.question


def test_the_summary_counts_even_where_it_is_wrong(ask: Any) -> None:
    question = "Which number completes the statement: “each of the blocks of the outer wall weighed ____ tons”?"
    sheet = [SheetItem(number=1, kind="short_answer", question=question)]

    assert answers_of(
        ask(TakeQuiz, summary="Each of the blocks of the outer wall weighed 55 tons.", questions=sheet).sheet
    ) == ["55"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who designed a wall of concrete blocks?", "Pieter Adema"),
        ("When did the quay open that Queen Juliana named?", "12 May 1951"),
        ("How much did the town council borrow from the Noorder Bank?", "4.2 million"),
    ],
)
def test_plain_questions_are_answered_too(harbour: Document, ask: Any, question: str, answer: str) -> None:
    sheet = [SheetItem(number=1, kind="short_answer", question=question)]

    assert answer in answers_of(ask(TakeQuizOpenBook, document=harbour, questions=sheet).sheet)[0]


def test_the_grader_accepts_another_form_of_the_same_answer_and_nothing_else(ask: Any) -> None:
    pairs = [("Pieter Adema", "Adema, Pieter"), ("12 May 1951", "May 1951 on the 12"), ("38", "55"), ("Riga", "")]
    given = [KeyedAnswer(number=n, question="?", key=key, given=said) for n, (key, said) in enumerate(pairs, 1)]

    assert [mark.correct for mark in ask(GradeAnswers, given=given).marks.grades] == [True, True, False, False]


def test_the_chosen_questions_are_different_ones_that_the_document_proves(harbour: Document, ask: Any) -> None:
    sound, other = quiz_on(ask, harbour, QuestionCounts(multiple_choice=0, true_false=0, short_answer=2)).questions
    unproven = Question(kind="short_answer", question="Who sank?", answer="Olaf", evidence="Olaf sank in the night.")
    candidates = {"a": unproven, "b": sound, "c": sound, "d": other}
    wanted = QuestionCounts(multiple_choice=0, true_false=0, short_answer=2)

    chosen = ask(
        AggregateQuizzes, document=harbour, wanted=wanted, shared=Quiz(questions=[]), candidates=candidates
    ).chosen

    assert len(chosen) == 2
    assert "d" in chosen
    assert "a" not in chosen


def test_an_erring_generator_writes_wrong_keys(harbour: Document, ask_of: Any) -> None:
    erring = ask_of(OfflineEngine(rates={"generator": 1.0}))
    quiz = quiz_on(erring, harbour, SMALL)
    sheet = ask_of(OfflineEngine())(TakeQuizOpenBook, document=harbour, questions=quiz.sheet()).sheet

    assert not any(q.answer == answer for q, answer in zip(quiz.questions, answers_of(sheet), strict=True))


def test_an_erring_examinee_errs_about_as_often_as_told(harbour: Document, ask: Any, ask_of: Any) -> None:
    quiz = quiz_on(ask, harbour, SMALL)
    erring = ask_of(OfflineEngine(seed=1, rates={"examinee": 0.5}))
    sheet = erring(TakeQuizOpenBook, document=harbour, questions=quiz.sheet()).sheet
    right = sum(q.answer == answer for q, answer in zip(quiz.questions, answers_of(sheet), strict=True))

    assert 1 <= right <= 9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reports", "stories", "meetings", "plays"])
def test_real_documents_yield_thirty_answerable_questions(kind: str, shared_data: Path, ask: Any) -> None:
    row = json.loads((shared_data / kind / "dev.jsonl").read_text().splitlines()[0])
    document = Document(text=row["document"])
    quiz = quiz_on(ask, document, QuestionCounts())
    sheet = ask(TakeQuizOpenBook, document=document, questions=quiz.sheet()).sheet

    assert Counter(q.kind for q in quiz.questions) == dict.fromkeys(KINDS, 10)
    assert all(q.evidence in document.text for q in quiz.questions)
    assert sum(q.answer == a for q, a in zip(quiz.questions, answers_of(sheet), strict=True)) >= 29
