"""The critical path, on calls made up for it: a token of the reply takes a second, prompts take none."""

import pytest
from compared import EVERY, SUMMQ, Call, Row, Run
from latency import critical_path, rounds
from provider import Hardware

from summq.programs.runtime.usage import CallRecord
from summq.signatures import Usage

HARDWARE = Hardware(prefill_rate=1e12, decode_rate=1.0)


def call(role: str, seconds: int, agent: int = 0, started: float = 0.0) -> Call:
    return Call(role, agent, CallRecord(role, "m", output_tokens=seconds), started, started + seconds)


def path(*calls: Call, row: Row = SUMMQ) -> float:
    return critical_path(Run(row, list(calls), Usage(), 0.0, 1000.0, []), HARDWARE)


def test_agents_of_a_component_work_side_by_side() -> None:
    drafts = [call("summary_generator.draft", seconds, agent) for agent, seconds in enumerate((3, 5, 4))]
    assert path(*drafts) == pytest.approx(5)


def test_one_agent_is_asked_again_only_after_a_reply() -> None:
    first, again = call("quiz_generator.draft", 5), call("quiz_generator.draft", 2, started=5)
    assert path(first, again, call("quiz_generator.draft", 6, 1)) == pytest.approx(7)


def test_what_an_agent_is_asked_at_once_takes_as_long_as_the_longest() -> None:
    kinds = [call("quiz_generator.draft", seconds) for seconds in (3, 5, 4)]
    more = [call("quiz_generator.draft", seconds, started=5) for seconds in (2, 1)]
    assert path(*kinds, *more) == pytest.approx(7)


def test_streams_run_side_by_side_and_wait_for_each_other_before_the_review() -> None:
    writing = [call("summary_generator.draft", 3), call("quiz_generator.draft", 8), call("summary_aggregator", 2)]
    reviewing = [call("summary_reviewer.review", 4, started=8), call("examinee", 1), call("grader", 2)]
    assert path(*writing, *reviewing) == pytest.approx(12)


def test_the_primer_goes_ahead_of_everything() -> None:
    assert path(call("primer", 4), call("summary_generator.draft", 3, started=4)) == pytest.approx(7)


def test_a_third_vote_waits_for_the_first_two_where_votes_are_saved() -> None:
    votes = [call("quiz_generator.vote", 1, 0), call("quiz_generator.vote", 1, 1), call("quiz_generator.vote", 3, 2)]
    assert path(*votes) == pytest.approx(4)
    assert path(*votes, row=EVERY) == pytest.approx(3)


def test_a_round_begins_when_somebody_writes_after_a_review() -> None:
    names = ["summary_generator.draft", "quiz_generator.draft", "summary_reviewer.review", "examinee"]
    later = ["summary_generator.revise", "summary_reviewer.review"]
    calls = [call(role, 1, started=float(k)) for k, role in enumerate([*names, *later])]
    assert [[c.role for c in made] for made in rounds(reversed(calls))] == [names, later]
    assert path(*calls) == pytest.approx(4)
