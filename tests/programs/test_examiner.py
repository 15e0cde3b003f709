"""One checked quiz a document, kept and the same for everybody."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dspy
import pytest

from summq.programs.documents import load_document
from summq.programs.errors import DataError
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.role import UnusableReply
from summq.programs.runtime.session import session
from summq.programs.summq import SummQ
from summq.signatures import KINDS, QuestionCounts
from tests.documents import HARBOUR
from tests.planted import Asked, halls, planted, question

FEW = QuestionCounts(multiple_choice=1, true_false=1, short_answer=1)
QUIZ = [question(3, "multiple_choice"), question(50, "true_false"), question(90)]


def wrong_about_hall_90(asked: Asked) -> dict[str, object]:
    right = {"1": QUIZ[0].answer, "2": "true", "3": "17"}
    return {"sheet": {"answers": [{"number": n, "answer": answer} for n, answer in right.items()]}}


def test_the_quiz_is_made_once_and_kept(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}) as engine:
        made = QuizShelf(tmp_path, Examiner(FEW)).quiz_for(halls())
        again = QuizShelf(tmp_path, Examiner(FEW)).quiz_for(halls())
    assert made == again
    assert engine.calls["examiner"] == 1
    assert made.made_by == ["instant"]
    assert [q.kind for q in made.quiz.questions] == ["multiple_choice", "true_false", "short_answer"]


def test_many_threads_wait_for_the_one_that_makes_it(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}) as engine, ThreadPoolExecutor(6) as pool:
        shelf = QuizShelf(tmp_path, Examiner(FEW))
        overrides = dict(dspy.settings.copy())

        def ask() -> object:
            with dspy.context(**overrides):
                return shelf.quiz_for(halls())

        made = [future.result() for future in [pool.submit(ask) for _ in range(6)]]
    assert engine.calls["examiner"] == 1
    assert all(quiz == made[0] for quiz in made)


def test_a_question_that_fails_with_the_document_at_hand_is_dropped(tmp_path: Path) -> None:
    plan = {"examiner": {"quiz": QUIZ}, "examinee.open_book": wrong_about_hall_90}
    with planted(plan):
        kept = Examiner(FEW)(halls())
    assert [q.question for q in kept.dropped] == [QUIZ[2].question]
    assert len(kept.quiz.questions) == 2
    assert kept.missing == QuestionCounts(multiple_choice=0, true_false=0, short_answer=1)
    assert kept.shortage == (
        "the quiz has 2 of 3 questions (missing: 1 short answer), since 1 failed with the document at hand"
    )


def test_a_question_without_evidence_in_the_document_is_dropped() -> None:
    invented = question(3).model_copy(update={"evidence": "The keeper sold every lamp that he had in spring."})
    with planted({"examiner": {"quiz": [*QUIZ[:2], invented]}}):
        kept = Examiner(FEW)(halls())
    assert [q.question for q in kept.dropped] == [invented.question]


def test_a_document_about_which_no_question_holds_has_no_quiz() -> None:
    invented = [q.model_copy(update={"evidence": "Nobody knows what is said in this sentence."}) for q in QUIZ]
    with planted({"examiner": {"quiz": invented}}), pytest.raises(UnusableReply, match="no question"):
        Examiner(FEW)(halls())


def test_another_seed_asks_for_another_quiz(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}) as engine:
        for seed in (0, 1):
            QuizShelf(tmp_path, Examiner(FEW, seed)).quiz_for(halls())
    first, second = engine.of("examiner")
    assert first.text != second.text


@pytest.mark.parametrize("role", ["examiner", "examinee.open_book", "grader"])
def test_whoever_makes_or_checks_the_quiz_makes_it_another_edition(role: str) -> None:
    with session("offline", cache_dir=""):
        usual = Examiner(FEW).edition
    with session("offline", roles={role: "offline:seed=1"}, cache_dir=""):
        assert Examiner(FEW).edition != usual
    with session("offline", roles={"examinee": "offline:seed=1", "examinee.open_book": "offline"}, cache_dir=""):
        assert Examiner(FEW).edition == usual  # who sits it has no part in it


def test_what_is_no_quiz_is_one_line(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}):
        QuizShelf(tmp_path, Examiner(FEW)).quiz_for(halls())
        (kept,) = tmp_path.iterdir()
        kept.write_text(json.dumps({"questions": []}))
        with pytest.raises(DataError, match=r"not a quiz \(document: Field required\); remove it"):
            QuizShelf(tmp_path, Examiner(FEW)).quiz_for(halls())


def test_the_examiner_is_not_asked_what_any_quiz_writer_of_summq_is_asked() -> None:
    writers = [p.signature for name, p in SummQ.preset("combo").named_predictors() if "quiz_generators" in name]
    assert all(Examiner(FEW).draft.signature.instructions != signature.instructions for signature in writers)


def test_offline_the_quiz_is_complete_and_the_same_every_time() -> None:
    with session("offline", cache_dir=""):
        made = [Examiner(QuestionCounts())(load_document(HARBOUR)) for _ in range(2)]
    assert made[0].quiz == made[1].quiz
    assert len(made[0].quiz.questions) + len(made[0].dropped) == 30


def test_from_a_pool_a_seeded_half_is_drawn_and_what_is_dropped_is_made_up_for() -> None:
    draft = [question(hall, kind) for kind in KINDS for hall in (3, 30, 60, 90)]
    wrong = draft[0].model_copy(update={"evidence": "Nobody knows what is said in this sentence."})
    wanted = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
    with planted({"examiner": {"quiz": [wrong, *draft[1:]]}}) as engine:
        one, same, other = (Examiner(wanted, seed, pool=2)(halls()).quiz for seed in (0, 0, 1))
    assert engine.calls["examiner"] == 3
    assert one == same != other
    for quiz in (one, other):
        assert Counter(q.kind for q in quiz.questions) == dict.fromkeys(KINDS, 2)
        assert wrong not in quiz.questions
