"""One checked quiz a document, kept and the same for everybody."""

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dspy
import pytest

from summq.programs.documents import load_document
from summq.programs.errors import DataError
from summq.programs.examine import Examinee
from summq.programs.examiner import POOL, Examiner, QuestionPool, QuizShelf, pool_for
from summq.programs.runtime.role import UnusableReply
from summq.programs.runtime.session import session
from summq.programs.summq import SummQ
from summq.signatures import KINDS, NOT_KNOWN, QuestionCounts
from tests.documents import HARBOUR
from tests.planted import Asked, halls, planted, question

FEW = QuestionCounts(multiple_choice=1, true_false=1, short_answer=1)
QUIZ = [question(3, "multiple_choice"), question(50, "true_false"), question(90)]


def wrong_about_hall_90(asked: Asked) -> dict[str, object]:
    right = {"1": QUIZ[0].answer, "2": "true", "3": "17"}
    return {"sheet": {"answers": [{"number": n, "answer": answer} for n, answer in right.items()]}}


def test_the_quiz_is_made_once_and_kept(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}) as engine:
        made = QuizShelf(tmp_path, Examiner(FEW)).pool_about(halls())
        again = QuizShelf(tmp_path, Examiner(FEW)).pool_about(halls())
    assert made == again
    assert engine.calls["examiner"] == 3  # the kinds are drafted side by side
    assert made.made_by == ["instant"]
    assert [q.kind for q in made.questions] == ["multiple_choice", "true_false", "short_answer"]


def test_many_threads_wait_for_the_one_that_makes_it(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}) as engine, ThreadPoolExecutor(6) as pool:
        shelf = QuizShelf(tmp_path, Examiner(FEW))
        overrides = dict(dspy.settings.copy())

        def ask() -> object:
            with dspy.context(**overrides):
                return shelf.pool_about(halls())

        made = [future.result() for future in [pool.submit(ask) for _ in range(6)]]
    assert engine.calls["examiner"] == 3
    assert all(quiz == made[0] for quiz in made)


def test_a_question_that_fails_with_the_document_at_hand_is_dropped(tmp_path: Path) -> None:
    plan = {"examiner": {"quiz": QUIZ}, "examinee.open_book": wrong_about_hall_90}
    with planted(plan):
        kept = Examiner(FEW)(halls())
    assert [q.question for q in kept.dropped] == [QUIZ[2].question]
    quiz = kept.draw(FEW)
    assert len(quiz.quiz.questions) == 2
    assert quiz.missing == QuestionCounts(multiple_choice=0, true_false=0, short_answer=1)
    assert quiz.shortage == (
        "the quiz has 2 of 3 questions (missing: 1 short answer), since 1 failed with the document at hand"
    )


def test_a_question_without_evidence_in_the_document_is_dropped() -> None:
    invented = question(3).model_copy(update={"evidence": "The keeper sold every lamp that he had in spring."})
    with planted({"examiner": {"quiz": [*QUIZ[:2], invented]}}):
        kept = Examiner(FEW)(halls())
    assert [q.question for q in kept.dropped] == [invented.question]


def test_a_question_that_is_answered_right_without_any_text_is_left_out_and_counted() -> None:
    known = {"sheet": {"answers": [{"number": 2, "answer": "true"}, {"number": 3, "answer": NOT_KNOWN}]}}
    with planted({"examiner": {"quiz": QUIZ}, "examinee.blind": known}) as engine:
        pool = Examiner(FEW)(halls())
    assert not [asked for asked in engine.of("examinee.blind") if halls().text in asked.text]
    assert [q.question for q in pool.known] == [QUIZ[1].question]
    assert [q.question for q in pool.questions] == [QUIZ[0].question, QUIZ[2].question]
    assert pool.blind_rate == pytest.approx(1 / 3)
    assert pool.draw(FEW).shortage.endswith("since 1 needed no text to be answered")


def test_open_answers_of_all_checks_are_graded_in_one_call() -> None:
    def graded(asked: Asked) -> dict[str, object]:
        given = [(item["number"], item["given"]) for item in json.loads(asked["given"])]
        assert given == [(1, "some from the evidence"), (2, "some at hand"), (3, "some by heart")]
        return {"marks": {"grades": [{"number": n, "correct": n == 1} for n in (1, 2, 3)]}}

    def reader(asked: Asked) -> dict[str, object]:
        where = "at hand" if halls().text in asked.text else "from the evidence"
        return {"sheet": {"answers": [{"number": 1, "answer": f"some {where}"}]}}

    blind = {"sheet": {"answers": [{"number": 1, "answer": "some by heart"}]}}
    asked_about = question(5, section="part 1 of 5")
    with planted({"examinee.open_book": reader, "examinee.blind": blind, "grader": graded}) as engine:
        with_document, without_text = Examinee().check([asked_about], [halls()])
    assert with_document.holds == {asked_about: True}
    assert without_text.holds == {asked_about: False}
    assert engine.calls == {"examinee.open_book": 2, "examinee.blind": 1, "grader": 1}


def test_the_pool_takes_one_call_a_kind_and_two_checks() -> None:
    with planted({"examiner": {"quiz": [question(n, kind) for kind in KINDS for n in range(2, 92, 6)]}}) as engine:
        pool = Examiner()(halls())
    assert len(pool.questions) == POOL.total
    assert engine.calls == {"examiner": 3, "examinee.open_book": 1, "examinee.blind": 1}


def test_a_document_about_which_no_question_holds_has_no_quiz() -> None:
    invented = [q.model_copy(update={"evidence": "Nobody knows what is said in this sentence."}) for q in QUIZ]
    with planted({"examiner": {"quiz": invented}}), pytest.raises(UnusableReply, match="no question"):
        Examiner(FEW)(halls())


def test_another_edition_asks_for_another_pool(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}) as engine:
        for edition in (0, 1):
            QuizShelf(tmp_path, Examiner(FEW, edition, side_by_side=False)).pool_about(halls())
    first, second = engine.of("examiner")
    assert first.text != second.text


@pytest.mark.parametrize("role", ["examiner", "examinee.open_book", "examinee.blind", "grader"])
def test_whoever_makes_or_checks_the_quiz_makes_it_another_edition(role: str) -> None:
    with session("offline", cache_dir=""):
        usual = Examiner(FEW).fingerprint
    with session("offline", roles={role: "offline:seed=1"}, cache_dir=""):
        assert Examiner(FEW).fingerprint != usual
    checkers = {"examinee.open_book": "offline", "examinee.blind": "offline"}
    with session("offline", roles={"examinee": "offline:seed=1", **checkers}, cache_dir=""):
        assert Examiner(FEW).fingerprint == usual  # who sits it has no part in it


def test_what_is_no_quiz_is_one_line(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": QUIZ}}):
        QuizShelf(tmp_path, Examiner(FEW)).pool_about(halls())
        (kept,) = tmp_path.glob("*.json")
        kept.write_text(json.dumps({"questions": []}))
        with pytest.raises(DataError, match=r"not a pool of questions \(document: Field required\); remove it"):
            QuizShelf(tmp_path, Examiner(FEW)).pool_about(halls())


def test_the_examiner_is_not_asked_what_any_quiz_writer_of_summq_is_asked() -> None:
    writers = [p.signature for name, p in SummQ.preset("combo").named_predictors() if "quiz_generators" in name]
    assert all(Examiner(FEW).draft.signature.instructions != signature.instructions for signature in writers)


@pytest.mark.slow
def test_offline_the_quiz_is_complete_and_the_same_every_time() -> None:
    with session("offline", cache_dir=""):
        made = [Examiner(QuestionCounts())(load_document(HARBOUR)) for _ in range(2)]
    assert made[0].questions == made[1].questions
    assert len(made[0].questions) + len(made[0].dropped) == 30


def pool_of(*halls_asked: int) -> QuestionPool:
    questions = [
        question(hall, kind).model_copy(update={"section": f"part {1 + hall // 25} of 4"})
        for kind in KINDS
        for hall in halls_asked
    ]
    return QuestionPool(document="d", title="", made_by=["m"], wanted=POOL, questions=questions, dropped=[])


def test_a_seed_draws_the_same_questions_and_another_seed_others() -> None:
    pool = pool_of(*range(2, 98, 8))
    wanted = QuestionCounts(multiple_choice=2, true_false=2, short_answer=1)
    one, same, other = (pool.draw(wanted, seed) for seed in (0, 0, 1))
    assert one == same != other
    assert Counter(q.kind for q in one.quiz.questions) == {"multiple_choice": 2, "true_false": 2, "short_answer": 1}
    assert not one.missing.total


@pytest.mark.slow
def test_every_question_of_the_pool_has_the_same_chance_however_many_are_drawn() -> None:
    pool = pool_of(1, 2, 3, 4, 5, 90)  # nearly all in the first quarter
    for number in (1, 2, 4):
        wanted = QuestionCounts(multiple_choice=number, true_false=0, short_answer=0)
        drawn = Counter(q.question for seed in range(3000) for q in pool.draw(wanted, seed).quiz.questions)
        assert len(drawn) == 6
        assert all(count / 3000 == pytest.approx(number / 6, abs=0.035) for count in drawn.values())


def test_what_is_drawn_is_spread_over_the_document() -> None:
    pool = pool_of(2, 10, 18, 26, 34, 42, 50, 58, 66, 76, 84, 92)
    for seed in range(20):
        quiz = pool.draw(QuestionCounts(multiple_choice=4, true_false=0, short_answer=0), seed).quiz
        assert {q.section for q in quiz.questions} == {f"part {part} of 4" for part in (1, 2, 3, 4)}


def test_few_and_many_questions_are_drawn_from_one_pool() -> None:
    few = QuestionCounts(multiple_choice=2, true_false=2, short_answer=1)
    assert pool_for(few) == pool_for(QuestionCounts()) == POOL
    assert pool_for(QuestionCounts(multiple_choice=20)).multiple_choice == 20


@pytest.mark.slow
def test_processes_that_ask_at_once_make_one_pool(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from summq.programs.documents import load_document\n"
        "from summq.programs.examiner import POOL, Examiner, QuestionPool, QuizShelf, pool_for\n"
        "from summq.programs.runtime.session import session\n"
        "with session('offline', cache_dir='') as s:\n"
        "    QuizShelf(Path(sys.argv[2]), Examiner()).pool_about(load_document(sys.argv[1]))\n"
        "print(s.meter.usage().calls)\n"
    )
    command = [sys.executable, "-c", script, str(HARBOUR), str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    calls = [int(process.communicate()[0]) for process in processes]
    assert sorted(calls)[:2] == [0, 0]
    assert max(calls) > 0
    assert len(list(tmp_path.glob("*.json"))) == 1
