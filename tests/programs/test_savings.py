"""What rules spared, counted from records."""

from typing import Any

import pytest

from summq.programs import Economy, SummQConfig
from summq.programs.savings import saved_by_generation, saved_by_review, total_savings, with_savings
from summq.signatures import (
    Decision,
    Generation,
    IssueOutcome,
    Iteration,
    LostAgent,
    NumberedIssue,
    Quiz,
    ReviewerVerdicts,
    ReviewRecord,
    Vote,
)
from tests.planted import halls, question, sentence

ALL, NO_RULES = SummQConfig.preset("combo", economy=True), SummQConfig.preset("combo")
LONG = halls(1000)


def generation(decided_by: Decision, aggregate: str | None = "a", votes: int = 0, **more: Any) -> Generation[str]:
    cast = [Vote(voter=n, choice="best", shown_first="best") for n in range(votes)]
    return Generation(drafts=["a"], decided_by=decided_by, chosen="a", aggregate=aggregate, votes=cast, **more)


def review(status: Any = "rejected", verdicts: int = 0, evidence: str = "", **more: Any) -> ReviewRecord:
    issue = NumberedIssue(kind="omission", target="x", evidence=evidence, id="A1")
    return ReviewRecord(
        annotations=[issue],
        grouped_by="none",
        outcomes=[IssueOutcome(issue=issue, members=["A1"], reviewers=[0], status=status)],
        verdicts=[ReviewerVerdicts(reviewer=n, verdicts=[]) for n in range(verdicts)],
        issues=[],
        **more,
    )


@pytest.mark.parametrize(
    ("record", "saved"),
    [
        (generation("kept"), {"keep_uncriticised": 12}),
        (generation("equal", None), {"majority_suffices": 7}),
        (generation("equal"), {"majority_suffices": 5, "comparing_without_document": 2}),
        (generation("vote", votes=3), {"majority_suffices": 2, "comparing_without_document": 5}),
        (generation("vote", votes=5), {"comparing_without_document": 7}),
        (generation("only_candidate"), {}),
    ],
)
def test_what_five_generators_are_spared(record: Generation[str], saved: dict[str, int]) -> None:
    assert saved_by_generation(record, 5, ALL) == saved


def test_one_generator_alone_is_spared_a_draft_where_nothing_is_criticised() -> None:
    assert saved_by_generation(generation("kept"), 1, ALL) == {"keep_uncriticised": 1}
    assert saved_by_generation(generation("single"), 1, ALL) == {}


def test_a_voter_that_was_lost_was_asked() -> None:
    lost = [LostAgent(role="summary_generator.vote", member=3, error="?")]
    saved = saved_by_generation(generation("vote", votes=3, lost=lost), 5, ALL)
    assert saved == {"majority_suffices": 1, "comparing_without_document": 6}


def test_reviewers_are_spared_verdicts_and_readings() -> None:
    assert saved_by_review(review(), 3, LONG, ALL) == {"verdict_in_debate": 3}
    assert saved_by_review(review(evidence=sentence(9)), 3, LONG, ALL) == {
        "verdict_in_debate": 3,
        "debate_on_passages": 3,
    }
    by_verdict = SummQConfig(economy=Economy(comparing_without_document=True))
    assert saved_by_review(review(verdicts=2), 3, LONG, by_verdict) == {"majority_suffices": 1}
    lost = [LostAgent(role="summary_reviewer.verdict", member=2, error="?")]
    assert saved_by_review(review(verdicts=2, lost=lost), 3, LONG, by_verdict) == {}


def test_nothing_is_spared_where_nothing_is_contested_or_no_rule_holds() -> None:
    assert saved_by_review(review("agreed"), 3, LONG, ALL) == {}
    assert saved_by_review(review(verdicts=3, evidence=sentence(9)), 3, LONG, NO_RULES) == {}


def test_an_iteration_tells_what_each_of_its_parts_was_spared() -> None:
    quiz = Quiz(questions=[question(hall, "short_answer", section="part 1 of 5") for hall in range(6)])
    first = Iteration(
        summary="a",
        quiz=quiz,
        summary_generation=generation("equal", None),
        quiz_generation=Generation(drafts=[quiz], decided_by="only_candidate", chosen=quiz),
        summary_review=review(),
        quiz_review=review("agreed"),
        exam=None,
        summary_feedback=[],
        quiz_feedback=[],
    )
    counted = with_savings([first, first], LONG, ALL)
    quizzes = [i.quiz_generation.saved for i in counted if i.quiz_generation]
    assert quizzes == [{}, {}]
    assert total_savings(counted) == {
        "majority_suffices": 2 * (2 + ALL.summary_generators),
        "verdict_in_debate": 2 * ALL.summary_reviewers,
    }
