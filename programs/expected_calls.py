"""How often each role is called in a run: the fewest times and the most, as replies decide."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from pydantic import BaseModel, ConfigDict, Field

from summq.programs.config import SummQConfig
from summq.programs.coverage import calls_for

NamedCalls = tuple[str, int, int]


class Calls(BaseModel):
    """How often a role is called: between `least` and `most` times, as replies decide, and what is `likely`."""

    model_config = ConfigDict(frozen=True)

    least: int = 0
    most: int = 0
    likely: float = Field(default_factory=lambda given: (given["least"] + given["most"]) / 2)

    def __add__(self, other: "Calls") -> "Calls":
        return Calls(least=self.least + other.least, most=self.most + other.most, likely=self.likely + other.likely)


def expected_calls(config: SummQConfig, windows: int = 1) -> dict[str, Calls]:
    """The calls of a whole run by role: at least one round, at most `max_iterations` of them, and the ending.

    Most runs are ended by their number of rounds: it is likely that all take place, and that in each half of the calls
    are made that may be needed. Of a document that is read in several `windows`, each that yields questions is asked
    for its own.
    """
    rounds = [_round(config, number, windows) for number in range(1, config.max_iterations + 1)]
    later = chain.from_iterable(_made(each, sure=False) for each in rounds[1:])
    calls: dict[str, Calls] = defaultdict(Calls)
    for role, its in chain(_made(rounds[0]), later, _made(_ending(config))):
        calls[role] += its
    return dict(calls)


def _made(named: Iterator[NamedCalls], *, sure: bool = True) -> Iterator[tuple[str, Calls]]:
    """The calls of a part of a run, which may not take place at all if it is not `sure`."""
    for role, least, most in named:
        if most:
            yield role, Calls(least=least if sure else 0, most=most, likely=(least + most) / 2)


def _round(config: SummQConfig, number: int, windows: int = 1) -> Iterator[NamedCalls]:
    duty, reviewed = "draft" if number == 1 else "revise", config.reviews_iteration(number)
    yield from _generation(config, "summary", config.summary_generators, duty)
    if reviewed:
        yield from _review(config, "summary", config.summary_reviewers)
    if not config.quiz_stream:
        return
    windows = min(windows, config.questions.total)
    yield from _generation(config, "quiz", config.quiz_generators, duty, windows)
    if reviewed:
        yield from _review(config, "quiz", config.quiz_reviewers)
    yield from _exam(1)
    yield "examinee.open_book", int(config.verify_quiz), config.verify_quiz * (1 + windows)  # on evidence; on the whole
    yield "examinee.blind", int(config.blind_control), int(config.blind_control)
    yield "grader", 0, config.verify_quiz + config.blind_control


def _generation(config: SummQConfig, stream: str, agents: int, duty: str, windows: int = 1) -> Iterator[NamedCalls]:
    several = int(agents > 1)
    parts = calls_for(config.questions, config.questions_at_once) if stream == "quiz" else 1
    yield (
        f"{stream}_generator.{duty}",
        agents * (max(parts, windows) if duty == "draft" else 1),
        agents * (parts + windows - 1),
    )
    if stream == "summary" and config.check_length:
        yield f"{stream}_generator.revise", 0, agents + several  # what is off the wanted length is sent back
    comparing = several if config.every_call else 0
    yield f"{stream}_aggregator", comparing, several
    yield f"{stream}_ranker", comparing, several
    yield f"{stream}_generator.vote", several * agents if config.every_call else 0, several * agents


def _review(config: SummQConfig, stream: str, agents: int) -> Iterator[NamedCalls]:
    several = int(agents > 1)
    in_debate = config.economy.verdict_in_debate and config.debate_rounds > 0
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


__all__ = ["Calls", "expected_calls"]
