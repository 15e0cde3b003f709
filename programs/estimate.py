"""How many calls a run makes, by role, known before it is made.

In one round, with n generators and m reviewers in a stream and T rounds of debate, at most

    drafts n, aggregator 1, ranker 1, votes n            (n > 1; else the draft alone)
    reviews m, grouper 1, debate T m, verdicts m         (m > 1; else the reviews alone)
    examinee 1, open book 1, grader 1 for each of both

which for n = m = 3 and T = 1 makes the paper's 37 and the calls of what it leaves open: open book and graders. Replies
decide how many are made: equal candidates need no vote, and what all agree on no debate. Not counted is what failures
cost (an unreadable reply is asked for once more, an incomplete quiz up to twice), the digest of a document that exceeds
the window, and the tiny call that puts the document into a provider's prefix cache (`primer`).
"""

from collections import defaultdict
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from summq.programs.config import SummQConfig

NamedCalls = tuple[str, int, int]


class Calls(BaseModel):
    """How often a role is called: between `least` and `most` times, as replies decide."""

    model_config = ConfigDict(frozen=True)

    least: int = 0
    most: int = 0

    def __add__(self, other: "Calls") -> "Calls":
        return Calls(least=self.least + other.least, most=self.most + other.most)


def expected_calls(config: SummQConfig) -> dict[str, Calls]:
    """The calls of a whole run by role: at least one round, at most `max_iterations` of them, and the ending."""
    later = [[(role, 0, most) for role, _, most in _round(config, "revise")] for _ in range(config.max_iterations - 1)]
    return _summed([_round(config, "draft"), *later, _ending(config)])


def expected_calls_of_round(config: SummQConfig) -> dict[str, Calls]:
    """The calls of the first round by role."""
    return _summed([_round(config, "draft")])


def total(calls: dict[str, Calls]) -> Calls:
    """All roles together."""
    return sum(calls.values(), Calls())


def _summed(parts: "list[Iterator[NamedCalls] | list[NamedCalls]]") -> dict[str, Calls]:
    calls: dict[str, Calls] = defaultdict(Calls)
    for part in parts:
        for role, least, most in part:
            if most:
                calls[role] += Calls(least=least, most=most)
    return dict(calls)


def _round(config: SummQConfig, duty: str) -> Iterator[NamedCalls]:
    yield from _generation(config, "summary", config.summary_generators, duty)
    yield from _review(config, "summary", config.summary_reviewers)
    if not config.quiz_stream:
        return
    yield from _generation(config, "quiz", config.quiz_generators, duty)
    yield from _review(config, "quiz", config.quiz_reviewers)
    yield from _exam(1)
    yield "examinee.open_book", int(config.verify_quiz), int(config.verify_quiz)
    yield "grader", 0, int(config.verify_quiz)


def _generation(config: SummQConfig, stream: str, agents: int, duty: str) -> Iterator[NamedCalls]:
    several = int(agents > 1)
    yield f"{stream}_generator.{duty}", agents, agents
    comparing = 0 if config.savings.compare_differences else several
    yield f"{stream}_aggregator", comparing, several
    yield f"{stream}_ranker", comparing, several
    yield f"{stream}_generator.vote", 0 if config.savings.majority_suffices else several * agents, several * agents


def _review(config: SummQConfig, stream: str, agents: int) -> Iterator[NamedCalls]:
    several = int(agents > 1)
    in_debate = config.savings.verdict_in_debate and config.debate_rounds > 0
    yield f"{stream}_reviewer.review", agents, agents
    yield f"{stream}_grouper", 0, several
    yield f"{stream}_reviewer.debate", 0, several * agents * config.debate_rounds
    yield f"{stream}_reviewer.verdict", 0, 0 if in_debate else several * agents


def _exam(times: int) -> Iterator[NamedCalls]:
    yield "examinee", times, times
    yield "grader", 0, times


def _ending(config: SummQConfig) -> Iterator[NamedCalls]:
    if config.return_iteration == "best" and config.quiz_stream and config.max_iterations > 1:
        yield "examinee", 0, config.max_iterations
        yield "grader", 0, config.max_iterations
    if config.rewrite:
        yield "rewriter", 1, 1
        yield from _exam(int(config.quiz_stream))


__all__ = ["Calls", "expected_calls", "expected_calls_of_round", "total"]
