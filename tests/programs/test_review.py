"""Algorithm 3, line by line: annotate, agree, debate, vote."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from dspy.lm15 import AuthError, TimeoutError
from hypothesis import given, settings
from hypothesis import strategies as st

from summq.programs import Economy, Review, SummQConfig
from summq.programs.agreement import grouped_by_ids
from summq.programs.craft import SUMMARY, SummaryDraft
from summq.programs.errors import AgentsLost, BackboneError
from summq.programs.savings import saved_by_review
from summq.signatures import Issue, NumberedIssue, ReviewRecord
from tests.planted import GARBLED, Asked, Outputs, Plan, Planted, found, halls, issue, planted, sentence, stands

PLAIN = Economy()
DRAFT = SummaryDraft("The summary under review.")
ONE, TWO, THREE = issue("hall 1"), issue("hall 2"), issue("hall 3")
NOTHING = found()


def reviewed(
    plan: Plan,
    *,
    agents: int = 3,
    debate_rounds: int = 1,
    economy: Economy = PLAIN,
    every_call: bool = True,
    known: Sequence[Issue] = (),
) -> tuple[ReviewRecord, Planted]:
    review = Review(SUMMARY, agents, debate_rounds, economy, every_call=every_call)
    with planted(plan) as engine:
        return review(halls(), DRAFT, known), engine


def raising(*issues: Issue | None) -> dict[str, Outputs]:
    """Reviewers by agent, each with one issue or none."""
    return {f"summary_reviewer.review#{m}": found(*[i] if i else []) for m, i in enumerate(issues)}


def grouping(*groups: list[str]) -> dict[str, Outputs]:
    return {"summary_grouper": {"same": {"groups": list(groups)}}}


def voting(*votes: Any, duty: str = "verdict") -> dict[str, Any]:
    """Reviewers' votes on all issues by agent: True, False, None, or a raw reply."""
    return {
        f"summary_reviewer.{duty}#{m}": vote if isinstance(vote, str | Exception) else stands(default=vote)
        for m, vote in enumerate(votes)
    }


def outcomes(record: ReviewRecord) -> list[tuple[str, str]]:
    return [(outcome.issue.id, outcome.status) for outcome in record.outcomes]


def test_reviewers_who_find_nothing_need_nothing_else() -> None:
    record, engine = reviewed({})
    assert record == ReviewRecord(annotations=[], grouped_by="none", outcomes=[], issues=[])
    assert engine.calls == {"summary_reviewer.review": 3}


def test_all_reviewers_read_draft_and_document_from_different_angles() -> None:
    _, engine = reviewed({}, agents=5)
    assert len({asked.text for asked in engine.asked}) == 5
    assert all(asked["summary"] == DRAFT.text and halls().text in asked.text for asked in engine.asked)


def test_annotations_are_numbered_by_reviewer_and_empty_ones_dropped() -> None:
    record, _ = reviewed({"summary_reviewer.review#1": found(ONE, Issue(kind="omission"), TWO)})
    assert [(a.id, a.reviewer, a.target) for a in record.annotations] == [("B1", 1, "hall 1"), ("B2", 1, "hall 2")]


def test_one_reviewer_has_nobody_to_disagree_with() -> None:
    record, engine = reviewed({"summary_reviewer.review": found(ONE, TWO)}, agents=1)
    assert record.issues == [ONE, TWO]
    assert outcomes(record) == [("A1", "agreed"), ("A2", "agreed")]
    assert engine.calls == {"summary_reviewer.review": 1}


def test_what_two_raise_is_agreed_and_not_debated() -> None:
    record, engine = reviewed({**raising(ONE, ONE, None), **grouping(["A1", "B1"])}, agents=3)
    assert record.issues == [ONE]
    assert (record.outcomes[0].status, record.outcomes[0].reviewers) == ("agreed", [0, 1])
    assert engine.calls == {"summary_reviewer.review": 3, "summary_grouper": 1}


def test_what_one_raises_is_debated_and_voted_on() -> None:
    record, engine = reviewed({**raising(ONE, TWO, None), **voting(True, True, False)})
    assert outcomes(record) == [("A1", "upheld"), ("B1", "upheld")]
    assert engine.calls == {
        "summary_reviewer.review": 3,
        "summary_grouper": 1,
        "summary_reviewer.debate": 3,
        "summary_reviewer.verdict": 3,
    }


def test_a_reviewer_who_repeats_himself_does_not_agree_with_himself() -> None:
    plan = {"summary_reviewer.review#0": found(ONE, ONE), "summary_reviewer.review#1": found(TWO)}
    record, _ = reviewed({**plan, **grouping(["A1", "A2"]), **voting(False, False, False)})
    assert outcomes(record) == [("A1", "rejected"), ("B1", "rejected")]
    assert record.outcomes[0].members == ["A1", "A2"]


def test_grouping_is_asked_without_the_document_and_only_if_two_raised_issues() -> None:
    _, engine = reviewed({**raising(ONE, TWO, None)})
    assert halls().text not in engine.of("summary_grouper")[0].text
    _, engine = reviewed({"summary_reviewer.review#0": found(ONE, TWO)})
    assert "summary_grouper" not in engine.calls


def test_a_grouping_that_invents_ids_groups_what_exists() -> None:
    record, _ = reviewed({**raising(ONE, TWO, THREE), **grouping(["A1", "Z9", "B1"], ["B1", "C1", "A1"], ["X"], [])})
    assert [(o.members, o.status) for o in record.outcomes] == [(["A1", "B1"], "agreed"), (["C1"], "rejected")]
    assert record.grouped_by == "call"


@given(st.lists(st.lists(st.sampled_from(["A1", "A2", "B1", "C1", "C2", "D4", "", "Q"]), max_size=5), max_size=6))
def test_whatever_the_grouping_says_every_issue_is_in_one_group(told: list[list[str]]) -> None:
    raised = [
        NumberedIssue(**ONE.model_dump(), id=name, reviewer="ABC".index(name[0]))
        for name in ("A1", "A2", "B1", "C1", "C2")
    ]
    groups = grouped_by_ids(raised, told)
    assert sorted(i.id for group in groups for i in group) == ["A1", "A2", "B1", "C1", "C2"]
    assert all(groups)


@pytest.mark.parametrize("failure", [GARBLED, TimeoutError("slow")])
def test_a_lost_grouper_is_replaced_by_a_rule(failure: str | Exception) -> None:
    other_words = issue("Hall 1!", explanation="Said otherwise.")
    plan = {**raising(ONE, other_words, issue("hall 1", "redundancy")), "summary_grouper": failure}
    record, _ = reviewed({**plan, **voting(False, False, False)})
    assert record.grouped_by == "rule"
    assert [(o.members, o.status) for o in record.outcomes] == [(["A1", "B1"], "agreed"), (["C1"], "rejected")]
    assert [lost.role for lost in record.lost] == ["summary_grouper"]


@pytest.mark.parametrize("debate_rounds", [0, 1, 3])
def test_every_round_of_debate_hears_the_rounds_before(debate_rounds: int) -> None:
    plan = {**raising(ONE, None, None), **voting(True, True, True, duty="debate"), **voting(True, True, True)}
    record, engine = reviewed(plan, debate_rounds=debate_rounds)
    assert engine.calls.get("summary_reviewer.debate", 0) == 3 * debate_rounds
    for agent in range(3):
        rounds = [asked for asked in engine.of("summary_reviewer.debate") if asked.agent == agent]
        assert [len(json.loads(asked["heard"])) for asked in rounds] == [3 * k for k in range(debate_rounds)]
    assert [(a.round, a.reviewer) for a in record.arguments] == [
        (k, agent) for k in range(1, debate_rounds + 1) for agent in range(3)
    ]
    for asked in engine.of("summary_reviewer.verdict"):
        assert len(json.loads(asked["heard"])) == 3 * debate_rounds


def test_debate_has_document_draft_and_all_contested_issues_in_one_call() -> None:
    _, engine = reviewed({**raising(ONE, TWO, THREE), **grouping(["A1", "B1"])})
    for asked in [*engine.of("summary_reviewer.debate"), *engine.of("summary_reviewer.verdict")]:
        assert halls().text in asked.text
        assert asked["draft"] == DRAFT.text
        assert [i["id"] for i in json.loads(asked["contested"])] == ["C1"]


@pytest.mark.parametrize(
    ("votes", "status", "tally"),
    [
        ([True, True, True], "upheld", (3, 3)),
        ([True, True, False], "upheld", (2, 3)),
        ([True, False, False], "rejected", (1, 3)),
        ([True, False], "rejected", (1, 2)),
        ([True, True], "upheld", (2, 2)),
        ([True, False, None], "rejected", (1, 2)),
        ([True, None, None], "upheld", (1, 1)),
        ([None, None, None], "rejected", (0, 0)),
        ([True, True, False, False, True], "upheld", (3, 5)),
        ([True, True, False, False], "rejected", (2, 4)),
    ],
)
@pytest.mark.parametrize("in_debate", [True, False])
def test_an_issue_stands_if_more_than_half_of_the_votes_cast_uphold_it(
    votes: list[bool | None], status: str, tally: tuple[int, int], in_debate: bool
) -> None:
    plan = {**raising(ONE, *[None] * (len(votes) - 1)), **voting(*votes, duty="debate" if in_debate else "verdict")}
    record, _ = reviewed(plan, agents=len(votes), economy=Economy(verdict_in_debate=in_debate))
    (outcome,) = record.outcomes
    assert (outcome.status, (outcome.upheld, outcome.votes)) == (status, tally)
    assert record.issues == ([ONE] if status == "upheld" else [])


def test_a_reviewer_who_contradicts_himself_has_no_vote() -> None:
    both = {"votes": {"verdicts": [{"issue": "A1", "uphold": True}, {"issue": "A1", "uphold": False}]}}
    plan = {**raising(ONE, None, None), **voting(False, True, True), "summary_reviewer.verdict#0": both}
    record, _ = reviewed(plan)
    assert (record.outcomes[0].upheld, record.outcomes[0].votes) == (2, 2)


def test_votes_on_issues_that_do_not_exist_are_ignored() -> None:
    invented = {
        "votes": {"verdicts": [{"issue": "Z9", "uphold": True}, {"issue": "A1", "uphold": True}, {"uphold": 7}]}
    }
    record, _ = reviewed({**raising(ONE, None, None), "summary_reviewer.verdict": invented})
    assert [[v.issue for v in votes.verdicts] for votes in record.verdicts] == [["A1"]] * 3
    assert record.outcomes[0].upheld == 3


def test_only_the_last_round_of_debate_counts_as_vote() -> None:
    changing = {"summary_reviewer.debate": [stands(default=True), stands(default=False)]}
    economy = Economy(verdict_in_debate=True)
    record, engine = reviewed({**raising(ONE, None, None), **changing}, debate_rounds=2, economy=economy)
    assert outcomes(record) == [("A1", "rejected")]
    assert "summary_reviewer.verdict" not in engine.calls


def swayed(asked: Asked) -> Outputs:
    """Rejects an issue until somebody is heard who argues for it; whoever raised it argues for it."""
    (contested,) = json.loads(asked["contested"])
    convinced = contested["reviewer"] == asked.agent or any(a["uphold"] for a in json.loads(asked["heard"]))
    return stands(default=convinced)(asked)


def test_a_debate_is_heard_before_anybody_votes() -> None:
    plan = {**raising(ONE, None, None), "summary_reviewer.debate": swayed, "summary_reviewer.verdict": swayed}
    record, engine = reviewed(plan)
    assert [(o.status, o.upheld, o.votes) for o in record.outcomes] == [("upheld", 3, 3)]
    assert [len(json.loads(asked["heard"])) for asked in engine.of("summary_reviewer.verdict")] == [3, 3, 3]
    by_default, _ = reviewed(plan, every_call=False)
    assert [(o.status, o.upheld, o.votes) for o in by_default.outcomes] == [("upheld", 2, 2)]
    economised, _ = reviewed(plan, economy=Economy(verdict_in_debate=True))
    assert [(o.status, o.upheld, o.votes) for o in economised.outcomes] == [("rejected", 1, 3)]


def test_issues_are_voted_on_and_grouped_by_ids_as_reviewers_write_them() -> None:
    votes = {"votes": {"verdicts": [{"issue": "Issue A1 (omission)", "reason": "r", "uphold": True}]}}
    record, _ = reviewed(
        {**raising(ONE, TWO, THREE), **grouping(["issue B1", "(C1)"]), "summary_reviewer.verdict": votes}
    )
    assert outcomes(record) == [("B1", "agreed"), ("A1", "upheld")]


def test_a_vote_that_names_two_issues_counts_for_none() -> None:
    votes = {"votes": {"verdicts": [{"issue": "A1 and B1", "reason": "r", "uphold": True}]}}
    record, _ = reviewed({**raising(ONE, TWO, None), "summary_reviewer.verdict": votes})
    assert [(o.status, o.votes) for o in record.outcomes] == [("rejected", 0), ("rejected", 0)]


def test_debaters_and_voters_know_who_they_are_and_have_no_angle() -> None:
    _, engine = reviewed(raising(ONE, TWO, None))
    for duty in ("debate", "verdict"):
        for asked, letter in zip(engine.of(f"summary_reviewer.{duty}"), "ABC", strict=True):
            assert f"You are reviewer {letter};" in asked.text
            assert "Look first at" not in asked.text
            assert "Go through the" not in asked.text


def test_without_debate_there_is_a_vote_whatever_is_economised() -> None:
    plan = {**raising(ONE, None, None), **voting(True, True, True)}
    record, engine = reviewed(plan, debate_rounds=0, economy=Economy.all(), every_call=False)
    assert outcomes(record) == [("A1", "upheld")]
    assert engine.calls["summary_reviewer.verdict"] == 2


def test_an_economical_debate_reads_the_passages_that_all_its_issues_quote() -> None:
    long, economy = halls(1000), Economy(debate_on_passages=True)
    proven = ONE.model_copy(update={"evidence": sentence(10)})
    about_a_sentence = TWO.model_copy(update={"target": sentence(900)})
    for raised, passages in (([proven, about_a_sentence], True), ([proven, TWO], False)):
        with planted(raising(*raised, None)) as engine:
            record = Review(SUMMARY, 3, economy=economy)(long, DRAFT)
        (asked, *_) = engine.of("summary_reviewer.debate")
        assert sentence(10) in asked.text
        assert (long.text in asked.text) != passages
        assert (
            saved_by_review(record, 3, long, SummQConfig(economy=economy)).get("debate_on_passages", 0) == 3 * passages
        )


@pytest.mark.slow
@settings(max_examples=20)
@given(
    st.integers(2, 5).flatmap(
        lambda n: st.lists(
            st.fixed_dictionaries({name: st.sampled_from([True, False, None]) for name in ("A1", "A2")})
            | st.just(GARBLED),
            min_size=n,
            max_size=n,
        )
    )
)
def test_leaving_out_verdicts_changes_no_outcome(votes: list[dict[str, bool | None] | str]) -> None:
    plan: dict[str, Any] = {"summary_reviewer.review#0": found(ONE, TWO)}
    for agent, vote in enumerate(votes):
        plan[f"summary_reviewer.verdict#{agent}"] = vote if isinstance(vote, str) else stands(**vote)
    every, _ = reviewed(plan, agents=len(votes), debate_rounds=0)
    saving, _ = reviewed(plan, agents=len(votes), debate_rounds=0, every_call=False)
    assert saving.issues == every.issues
    assert outcomes(saving) == outcomes(every)


def test_known_issues_stand_before_all_others() -> None:
    record, _ = reviewed({"summary_reviewer.review": found(ONE)}, agents=1, known=[THREE])
    assert record.issues == [THREE, ONE]
    assert [o.issue.target for o in record.outcomes] == ["hall 1"]


def test_a_lost_reviewer_is_named_and_still_debates_and_votes() -> None:
    record, engine = reviewed(
        {**raising(ONE, None, None), "summary_reviewer.review#2": GARBLED, **voting(True, True, True)}
    )
    assert [(lost.role, lost.member) for lost in record.lost] == [("summary_reviewer.review", 2)]
    assert record.outcomes[0].votes == 3
    assert engine.calls["summary_reviewer.debate"] == 3


@pytest.mark.parametrize("duty", ["debate", "verdict"])
def test_who_is_lost_in_debate_or_vote_is_named_and_the_others_decide(duty: str) -> None:
    plan = {**raising(ONE, None, None), **voting(True, True, True), f"summary_reviewer.{duty}#1": TimeoutError("slow")}
    record, _ = reviewed(plan)
    assert [(lost.role, lost.member) for lost in record.lost] == [(f"summary_reviewer.{duty}", 1)]
    assert outcomes(record) == [("A1", "upheld")]


@pytest.mark.parametrize(("agents", "lost"), [(1, 1), (2, 1), (3, 2), (5, 3)])
def test_without_a_majority_of_reviewers_the_run_fails(agents: int, lost: int) -> None:
    plan = {f"summary_reviewer.review#{agent}": GARBLED for agent in range(lost)}
    with pytest.raises(
        AgentsLost, match=f"only {agents - lost} of {agents} agents replied, {agents // 2 + 1} are needed"
    ):
        reviewed(plan, agents=agents)


@pytest.mark.parametrize("role", ["summary_reviewer.review#1", "summary_grouper", "summary_reviewer.debate#2"])
def test_a_rejected_key_ends_the_run(role: str) -> None:
    with pytest.raises(BackboneError, match="no such key"):
        reviewed({**raising(ONE, TWO, None), role: AuthError("no such key")})
