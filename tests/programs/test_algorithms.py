"""A round of the paper's protocol as a whole: how many calls it makes, and which of them wait for which."""

import json

import pytest

from summq.programs import SummQ
from summq.signatures import NOT_IN_SUMMARY, QuestionCounts
from tests.planted import Asked, Outputs, Planted, found, halls, issue, planted

STREAMS = ("summary", "quiz")


def a_round(agents: int, debate_rounds: int) -> Planted:
    """One round in the paper's reading, in which each reviewer raises an issue of its own and the examinee is lost."""

    def own_issue(asked: Asked) -> Outputs:
        return found(issue(str(asked.agent + 1), "ambiguous", f"Said by reviewer {asked.agent}."))

    def blank(asked: Asked) -> Outputs:
        numbers = [item["number"] for item in json.loads(asked["questions"])]
        return {"sheet": {"answers": [{"number": number, "answer": NOT_IN_SUMMARY} for number in numbers]}}

    plan = {f"{stream}_reviewer.review": own_issue for stream in STREAMS} | {"examinee": blank}
    components = ("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers")
    questions = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
    program = SummQ.preset(
        "combo",
        paper_faithful=True,
        max_iterations=1,
        questions=questions,
        debate_rounds=debate_rounds,
        **dict.fromkeys(components, agents),
    )
    with planted(plan) as engine:
        program(document=halls())
    return engine


@pytest.mark.slow
@pytest.mark.parametrize("debate_rounds", [0, 1, 2])
@pytest.mark.parametrize("agents", [2, 3, 5])
def test_a_round_makes_the_calls_of_the_plain_reading(agents: int, debate_rounds: int) -> None:
    calls = a_round(agents, debate_rounds).calls
    generating, reviewing = 2 * agents + 2, (2 + debate_rounds) * agents + 1
    assert sum(calls.values()) == 2 * generating + 2 * reviewing + 1
    assert {role: calls[role] for role in calls if role.startswith("summary")} == {
        role.replace("quiz", "summary"): calls[role] for role in calls if role.startswith("quiz")
    }


def test_each_stage_waits_for_the_one_before_and_reviews_and_exam_for_both_streams() -> None:
    roles = [asked.role for asked in a_round(3, 2).asked]

    def waits(later: str, *earlier: str) -> None:
        assert max(k for k, role in enumerate(roles) if role in earlier) < roles.index(later)

    for stream in STREAMS:
        generator, reviewer = f"{stream}_generator", f"{stream}_reviewer"
        waits(f"{stream}_aggregator", f"{generator}.draft")
        waits(f"{stream}_ranker", f"{generator}.draft")
        waits(f"{generator}.vote", f"{stream}_aggregator", f"{stream}_ranker")
        waits(f"{reviewer}.review", *(f"{each}_generator.vote" for each in STREAMS))
        waits(f"{reviewer}.debate", f"{reviewer}.review", f"{stream}_grouper")
        waits(f"{reviewer}.verdict", f"{reviewer}.debate")
    waits("examinee", *(f"{each}_generator.vote" for each in STREAMS))
