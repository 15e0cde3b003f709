"""Algorithm 1: both streams, the exam, who is to blame, feedback, and when it stops."""

import json
import re
from collections.abc import Callable
from typing import Any

import dspy
import pytest
from dspy.lm15 import TimeoutError

from summq.programs import SummQ, SummQConfig
from summq.programs.errors import AgentsLost, BudgetSpent, DocumentError, ShortDocument
from summq.programs.summq import complete
from summq.signatures import KINDS, NOT_KNOWN, FailedQuestion, Issue, Iteration, QuestionCounts, SummQResult
from tests.planted import GARBLED, Asked, Outputs, Plan, Planted, found, halls, issue, planted, question, stands

SIX = dict.fromkeys(KINDS, 2)
BLANK = "not in the summary"


def run(plan: Plan | None = None, preset: str = "solo", **options: Any) -> tuple[SummQResult, Planted]:
    """A run with six questions, in which nobody counts the words of summaries."""
    with planted(plan, max_calls=options.pop("max_calls", None)) as engine:
        program = SummQ.preset(preset, **{"questions": SIX, "check_length": False, **options})
        return program(document=halls()).result, engine


def answering(**changed: str) -> Callable[[Asked], Outputs]:
    """An examinee who answers everything right but for the questions named by number (`q3="wrong"`)."""

    def answer(asked: Asked) -> Outputs:
        sheet = json.loads(asked["questions"])
        given = {f"q{item['number']}": key_of(item) for item in sheet} | changed
        return {"sheet": {"answers": [{"number": name, "answer": text} for name, text in given.items()]}}

    return answer


def key_of(item: dict[str, Any]) -> str:
    hall = int(re.findall(r"hall (\d+)", item["question"])[0])
    return "true" if item["kind"] == "true_false" else str(1000 + 7 * hall)


def numbered_drafts(asked: Asked) -> Outputs:
    """Drafts that differ from round to round."""
    return {"summary": f"{asked['previous']} More."}


def test_solo_is_one_of_each() -> None:
    result, engine = run()
    assert set(engine.calls.values()) == {1}
    assert engine.calls.keys() == {
        "summary_generator.draft",
        "quiz_generator.draft",
        "summary_reviewer.review",
        "quiz_reviewer.review",
        "examinee",
        "examinee.open_book",
        "examinee.blind",
    }
    config = SummQConfig.preset("solo")
    agents = (config.summary_generators, config.summary_reviewers, config.quiz_generators, config.quiz_reviewers)
    assert agents == (1, 1, 1, 1)
    assert (result.summary, result.returned, result.stop_reason) == ("Summary by 0.", 0, "no_feedback")


def test_combo_is_three_of_each() -> None:
    config = SummQConfig.preset("combo")
    agents = (config.summary_generators, config.summary_reviewers, config.quiz_generators, config.quiz_reviewers)
    assert agents == (3, 3, 3, 3)
    assert (config.max_iterations, config.debate_rounds) == (3, 1)
    assert config.questions == QuestionCounts(multiple_choice=10, true_false=10, short_answer=10)


def test_summary_and_quiz_are_reviewed_against_each_other() -> None:
    result, engine = run()
    assert result.quiz is not None
    (of_summary,) = engine.of("summary_reviewer.review")
    (of_quiz,) = engine.of("quiz_reviewer.review")
    assert of_summary["summary"] == of_quiz["summary"] == "Summary by 0."
    assert [item["question"] for item in json.loads(of_summary["questions"])] == [
        q.question for q in result.quiz.questions
    ]
    assert json.loads(of_quiz["quiz"]) == result.quiz.model_dump(mode="json")


def test_feedback_of_reviewers_and_examinee_reaches_the_next_summary() -> None:
    fault = issue("lamps", "factual_error", "There are more.")
    plan = {
        "summary_reviewer.review": [found(fault), found()],
        "examinee": [answering(q5=BLANK), answering()],
    }
    result, engine = run(plan)
    (asked,) = engine.of("summary_generator.revise")
    assert asked["previous"] == "Summary by 0."
    shown = json.loads(asked["feedback"])
    assert shown == [Issue(**i.model_dump()).model_dump() for i in result.iterations[0].summary_feedback]
    assert shown[0] == fault.model_dump()
    assert result.quiz is not None
    assert shown[1]["target"] == result.quiz.questions[4].question
    assert "part" in shown[1]["fix"]
    assert [i.exam.accuracy for i in result.iterations if i.exam] == [pytest.approx(5 / 6), 1]
    assert result.stop_reason == "no_feedback"


def test_feedback_on_the_quiz_reaches_its_next_writer_only() -> None:
    plan = {"quiz_reviewer.review": [found(issue("2", "ambiguous")), found()]}
    result, engine = run(plan)
    (asked,) = engine.of("quiz_generator.revise")
    assert [i["target"] for i in json.loads(asked["feedback"])] == ["2"]
    assert "summary_generator.revise" not in engine.calls
    first, second = (i.quiz.questions for i in result.iterations if i.quiz)
    assert second[1] != first[1]
    assert [q for q in second if q in first] == [q for q in first if q != first[1]]


def test_what_nobody_criticised_stays_without_a_call_unless_every_call_is_made() -> None:
    plan = {"quiz_reviewer.review": [found(issue("2", "ambiguous")), found()]}
    result, _ = run(plan)
    assert result.iterations[1].summary_generation.decided_by == "kept"
    assert result.savings == {"keep_uncriticised": 1}
    result, engine = run(plan, paper_faithful=True)
    assert engine.calls["summary_generator.revise"] == 1
    assert result.savings == {}


def test_a_failed_question_is_the_summarys_fault_unless_the_quiz_is_shown_to_be() -> None:
    plan = {
        "examinee": answering(q1=BLANK, q2=BLANK, q3=BLANK, q4=BLANK),
        "examinee.open_book": answering(q2="wrong", q3="x"),
        "quiz_reviewer.review": found(issue("4", "ambiguous")),
    }
    result, _ = run(plan, max_iterations=1)
    (iteration,) = result.iterations
    assert iteration.exam is not None
    assert [a.blame for a in iteration.exam.answers] == ["summary", "summary", "summary", "quiz", None, None]
    # "wrong" and "x" are no option and neither true nor false: unscored, so they show nothing about the quiz
    plan["examinee.open_book"] = [answering(q2=BLANK, q3="false"), answering(q1=BLANK, q2="false")]
    result, _ = run(plan, max_iterations=1)
    (iteration,) = result.iterations
    assert iteration.exam is not None
    assert [a.blame for a in iteration.exam.answers] == ["summary", "quiz", "quiz", "quiz", None, None]
    questions = [a.question for a in iteration.exam.answers]
    assert [i.target for i in iteration.summary_feedback] == questions[:1]
    assert [(i.kind, i.target) for i in iteration.quiz_feedback] == [
        ("failed_question", "2"),
        ("failed_question", "3"),
        ("failed_question", "4"),
        ("ambiguous", "4"),
    ]


def test_a_length_that_is_still_off_is_in_the_result_and_in_the_papers_reading_nobody_counts() -> None:
    result, engine = run(check_length=True, target_words=50, max_iterations=1)
    assert engine.calls["summary_generator.revise"] == 1
    assert result.wanted_words == 50
    _, engine = run(paper_faithful=True, check_length=SummQConfig.preset("solo", paper_faithful=True).check_length)
    assert "summary_generator.revise" not in engine.calls


def test_a_failed_question_tells_the_writer_its_kind_and_what_to_say_but_never_the_key() -> None:
    result, engine = run({"examinee": [answering(q1=BLANK, q3=BLANK, q5="17"), answering()]})
    assert result.quiz is not None
    first = result.iterations[0]
    told = {i.question_kind: i for i in first.summary_feedback if isinstance(i, FailedQuestion)}
    assert {kind: i.question_number for kind, i in told.items()} == dict(zip(KINDS, (1, 3, 5), strict=True))
    assert told["true_false"].fix.startswith("The statement may be true or false: say what the document says about it")
    assert told["short_answer"].fix.startswith("Say what the document says about this (see part ")
    (asked,) = engine.of("summary_generator.revise")
    for number, failed in ((1, told["multiple_choice"]), (5, told["short_answer"])):
        key = result.quiz.questions[number - 1].answer
        assert key not in failed.model_dump_json()
        assert key not in asked["feedback"]
    for word in ("missing", "omission", "lacks"):
        assert word not in told["true_false"].model_dump_json()


def test_the_examinee_reaches_both_streams_in_the_papers_reading() -> None:
    plan = {
        "examinee": answering(q1=BLANK, q4="false", q5="17"),
        "quiz_reviewer.review": found(issue("5", "ambiguous")),
    }
    result, _ = run(plan, paper_faithful=True, max_iterations=1)
    (iteration,) = result.iterations
    assert iteration.exam is not None
    assert [a.blame for a in iteration.exam.answers] == ["summary", None, None, "both", "quiz", None]
    failed = [[i.question_number for i in told if isinstance(i, FailedQuestion)] for told in feedback_of(iteration)]
    assert failed == [[1, 4], [4, 5]]


def feedback_of(iteration: Iteration) -> list[list[Any]]:
    return [list(iteration.summary_feedback), list(iteration.quiz_feedback)]


def test_what_is_known_without_any_text_is_trivial_and_counts_for_nothing() -> None:
    plan = {
        "examinee": answering(q1=BLANK),
        "examinee.blind": lambda asked: answering(**{f"q{n}": NOT_KNOWN for n in (1, 2, 4, 6)})(asked),
    }
    result, engine = run(plan, max_iterations=1)
    (iteration,) = result.iterations
    (asked,) = engine.of("examinee.blind")
    assert "hall" in asked["questions"]
    assert halls().text not in asked.text
    assert "Summary by 0." not in asked.text
    assert [(i.kind, i.target) for i in iteration.quiz_feedback] == [("trivial", "3"), ("trivial", "5")]
    assert result.exam is not None
    assert [answer.known for answer in result.exam.answers] == [False, False, True, False, True, False]
    assert result.exam.accuracy == pytest.approx(3 / 4)
    assert result.exam.blind_rate == pytest.approx(2 / 6)


def test_a_question_is_tried_without_any_text_once_a_run_and_never_in_the_papers_reading() -> None:
    plan = {"quiz_reviewer.review": [found(issue("2", "ambiguous")), found()]}
    _, engine = run(plan)
    assert [len(json.loads(asked["questions"])) for asked in engine.of("examinee.blind")] == [6, 1]
    result, engine = run(plan, paper_faithful=True)
    assert "examinee.blind" not in engine.calls
    assert result.exam is not None
    assert result.exam.blind_rate is None


def test_feedback_is_ordered_by_gravity_and_cut_to_what_a_revision_can_hold() -> None:
    issues = [
        issue("a", "redundancy"),
        issue("b", "incoherence"),
        issue("c", "factual_error"),
        issue("c", "factual_error"),
    ]
    plan = {
        "summary_reviewer.review": [found(*issues), found()],
        "examinee": [answering(q1=BLANK, q2=BLANK), answering()],
    }
    result, engine = run(plan, target_words=100)
    first = result.iterations[0]
    assert [i.kind for i in first.summary_feedback] == [
        "factual_error",
        "failed_question",
        "failed_question",
        "incoherence",
    ]
    assert [i.kind for i in first.unused_feedback] == ["redundancy"]
    (asked,) = engine.of("summary_generator.revise")
    assert len(json.loads(asked["feedback"])) == 4
    result, _ = run(plan, target_words=400)
    assert result.iterations[0].unused_feedback == []


def test_a_question_is_tried_with_the_document_once_a_run() -> None:
    plan = {"quiz_reviewer.review": [found(issue("2", "ambiguous")), found()]}
    result, engine = run(plan)
    first, second = (json.loads(asked["questions"]) for asked in engine.of("examinee.open_book"))
    assert len(first) == 6
    assert result.quiz is not None
    assert [item["question"] for item in second] == [result.quiz.questions[1].question]


def test_without_verification_no_question_is_tried_with_the_document() -> None:
    result, engine = run({"examinee": answering(q1=BLANK)}, verify_quiz=False, max_iterations=1)
    assert "examinee.open_book" not in engine.calls
    assert result.exam is not None
    assert result.exam.answers[0].blame == "summary"


def test_evidence_that_is_not_in_the_document_is_feedback_without_any_reviewer() -> None:
    def unproven(asked: Asked) -> Outputs:
        kinds = [kind for kind in KINDS for _ in range(2)]
        return {
            "quiz": [
                {**question(k, kind).model_dump(), "evidence": "The moon rose."} for k, kind in enumerate(kinds, 1)
            ]
        }

    result, _ = run({"quiz_generator.draft": unproven}, max_iterations=1)
    assert [issue.explanation for issue in result.iterations[0].quiz_feedback] == [
        "The quoted evidence is not in the document."
    ] * 4  # a statement that says nothing of what its evidence says is dropped at once


@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_stops_at_the_last_iteration(iterations: int) -> None:
    plan = {"summary_reviewer.review": found(issue()), "summary_generator.revise": numbered_drafts}
    result, _ = run(plan, max_iterations=iterations)
    assert (result.stop_reason, len(result.iterations)) == ("max_iterations", iterations)
    assert result.summary == "Summary by 0." + " More." * (iterations - 1)


@pytest.mark.parametrize("iterations", [1, 2])
def test_by_economy_the_last_iteration_is_examined_and_not_reviewed(iterations: int) -> None:
    plan: Plan = {"examinee": answering(q1=BLANK), "summary_generator.revise": numbered_drafts}
    options: dict[str, Any] = {"max_iterations": iterations, "accept_accuracy": 0.1, "economy": ["no_last_review"]}
    result, engine = run({**plan, "summary_reviewer.review": found(issue())}, **options)
    assert (
        engine.calls.get("summary_reviewer.review", 0) == engine.calls.get("quiz_reviewer.review", 0) == iterations - 1
    )
    assert engine.calls["examinee"] == iterations
    assert (result.stop_reason, len(result.iterations)) == ("max_iterations", iterations)
    assert result.savings["no_last_review"] == 2


def test_stops_when_nobody_has_anything_to_say() -> None:
    result, _ = run({"summary_reviewer.review": [found(issue()), found()]})
    assert (result.stop_reason, len(result.iterations)) == ("no_feedback", 2)


@pytest.mark.parametrize(("bar", "reason"), [(0.8, "accepted"), (0.9, "max_iterations"), (None, "max_iterations")])
def test_stops_when_the_exam_is_good_enough_and_no_issue_is_left(bar: float | None, reason: str) -> None:
    plan = {"examinee": answering(q1=BLANK), "summary_generator.revise": numbered_drafts}
    result, _ = run(plan, accept_accuracy=bar)
    assert result.stop_reason == reason


def test_a_good_exam_does_not_outweigh_issues() -> None:
    plan = {"summary_reviewer.review": found(issue()), "summary_generator.revise": numbered_drafts}
    result, _ = run(plan, accept_accuracy=0.1)
    assert result.stop_reason == "max_iterations"


def test_stops_when_nothing_changes() -> None:
    plan = {"summary_reviewer.review": found(issue()), "summary_generator.revise": {"summary": "Summary by 0."}}
    result, _ = run(plan)
    assert (result.stop_reason, len(result.iterations)) == ("unchanged", 2)
    result, _ = run(plan, paper_faithful=True)
    assert result.stop_reason == "max_iterations"


def test_an_exam_that_nobody_sat_ends_nothing() -> None:
    result, _ = run({"examinee": [*[GARBLED] * 6, answering()]})
    assert [i.exam.accuracy for i in result.iterations if i.exam] == [None, 1]
    assert result.stop_reason == "no_feedback"


@pytest.mark.parametrize("max_calls", [7, 8, 10])
def test_a_budget_that_ends_within_an_iteration_gives_the_one_before(max_calls: int) -> None:
    plan = {"summary_reviewer.review": found(issue()), "summary_generator.revise": numbered_drafts}
    result, engine = run(plan, max_calls=max_calls)
    assert (result.stop_reason, result.returned, result.summary) == ("budget", 0, "Summary by 0.")
    assert len(engine.asked) == result.usage.calls == max_calls


def test_what_a_budget_has_cut_short_is_not_to_be_measured() -> None:
    whole, cut = (run(preset="combo", reviews=False, quiz_stream=False, max_calls=calls)[0] for calls in (20, 4))
    assert complete(dspy.Prediction(result=whole)).result is whole
    assert cut.summary  # there is one, but it is only the first draft
    with pytest.raises(BudgetSpent, match="stopped within a document"):
        complete(dspy.Prediction(result=cut))


@pytest.mark.parametrize("max_calls", [4, 5])
def test_a_budget_that_ends_after_the_first_draft_gives_it_unexamined(max_calls: int) -> None:
    result, engine = run(max_calls=max_calls)
    assert (result.stop_reason, result.summary, result.exam) == ("budget", "Summary by 0.", None)
    assert len(engine.asked) == result.usage.calls == max_calls


def test_a_budget_that_ends_before_there_is_a_summary_ends_the_run() -> None:
    with pytest.raises(BudgetSpent):
        run({"summary_generator.draft": [GARBLED, GARBLED]}, max_calls=1, quiz_stream=False)


def test_a_budget_ends_a_combo_run_in_order_too() -> None:
    plan = {
        "summary_reviewer.review": found(issue()),
        "summary_reviewer.debate": stands(default=True),
        "summary_reviewer.verdict": stands(default=True),
        "summary_generator.revise": numbered_drafts,
    }
    result, _ = run(plan, "combo", max_calls=28)
    assert result.stop_reason == "budget"
    assert result.summary in ("Aggregate.", "Summary by 0.")


@pytest.mark.parametrize(("max_calls", "summary", "examined"), [(7, "Summary by 0.", True), (8, "Rewritten.", False)])
def test_a_budget_that_ends_at_the_rewrite_gives_what_there_is(max_calls: int, summary: str, examined: bool) -> None:
    result, _ = run(rewrite=True, max_calls=max_calls)
    assert (result.stop_reason, result.summary) == ("budget", summary)
    assert (result.exam is not None) == examined


def test_returns_the_last_or_the_best_summary() -> None:
    def examinee(asked: Asked) -> Any:
        wrong: dict[str, str] = {"Summary by 0.": {"q1": BLANK}, "Summary by 0. More.": {}}.get(
            asked["summary"], {"q1": BLANK, "q2": BLANK}
        )
        return answering(**wrong)(asked)

    plan = {
        "examinee": examinee,
        "summary_reviewer.review": found(issue()),
        "summary_generator.revise": numbered_drafts,
    }
    last, _ = run(plan)
    assert (last.returned, last.summary) == (2, "Summary by 0. More. More.")
    assert last.exam == last.iterations[2].exam
    best, engine = run(plan, return_iteration="best")
    assert (best.returned, best.summary) == (1, "Summary by 0. More.")
    assert best.exam is not None
    assert best.exam.accuracy == 1
    assert engine.calls["examinee"] == 6


def test_combo_r_ends_with_a_rewrite_that_sits_the_quiz() -> None:
    result, engine = run({"examinee": [answering(), answering(q1=BLANK)]}, "combo_r", rewrite_words=120)
    (asked,) = engine.of("rewriter")
    assert (asked["target_words"], asked["summary"]) == ("120", result.iterations[-1].summary)
    assert (result.summary, result.rewritten) == ("Rewritten.", True)
    assert result.exam is not None
    assert result.exam.accuracy == pytest.approx(5 / 6)


def test_a_lost_rewriter_leaves_the_summary_as_it_was() -> None:
    result, _ = run({"rewriter": GARBLED}, rewrite=True)
    assert (result.summary, result.rewritten) == ("Summary by 0.", False)
    assert result.exam == result.iterations[-1].exam
    assert [lost.role for lost in result.lost] == ["rewriter"]


def test_the_ablation_has_neither_quiz_nor_exam() -> None:
    plan = {"summary_reviewer.review": [found(issue()), found()], "summary_generator.revise": numbered_drafts}
    result, engine = run(plan, quiz_stream=False)
    assert (result.quiz, result.exam, result.stop_reason) == (None, None, "no_feedback")
    assert not [role for role in engine.calls if "quiz" in role or "examinee" in role]
    assert [asked["questions"] for asked in engine.of("summary_reviewer.review")] == ["[]", "[]"]


def test_whoever_is_lost_in_an_iteration_is_named() -> None:
    plan = {
        "summary_generator.draft#1": TimeoutError("slow"),
        "quiz_reviewer.review#2": GARBLED,
        "examinee.open_book": GARBLED,
    }
    result, _ = run(plan, "combo", max_iterations=1)
    (iteration,) = result.iterations
    assert [lost.member for lost in iteration.summary_generation.lost] == [1]
    assert iteration.quiz_review is not None
    assert [lost.member for lost in iteration.quiz_review.lost] == [2]
    assert [lost.role for lost in iteration.lost] == ["examinee.open_book"]


@pytest.mark.parametrize("role", ["summary_generator.draft", "quiz_generator.draft", "summary_reviewer.review"])
def test_a_component_that_is_lost_ends_the_run(role: str) -> None:
    with pytest.raises(AgentsLost, match=role.partition(".")[0]):
        run({role: GARBLED})


@pytest.mark.slow
def test_a_document_no_longer_than_its_summary_is_to_be_is_warned_of() -> None:
    with planted(), pytest.warns(ShortDocument, match="has 3 words, no more than the 400 that its summary is to have"):
        SummQ()(document="The ferry sank.")


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_document_is_an_error(text: str) -> None:
    with planted() as engine, pytest.raises(DocumentError, match="empty"):
        SummQ()(document=text)
    assert not engine.asked


@pytest.mark.slow
def test_the_result_reads_back_what_it_writes() -> None:
    plan = {
        "summary_reviewer.review#0": found(issue("hall 1")),
        "summary_reviewer.debate": stands(default=True),
        "examinee": answering(q1=BLANK),
    }
    result, _ = run(plan, "combo")
    written = result.model_dump_json(by_alias=True)
    assert SummQResult.model_validate_json(written) == result
    read = json.loads(written)
    assert read["schema"] == 1
    assert read["exam"]["accuracy"] == pytest.approx(5 / 6)
    first = read["iterations"][0]
    assert first["summary_review"]["arguments"][0]["argument"] == "Said by 0."
    assert first["quiz_generation"]["drafts"][2]["questions"][0]["kind"] == "multiple_choice"
    assert {vote["shown_first"] for vote in first["summary_generation"]["votes"]} == {"aggregate", "best"}


def test_the_prediction_has_the_parts_of_the_result() -> None:
    with planted():
        prediction = SummQ.preset("solo", questions=SIX)(document=halls().text)
    result = prediction.result
    assert (prediction.summary, prediction.quiz, prediction.exam) == (result.summary, result.quiz, result.exam)
