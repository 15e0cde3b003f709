"""The exam as a metric: every summary of a document sits the same quiz; unscored is not wrong."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from summq.eval.data import Row
from summq.eval.metrics import Metric, MetricOptions, make_metric
from summq.eval.metrics.exam import examine
from summq.programs.examine import Examinee
from summq.programs.runtime.session import session
from summq.signatures import KINDS, QuestionCounts, Quiz
from tests.planted import GARBLED, Asked, halls, lamps, planted, question

FEW = QuestionCounts(multiple_choice=1, true_false=1, short_answer=1)
DRAFT = [question(hall, kind) for kind in KINDS for hall in (3, 90)]
ROW = Row("halls", halls())


def metric(folder: Path) -> Metric:
    return make_metric("exam", MetricOptions(quizzes=folder, questions=FEW))


def knows(*right: str) -> Callable[[Asked], dict[str, object]]:
    """Right about questions of these kinds, and says that it is not told about all others."""

    def answer(asked: Asked) -> dict[str, object]:
        items = json.loads(asked["questions"])
        key = {"multiple_choice": lamps, "true_false": lambda hall: "true", "short_answer": lamps}
        said = {
            item["number"]: str(key[item["kind"]](int(re.findall(r"hall (\d+)", item["question"])[0])))
            if item["kind"] in right
            else "not in the summary"
            for item in items
        }
        return {"sheet": {"answers": [{"number": n, "answer": text} for n, text in said.items()]}}

    return answer


def test_the_score_is_the_share_of_right_answers(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": DRAFT}, "examinee": knows("multiple_choice")}) as engine:
        score = metric(tmp_path).score("In hall 3 there are lamps.", ROW)
    assert score.values["exam"] == pytest.approx(1 / 3)
    assert score.values["exam_corrected"] == pytest.approx((1 + 0 + 0) / 3)
    assert score.details["not_in_summary"] == 2
    (sat,) = [a for a in engine.asked if a.role == "examinee"]
    assert "In hall 3 there are lamps." in sat.text
    assert "keeper found" not in sat.text.replace("In hall 3 there are lamps.", "")


def test_all_summaries_of_a_document_sit_the_same_quiz(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": DRAFT}}) as engine:
        one = metric(tmp_path)
        one.score("One.", ROW)
        made = engine.calls["examiner"]
        one.score("Other.", ROW)
        metric(tmp_path).score("Another run.", ROW)
    assert engine.calls["examiner"] == made > 0
    assert len({asked["questions"] for asked in engine.asked if asked.role == "examinee"}) == 1


def test_no_readable_answer_is_unscored(tmp_path: Path) -> None:
    with planted({"examiner": {"quiz": DRAFT}, "examinee": GARBLED}):
        score = metric(tmp_path).score("A summary.", ROW)
    assert score.values == {"exam": None, "exam_corrected": None}
    assert score.reason == "no answer could be scored"


def test_no_quiz_is_unscored_and_tried_again(tmp_path: Path) -> None:
    with planted({"examiner": GARBLED}):
        score = metric(tmp_path).score("A summary.", ROW)
    assert score.values["exam"] is None
    assert str(score.reason).startswith("no quiz: examiner")
    with planted({"examiner": {"quiz": DRAFT}}):
        assert metric(tmp_path).score("A summary.", ROW).values["exam"] == 1.0


def test_offline_the_document_itself_passes_and_an_empty_summary_fails(tmp_path: Path) -> None:
    text = Path(__file__).resolve().parents[3] / "examples" / "harbour.md"
    row = Row("harbour", halls().model_copy(update={"text": text.read_text()}))
    with session("offline", cache_dir=""):
        exam = metric(tmp_path)
        whole, lead, nothing = (
            exam.score(t, row).values["exam"] for t in (row.document.text, row.document.text[:900], "")
        )
    assert whole == 1.0
    assert nothing == 0.0
    assert lead is not None
    assert 0.0 <= lead < 1.0


def test_the_score_weighs_kinds_the_same_however_many_questions_each_has() -> None:
    halls = (10, 30, 50, 70, 90)
    quiz = Quiz(questions=[question(3, "multiple_choice"), *(question(hall, "true_false") for hall in halls)])
    with planted({"examinee": knows("multiple_choice")}):
        (one,) = examine(Examinee(open_book=False), [quiz], ["A summary."])
    assert one.exams[0].accuracy == pytest.approx(1 / 6)
    assert one.exams[0].score == one.score.mean == pytest.approx(1 / 2)
    assert one.score.low is not None
    assert one.score.high is not None
    assert 0 <= one.score.low < 0.5 < one.score.high <= 1


def test_several_summaries_cost_a_call_each_and_one_for_all_open_answers() -> None:
    quiz = Quiz(questions=[question(3, "multiple_choice"), question(90)])
    answer = {"sheet": {"answers": [{"number": 1, "answer": lamps(3)}, {"number": 2, "answer": "some"}]}}
    marks = {"marks": {"grades": [{"number": number, "correct": number == 4} for number in (2, 4, 6)]}}
    with planted({"examinee": answer, "grader": marks}) as engine:
        taken = examine(Examinee(open_book=False), [quiz], ["One.", "Two.", "Three."])
    assert dict(engine.calls) == {"examinee": 3, "grader": 1}
    assert [one.exams[0].accuracy for one in taken] == [0.5, 1.0, 0.5]


def test_answers_that_a_reply_leaves_out_are_asked_for_once_more() -> None:
    quiz = Quiz(questions=[question(hall, "true_false") for hall in (3, 50, 90)])

    def forgetful(asked: Asked) -> dict[str, object]:
        number = json.loads(asked["questions"])[0]["number"]
        return {"sheet": {"answers": [{"number": number, "answer": "true"}]}}

    with planted({"examinee": forgetful}) as engine:
        exam = Examinee(open_book=False)(quiz=quiz, summary="A summary.").exam
    assert engine.calls["examinee"] == 2
    assert [answer.correct for answer in exam.answers] == [True, True, None]
