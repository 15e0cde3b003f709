"""Every role learns on a task whose right outcome is known; good agents score high on it and bad ones low."""

from collections.abc import Iterator

import dspy
import pytest

from summq.optimizers.role_tasks import ROLE_TASKS, agents_of, choices, quiz_choices, role_tasks
from summq.programs import SummQ
from summq.programs.errors import ConfigError
from summq.programs.runtime.session import session
from summq.signatures import NOT_IN_SUMMARY, Answer, Answers, Arguments, Grade, Grades, Issue, IssueList, Question, Quiz
from tests.optimizers.domain import ROWS

WRITING = {"summary_generator.draft", "summary_generator.revise", "summary_aggregator", "rewriter"}
SCORED_BY_REFERENCE = {*WRITING, "summary_generator.vote", "summary_ranker"}
"""These need an encoder for BERTScore."""
BY_RULE = sorted(set(ROLE_TASKS) - SCORED_BY_REFERENCE)
BAD = "offline:reviewer=0.9,examinee=0.9,grader=0.9,voter=0.9"
HARDLY_WORSE = {"quiz_generator.draft", "quiz_generator.revise", "quiz_aggregator", "summary_reviewer.review"}
"""Offline has no error rate for the first three; its good reviewers find a short reference wanting, and rightly."""


@pytest.fixture
def program() -> SummQ:
    return SummQ.preset("combo_r", summary_generators=2, quiz_generators=2)


@pytest.fixture
def offline() -> Iterator[None]:
    with session("offline", cache_dir=""):
        yield


def test_every_role_that_a_program_can_have_learns(program: SummQ) -> None:
    unlearned = {"summary_grouper", "quiz_grouper", "digester", "quiz_reviewer.debate", "quiz_reviewer.verdict"}
    unlearned |= {"examinee.blind"}
    roles = {agent.role for _, agent in program.named_predictors()}
    assert roles - unlearned == {task.role for task in role_tasks(program)} == set(ROLE_TASKS)


@pytest.mark.parametrize("role", BY_RULE)
def test_the_same_rows_and_seed_make_the_same_examples(role: str) -> None:
    task = ROLE_TASKS[role]
    assert [e.toDict() for e in task.examples(ROWS, 1)] == [e.toDict() for e in task.examples(ROWS, 1)]
    assert task.examples(ROWS, 1)


@pytest.mark.parametrize("role", BY_RULE)
def test_examples_hold_what_the_agents_ask_for(role: str, program: SummQ, offline: None) -> None:
    task = ROLE_TASKS[role]
    module = task.module(program)
    for example in task.examples(ROWS, 0):
        found = task.metric(example, module(**example.inputs()))
        assert 0 <= found.score <= 1
        assert found.feedback.startswith("Score")


@pytest.mark.parametrize("role", sorted(set(BY_RULE) - HARDLY_WORSE))
def test_bad_agents_score_lower(role: str, program: SummQ) -> None:
    task = ROLE_TASKS[role]
    good, bad = (_mean_score(role, program, backbone) for backbone in ("offline", BAD))
    assert bad < good, task.role


def test_feedback_on_a_named_agent_is_on_that_agent_alone() -> None:
    task = ROLE_TASKS["grader"]
    (example, *_) = task.examples(ROWS, 0)
    right = dspy.Prediction(marks=_marks(example, [True] * len(example.right)))
    wrong = dspy.Prediction(marks=_marks(example, [False] * len(example.right)))
    both = dspy.Prediction(replies=[right, wrong])
    named = task.metric(example, both, pred_name="program.agents[1]")
    assert named.feedback == task.metric(example, dspy.Prediction(replies=[wrong])).feedback
    assert named.score == task.metric(example, both).score == pytest.approx(0.5)


def test_an_examinee_that_never_refuses_is_right_about_half() -> None:
    task = ROLE_TASKS["examinee"]
    (example, *_) = task.examples(ROWS, 0)
    assert set(example.answerable) == {True, False}
    knowing = Answers(answers=[Answer(number=n, answer=q.answer) for n, q in enumerate(example.key, 1)])
    assert task.metric(example, _reply(sheet=knowing)).score == 0.5
    refusing = Answers(answers=[Answer(number=n, answer=NOT_IN_SUMMARY) for n in range(1, len(example.key) + 1)])
    assert task.metric(example, _reply(sheet=refusing)).score == 0.5


def test_a_reviewer_is_paid_for_planted_errors_and_not_for_others() -> None:
    task = ROLE_TASKS["summary_reviewer.review"]
    examples = task.examples(ROWS, 0)
    flawed = next(e for e in examples if e.planted)
    clean = next(e for e in examples if not e.planted)
    issues = [Issue(kind="factual_error", target=p.after or p.before, explanation=p.before) for p in flawed.planted]
    invented = Issue(kind="factual_error", target="the moon is made of cheese", explanation="It is.")
    assert task.metric(flawed, _found(*issues)).score == 1
    assert 0 < task.metric(flawed, _found(*issues, invented)).score < 1
    assert task.metric(flawed, _found(invented)).score == 0
    assert task.metric(flawed, _found()).score == 0
    assert task.metric(clean, _found()).score == 1
    assert task.metric(clean, _found(invented)).score == 0.5


def test_what_a_reviewer_missed_is_in_the_feedback() -> None:
    task = ROLE_TASKS["summary_reviewer.review"]
    flawed = next(e for e in task.examples(ROWS, 0) if e.planted)
    feedback = task.metric(flawed, _found()).feedback
    assert all(error.before in feedback for error in flawed.planted)


def test_a_quiz_without_sound_questions_scores_nothing(offline: None) -> None:
    task = ROLE_TASKS["quiz_generator.draft"]
    example = task.examples(ROWS, 0)[1]
    assert task.metric(example, _reply(quiz=Quiz(questions=[Question(kind="riddle", question="?")]))).score == 0


def test_no_stand_on_an_issue_is_a_wrong_one() -> None:
    task = ROLE_TASKS["summary_reviewer.debate"]
    assert task.metric(task.examples(ROWS, 0)[0], _reply(debate=Arguments(arguments=[]))).score == 0


@pytest.mark.parametrize("named", ["B", "(B)", "Candidate B", "the best is B.", "b"])
def test_rankers_are_scored_by_the_label_that_ranking_reads(named: str) -> None:
    reply = dspy.Prediction(best=named)
    gold = dspy.Example(candidates={"A": "bad", "B": "good", "C": "bad"}, scores={"bad": 0.2, "good": 0.6})
    assert choices.judge_ranking(gold, reply).score == 1
    assert quiz_choices.judge_ranking(dspy.Example(bad={"A": 6, "B": 0, "C": 3}), reply).score == 1


@pytest.mark.parametrize("named", ["A or B", "neither", ""])
def test_a_ranker_that_names_no_candidate_scores_nothing(named: str) -> None:
    reply = dspy.Prediction(best=named)
    assert choices.judge_ranking(dspy.Example(candidates={"A": "bad", "B": "good"}, scores={}), reply).score == 0
    assert quiz_choices.judge_ranking(dspy.Example(bad={"A": 0, "B": 6}), reply).score == 0


def test_a_name_without_a_dot_means_all_that_the_agents_do(program: SummQ) -> None:
    assert [t.role for t in role_tasks(program, ["examinee"])] == ["examinee", "examinee.open_book"]
    assert [t.role for t in role_tasks(program, ["summary_reviewer.review"])] == ["summary_reviewer.review"]


@pytest.mark.parametrize("roles", [["sumary_generator"], ["rewriter"], ["summary_generator.vote"]])
def test_unknown_and_missing_roles_are_refused(roles: list[str]) -> None:
    with pytest.raises(ConfigError, match=roles[0]):
        role_tasks(SummQ.preset("solo"), roles)
    assert agents_of(SummQ.preset("solo"), roles[0]) == []


def test_one_row_alone_makes_examples_too() -> None:
    for role in BY_RULE:
        assert ROLE_TASKS[role].examples(ROWS[:1], 0), role


def _mean_score(role: str, program: SummQ, backbone: str) -> float:
    task = ROLE_TASKS[role]
    with session(backbone, cache_dir=""):
        module = task.module(program)
        scores: list[float] = [task.metric(e, module(**e.inputs())).score for e in task.examples(ROWS, 0)]
    return sum(scores) / len(scores)


def _reply(**outputs: object) -> dspy.Prediction:
    return dspy.Prediction(replies=[dspy.Prediction(**outputs)])


def _found(*issues: Issue) -> dspy.Prediction:
    return _reply(found=IssueList(issues=list(issues)))


def _marks(example: dspy.Example, agreeing: list[bool]) -> Grades:
    marks = zip(example.right, agreeing, strict=True)
    return Grades(grades=[Grade(number=n, correct=r is a) for n, (r, a) in enumerate(marks, 1)])
