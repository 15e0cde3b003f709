"""The craft of quizzes."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from summq.programs.coverage import part_of
from summq.programs.errors import AgentsLost
from summq.programs.generate import Generate
from summq.programs.quiz_craft import QUIZ, QuizBrief, QuizDraft, named_questions, shortage, uncriticised
from summq.signatures import KINDS, Generation, Question, QuestionCounts, Quiz
from tests.planted import GARBLED, Asked, Outputs, Plan, Planted, halls, issue, planted, question, wanted_quiz

WANTED = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
BRIEF = QuizBrief(halls(), WANTED)
SIX = Quiz(questions=[question(10 * k, KINDS[k // 2], section=f"part {1 + k // 2} of 5") for k in range(6)])


def generated(plan: Plan, *arguments: Any, agents: int = 1, cache: bool = False) -> tuple[Generation[Quiz], Planted]:
    with planted(plan, cache=cache) as engine:
        return Generate(QUIZ, agents)(BRIEF, *arguments), engine


def quiz_of(*questions: Question | dict[str, Any]) -> Outputs:
    return {"quiz": {"questions": [q.model_dump() if isinstance(q, Question) else q for q in questions]}}


def kinds(quiz: Quiz) -> dict[str, int]:
    return dict(Counter(q.kind for q in quiz.questions))


def test_a_quiz_has_as_many_questions_of_each_kind_as_wanted() -> None:
    generation, engine = generated({})
    assert kinds(generation.chosen) == WANTED.model_dump()
    assert engine.calls == {"quiz_generator.draft": 1}
    assert all(part_of(q) for q in generation.chosen.questions)


def test_a_faulty_question_costs_one_question_and_is_asked_for_again() -> None:
    faulty = question(1, "multiple_choice", options=["one", "two"])

    def draft(asked: Asked) -> Outputs:
        written = wanted_quiz(asked)
        return quiz_of(faulty, *written[1:]) if len(written) == 6 else quiz_of(*written)

    generation, engine = generated({"quiz_generator.draft": draft})
    assert kinds(generation.chosen) == WANTED.model_dump()
    again = engine.asked[1]
    assert json.loads(again["wanted"]) == {"multiple_choice": 1, "true_false": 0, "short_answer": 0}
    assert len(json.loads(again["present"])) == 5
    assert sum(quota["questions"] for quota in json.loads(again["spread"])) == 1


def test_asking_again_is_not_answered_from_the_cache() -> None:
    generation, engine = generated({"quiz_generator.draft": [quiz_of(), wanted_and_more]}, cache=True)
    assert kinds(generation.chosen) == WANTED.model_dump()
    assert engine.calls == {"quiz_generator.draft": 2}


def wanted_and_more(asked: Asked) -> Outputs:
    return quiz_of(*wanted_quiz(asked), *[question(hall) for hall in range(1, 9)])


def test_superfluous_questions_are_left_out() -> None:
    generation, _ = generated({"quiz_generator.draft": wanted_and_more})
    assert kinds(generation.chosen) == WANTED.model_dump()


def test_an_incomplete_quiz_is_better_than_none() -> None:
    generation, engine = generated({"quiz_generator.draft": [quiz_of(question(1)), GARBLED]})
    assert [q.question for q in generation.chosen.questions] == [question(1).question]
    assert engine.calls == {"quiz_generator.draft": 7}  # 3 tries, each unreadable reply asked for three times


@pytest.mark.parametrize(
    ("there", "dropped", "told"),
    [
        (6, 0, ""),
        (5, 0, "5 of 6 questions (missing: 1 short answer), since no more sound ones were written in 3 tries"),
        (
            3,
            1,
            "3 of 6 questions (missing: 1 true/false, 2 short answer), since 1 failed with the document at hand "
            "and no more sound ones were written in 3 tries",
        ),
        (4, 2, "4 of 6 questions (missing: 2 short answer), since 2 failed with the document at hand"),
    ],
)
def test_a_quiz_says_what_it_lacks_and_why(there: int, dropped: int, told: str) -> None:
    said = shortage(Quiz(questions=SIX.questions[:there]), WANTED, dropped)
    assert said.removeprefix("the quiz has ") == told


@pytest.mark.parametrize("reply", [GARBLED, quiz_of(), quiz_of({"kind": "essay"})])
def test_without_a_sound_question_the_generator_is_lost(reply: Any) -> None:
    with pytest.raises(AgentsLost, match="no sound question"):
        generated({"quiz_generator.draft": reply})


def test_a_revision_replaces_what_was_criticised_and_nothing_else() -> None:
    generation, engine = generated({}, SIX, [issue("2", "ambiguous"), issue("Questions 5 and 6", "duplicate")])
    kept = [SIX.questions[k] for k in (0, 2, 3)]
    assert [q for q in generation.chosen.questions if q in SIX.questions] == kept
    assert kinds(generation.chosen) == WANTED.model_dump()
    (asked,) = engine.of("quiz_generator.revise")
    criticised = {int(n): q["question"] for n, q in json.loads(asked["criticised"]).items()}
    assert criticised == {k + 1: SIX.questions[k].question for k in (1, 4, 5)}
    assert json.loads(asked["stays"]) == {str(k + 1): SIX.questions[k].question for k in (0, 2, 3)}
    assert json.loads(asked["dropped"]) == {}
    assert [fault["target"] for fault in json.loads(asked["feedback"])] == ["2", "Questions 5 and 6"]


def test_with_nothing_criticised_nothing_is_rewritten() -> None:
    generation, engine = generated({}, SIX, [issue("the tone", "ambiguous")], agents=3)
    assert generation.chosen == SIX
    assert not engine.calls


def test_a_gap_gets_the_place_of_a_question_about_the_fullest_part() -> None:
    crowded = SIX.model_copy(update={"questions": [*SIX.questions, question(61, section="part 2 of 5")]})
    kept = uncriticised(crowded, [issue("the war", "coverage_gap")])
    assert [q for q in crowded.questions if q not in kept] == [crowded.questions[-1]]
    generation, engine = generated({}, SIX, [issue("2", "ambiguous"), issue("the war", "coverage_gap")])
    (asked,) = engine.of("quiz_generator.revise")
    assert list(json.loads(asked["criticised"])) == ["2"]
    assert len(json.loads(asked["dropped"])) == 1
    generation, _ = generated({}, SIX, [issue("the war", "coverage_gap")])
    assert len([q for q in generation.chosen.questions if q in SIX.questions]) == 5


def test_gaps_never_take_more_questions_than_there_are() -> None:
    assert uncriticised(SIX, [issue("the war", "coverage_gap")] * 9) == []


@pytest.mark.parametrize(
    ("target", "numbers"),
    [
        ("3", {3}),
        ("Q3", {3}),
        ("question 3", {3}),
        ("No. 3:", {3}),
        ("Questions 3 and 5", {3, 5}),
        ("questions 3, 5", {3, 5}),
        ("How many lamps has hall 50?", {6}),
        ("the 3 harbours", set()),
        ("since 1923", set()),
        ("1923", set()),
        ("", set()),
    ],
)
def test_issues_name_questions_by_number_or_in_their_words(target: str, numbers: set[int]) -> None:
    assert named_questions([issue(target, "ambiguous")], SIX) == numbers


def test_the_aggregator_chooses_by_label_and_is_completed_by_rule() -> None:
    def choose(asked: Asked) -> Outputs:
        labels = [name for name, q in json.loads(asked["candidates"]).items() if q["kind"] == "short_answer"]
        return {"chosen": [labels[-1], "Z9", labels[-1]]}

    generation, engine = generated({"quiz_aggregator": choose}, agents=3)
    aggregate = generation.aggregate
    assert aggregate is not None
    assert kinds(aggregate) == WANTED.model_dump()
    shown = json.loads(engine.of("quiz_aggregator")[0]["candidates"])
    assert next(iter(shown)) == "A1"
    last = [q for q in shown.values() if q["kind"] == "short_answer"][-1]
    assert last["question"] in [q.question for q in aggregate.questions]
    every = [q for draft in generation.drafts for q in draft.questions]
    assert all(q in every for q in aggregate.questions)


def six(*halls: int) -> Outputs:
    return quiz_of(*[question(hall, kind) for hall, kind in zip(halls, [*KINDS, *KINDS], strict=True)])


def halls_in(shown: str) -> set[int]:
    return {int(hall) for hall in re.findall(r'"question": ?"[^"]*\bhall (\d+)', shown)}


def test_candidates_that_are_all_the_same_are_not_compared() -> None:
    generation, engine = generated({"quiz_generator.draft": six(1, 2, 3, 4, 5, 6)}, agents=2)
    assert generation.decided_by == "equal"
    assert engine.calls == {"quiz_generator.draft": 2}


def test_what_all_candidates_ask_is_settled_and_shown_once() -> None:
    plan = {
        "quiz_generator.draft#0": six(1, 2, 3, 4, 5, 6),
        "quiz_generator.draft#1": six(1, 2, 3, 4, 5, 7),
        "quiz_generator.draft#2": six(1, 2, 3, 4, 8, 7),
        "quiz_aggregator": lambda asked: {"chosen": list(json.loads(asked["candidates"]))},
        "quiz_ranker": {"best": "C"},
        "quiz_generator.vote": {"better": "first"},
    }
    generation, engine = generated(plan, agents=3)
    (aggregating,), (ranking,) = engine.of("quiz_aggregator"), engine.of("quiz_ranker")
    assert halls_in(aggregating["candidates"]) == halls_in(ranking["candidates"]) == {5, 6, 7, 8}
    assert halls_in(aggregating["shared"]) == halls_in(ranking["shared"]) == {1, 2, 3, 4}
    assert json.loads(ranking["wanted"]) == {"multiple_choice": 0, "true_false": 1, "short_answer": 1}
    assert generation.aggregate is not None
    assert {1, 2, 3, 4} <= halls_in(generation.aggregate.model_dump_json())
    for voting in engine.of("quiz_generator.vote"):
        assert not halls_in(voting["first"]) & halls_in(voting["second"])
        assert {1, 2, 3, 4} <= halls_in(voting["shared"])


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("Q3", {3}),
        ("questions 3 and 5", {3, 5}),
        ("Question 3: 4 options fit", {3}),
        ("Q3: hall 5", {3}),
        ("in 3 halls", set()),
    ],
)
def test_issues_name_questions_by_number_also_where_more_is_said(target: str, named: set[int]) -> None:
    assert named_questions([issue(target, "ambiguous")], SIX) == named


def test_debaters_are_shown_all_questions_and_the_keys_of_those_that_they_debate() -> None:
    gap = issue("the tower", "coverage_gap")
    shown = QuizDraft(SIX, "").about([issue("question 5", "ambiguous"), gap])
    assert f"5. (short_answer) {SIX.questions[4].question}\n   answer: 1280\n" in shown
    assert shown.count("answer: ") == 1
    assert all(question.question in shown and question.evidence not in shown for question in SIX.questions)
    assert QuizDraft(SIX, "").about([issue("all of them", "ambiguous"), gap]).count("answer: ") == 6
