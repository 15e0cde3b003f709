"""Every role learns on a task whose right outcome is known; good agents score high on it and bad ones low."""

from collections.abc import Iterator
from dataclasses import replace

import dspy
import pytest
from shortcuts import SHORTCUTS, shortcut_score

from summq.optimizers.role_tasks import ROLE_TASKS, agents_of, choices, quiz_choices, role_tasks
from summq.optimizers.role_tasks.base import Assessment
from summq.programs import SummQ
from summq.programs.errors import ConfigError
from summq.programs.runtime.session import session
from summq.signatures import (
    NOT_IN_SUMMARY,
    Answer,
    Answers,
    Arguments,
    Grade,
    Grades,
    Issue,
    IssueGroups,
    IssueList,
    Question,
    Quiz,
)
from tests.optimizers.domain import ROWS

WRITING = {"summary_generator.draft", "summary_generator.revise", "summary_aggregator", "rewriter"}
SCORED_BY_REFERENCE = {*WRITING, "summary_generator.vote", "summary_ranker"}
"""These need an encoder for BERTScore."""
BY_RULE = sorted(set(ROLE_TASKS) - SCORED_BY_REFERENCE)
BAD = "offline:reviewer=0.9,examinee=0.9,grader=0.9,voter=0.9"
HARDLY_WORSE = {"quiz_generator.draft", "quiz_generator.revise", "quiz_aggregator", "digester"}
HARDLY_WORSE |= {"summary_grouper", "quiz_grouper", "summary_reviewer.review"}
"""Offline has no error rate for these but the last; its good reviewers find a short reference wanting, and rightly."""


@pytest.fixture
def program() -> SummQ:
    return SummQ.preset("combo_r", summary_generators=2, quiz_generators=2)


@pytest.fixture
def offline() -> Iterator[None]:
    with session("offline", cache_dir=""):
        yield


def test_every_role_that_a_program_can_have_learns(program: SummQ) -> None:
    roles = {agent.role for _, agent in program.named_predictors()}
    assert roles - {"examinee.blind"} == {task.role for task in role_tasks(program)}
    assert set(ROLE_TASKS) - roles <= {"summary_reviewer.verdict", "quiz_reviewer.verdict"}  # instead of debates


@pytest.mark.parametrize("role", BY_RULE)
def test_the_same_rows_and_seed_make_the_same_examples(role: str) -> None:
    task = ROLE_TASKS[role]
    assert [e.toDict() for e in task.examples(ROWS, 1)] == [e.toDict() for e in task.examples(ROWS, 1)]
    assert task.examples(ROWS, 1)


@pytest.mark.slow
@pytest.mark.parametrize("role", BY_RULE)
def test_examples_hold_what_the_agents_ask_for(role: str, program: SummQ, offline: None) -> None:
    task = ROLE_TASKS[role]
    module = task.module(program)
    for example in task.examples(ROWS, 0):
        found = task.metric(example, module(**example.inputs()))
        assert 0 <= found.score <= 1
        assert found.feedback.startswith("Score")


@pytest.mark.slow
@pytest.mark.parametrize("role", sorted(set(BY_RULE) - HARDLY_WORSE))
def test_bad_agents_score_lower(role: str, program: SummQ) -> None:
    task = ROLE_TASKS[role]
    good, bad = (_mean_score(role, program, backbone) for backbone in ("offline", BAD))
    assert bad < good, task.role


def test_feedback_is_on_the_reply_that_is_reflected_on() -> None:
    task = ROLE_TASKS["grader"]
    (example, *_) = task.examples(ROWS, 0)
    right = dspy.Prediction(marks=_marks(example, [True] * len(example.right)))
    wrong = dspy.Prediction(marks=_marks(example, [False] * len(example.right)))
    both = dspy.Prediction(replies=[right, wrong])
    traced = task.metric(example, both, pred_name="program", pred_trace=[(None, {}, wrong)])
    assert traced.feedback == task.metric(example, dspy.Prediction(replies=[wrong])).feedback
    assert traced.score == task.metric(example, both).score == pytest.approx(0.5)


def test_a_component_is_worth_its_best_draft_and_the_vote_of_most() -> None:
    judged = iter([0.2, 0.9, 0.4, 0.2, 0.9, 0.4])
    replies = dspy.Prediction(replies=[dspy.Prediction(reply="")] * 3)
    drafting, voting = (
        replace(ROLE_TASKS[role], judge=lambda *_: Assessment(next(judged)))
        for role in ("summary_generator.draft", "summary_generator.vote")
    )
    assert drafting.metric(dspy.Example(), replies).score == 0.9
    assert voting.metric(dspy.Example(), replies).score == 0.4


@pytest.mark.parametrize("shortcut", ["the longest", "the shortest", "the most different words"])
def test_looks_do_not_tell_the_better_summary(shortcut: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["harbour", "orchard", "winter", "bridge", "lantern", "miller", "pilot", "quarry", "river", "saddle"]
    sizes = {4: 0.9, 3: 0.8, 5: 0.7, 2: 0.6, 6: 0.5}
    texts = {" ".join(words[:number]): score for number, score in sizes.items()}
    texts |= {" ".join([words[0]] * 12): 0.95, " ".join([words[1]] * 9): 0.4}
    monkeypatch.setattr(choices, "_candidates", lambda *_: texts)
    task = ROLE_TASKS["summary_generator.vote"]
    examples = task.examples(ROWS, 0)
    assert len(examples) >= 4 * len(ROWS)
    assert shortcut_score(task, SHORTCUTS[task.role][shortcut], examples) == 0.5


def test_all_examples_have_one_wanted_length() -> None:
    for role in ("summary_generator.draft", "rewriter"):
        assert {example.target_words for example in ROLE_TASKS[role].examples(ROWS, 0)} == {70}


def test_an_examinee_that_never_refuses_is_right_about_half() -> None:
    task = ROLE_TASKS["examinee"]
    (example, *_) = task.examples(ROWS, 0)
    assert set(example.answerable) == {True, False}
    knowing = Answers(answers=[Answer(number=n, answer=q.answer) for n, q in enumerate(example.key, 1)])
    assert task.metric(example, _reply(sheet=knowing)).score == 0.5
    refusing = Answers(answers=[Answer(number=n, answer=NOT_IN_SUMMARY) for n in range(1, len(example.key) + 1)])
    assert task.metric(example, _reply(sheet=refusing)).score == 0.5


def _reviewed(example: dspy.Example, flawed: list[Issue], clean: list[Issue]) -> dspy.Prediction:
    replies = [dspy.Prediction(found=IssueList(issues=issues)) for issues in (clean, flawed)]
    return _reply(replies=replies if example.flawed == 1 else replies[::-1])


def test_a_reviewer_is_paid_for_telling_flaws_from_what_is_right() -> None:
    task = ROLE_TASKS["summary_reviewer.review"]
    example = task.examples(ROWS, 0)[0]
    issues = [Issue(kind="factual_error", target=p.after or p.before, explanation=p.before) for p in example.planted]
    invented = Issue(kind="factual_error", target="the moon is made of cheese", explanation="It is.")
    omission = Issue(kind="omission", target="the summary", explanation="The weather is not told.")
    assert task.metric(example, _reviewed(example, issues, [])).score == 1
    assert task.metric(example, _reviewed(example, issues, [omission])).score == 1
    assert 0 < task.metric(example, _reviewed(example, [*issues, invented], [])).score < 1
    assert 0 < task.metric(example, _reviewed(example, issues, [invented])).score < 1
    assert task.metric(example, _reviewed(example, [], [])).score == 0
    assert task.metric(example, _reviewed(example, [invented], [])).score == 0


def test_what_a_reviewer_missed_is_in_the_feedback() -> None:
    task = ROLE_TASKS["summary_reviewer.review"]
    example = task.examples(ROWS, 0)[0]
    feedback = task.metric(example, _reviewed(example, [], [])).feedback
    assert all(error.before in feedback for error in example.planted)


def test_kinds_do_not_tell_true_issues_from_false_ones() -> None:
    for role in ("summary_reviewer.debate", "quiz_reviewer.debate"):
        for example in ROLE_TASKS[role].examples(ROWS, 0):
            kinds = [
                sorted(i.kind for i, up in zip(example.contested, example.upheld, strict=True) if up is side)
                for side in (True, False)
            ]
            assert kinds[0] == kinds[1]
            assert not any(issue.fix for issue in example.contested)
            assert {argument.uphold for argument in example.heard} == {True, False}


def test_groupers_are_paid_for_what_is_the_same_and_not_for_what_looks_alike() -> None:
    task = ROLE_TASKS["summary_grouper"]
    (example, *_) = task.examples(ROWS, 0)
    right, everything = example.groups, [[issue.id for issue in example.issues]]
    assert task.metric(example, _reply(same=IssueGroups(groups=right))).score == 1
    assert 0 < task.metric(example, _reply(same=IssueGroups(groups=everything))).score < 0.7
    assert task.metric(example, _reply(same=IssueGroups(groups=[]))).score == 0


def test_notes_are_read_up_to_the_wanted_length() -> None:
    task = ROLE_TASKS["digester"]
    (example, *_) = task.examples(ROWS, 0)
    padded = f"{'word ' * example.target_words} {example.passage}"
    assert task.metric(example, _reply(notes=padded)).score == 0
    assert task.metric(example, _reply(notes=example.passage)).score > 0


def test_every_role_has_shortcuts_and_those_without_reading_do_not_pay(offline: None) -> None:
    assert set(SHORTCUTS) == set(ROLE_TASKS)
    for role in ("summary_reviewer.review", "quiz_reviewer.review", "summary_grouper", "grader"):
        task = ROLE_TASKS[role]
        scores = {name: shortcut_score(task, s, task.examples(ROWS, 0)) for name, s in SHORTCUTS[role].items()}
        assert max(scores.values()) < 0.8, (role, scores)


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


def _marks(example: dspy.Example, agreeing: list[bool]) -> Grades:
    marks = zip(example.right, agreeing, strict=True)
    return Grades(grades=[Grade(number=n, correct=r is a) for n, (r, a) in enumerate(marks, 1)])
