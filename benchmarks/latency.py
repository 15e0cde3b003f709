"""How long one document takes, in the seconds of a simulated provider, and how long the protocol lets it take.

    python benchmarks/latency.py [--json] [--tokens 36000] [--errors 0.1] [--speed 3]

The critical path is the longest chain of calls that have to wait for each other by Algorithms 1 to 3, each taking only
as long as the provider works on it, after one prefill of the document. The sequential script makes the same protocol's
calls one after the other.
"""

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from chronicle import chronicle
from compared import AT_ONCE, EVERY, IMMEDIATE, SCRIPT, SINGLE, STOCK, SUMMQ, Call, Run, measured, offline
from exam import examined
from provider import Hardware, Provider, Remembered, offline_answer
from report import Criterion, Report, add, finish, parser, table
from rich.table import Table

from summq.programs.runtime.prefix import PRIMER
from summq.signatures import Document

ROWS = (SUMMQ, EVERY, STOCK, SCRIPT, SINGLE)
HARDWARE = Hardware()
STREAMS = ("summary", "quiz")
EVERYBODY = range(3)  # COMBO


def critical_path(run: Run, hardware: Hardware) -> float:
    """Seconds that the protocol needs for the calls of this run, however well they are scheduled."""
    prefill = sum(call.service(hardware) for call in run.calls if call.role == PRIMER)
    if run.row.economy is None or run.row.sequential:
        return run.seconds(hardware)
    majority = len(EVERYBODY) if run.row.every_call else len(EVERYBODY) // 2 + 1
    return prefill + sum(_round(calls, majority, hardware) for calls in rounds(run.calls))


def rounds(calls: Iterable[Call]) -> list[list[Call]]:
    """The calls of each iteration: it begins when somebody drafts or revises after something was reviewed."""
    made: list[list[Call]] = [[]]
    reviewed = False
    for call in sorted(calls, key=lambda c: c.started):
        writes = call.role.endswith((".draft", ".revise"))
        if writes and reviewed:
            made.append([])
            reviewed = False
        reviewed |= call.role.endswith(".review")
        made[-1].append(call)
    return made


def _round(calls: Sequence[Call], majority: int, hardware: Hardware) -> float:
    """Both streams are written side by side; then both are reviewed, beside the two examinees."""
    stages = _Stages(calls, hardware)
    writing = [
        stages.longest(f"{stream}_generator.draft", f"{stream}_generator.revise")
        + max(stages.longest(f"{stream}_aggregator"), stages.longest(f"{stream}_ranker"))
        + stages.votes(f"{stream}_generator.vote", majority)
        for stream in STREAMS
    ]
    reviewing = [
        stages.longest(f"{stream}_reviewer.review")
        + stages.longest(f"{stream}_grouper")
        + stages.longest(f"{stream}_reviewer.debate")
        + stages.votes(f"{stream}_reviewer.verdict", majority)
        for stream in STREAMS
    ]
    examining = [stages.longest("examinee") + stages.longest("grader"), stages.longest("examinee.open_book")]
    return max(writing) + max([*reviewing, *examining])


class _Stages:
    """How long the stages of one iteration take."""

    def __init__(self, calls: Sequence[Call], hardware: Hardware) -> None:
        self._calls = calls
        self._hardware = hardware

    def longest(self, *roles: str, agents: Container[int] = EVERYBODY) -> float:
        """The agent who takes longest: what one agent is asked in turn adds up, what it is asked at once does not."""
        by_agent: dict[int, list[Call]] = defaultdict(list)
        for call in sorted(self._calls, key=lambda c: c.started):
            if call.role in roles and call.agent in agents:
                by_agent[call.agent].append(call)
        return max(map(self._in_turn, by_agent.values()), default=0.0)

    def _in_turn(self, calls: Sequence[Call]) -> float:
        """Seconds for the calls of one agent, of which those that were at work at once count as the longest of them."""
        total = at_once = 0.0
        ended = -math.inf
        for call in calls:
            if call.started >= ended:
                total, at_once = total + at_once, 0.0
            ended, at_once = max(ended, call.ended), max(at_once, call.service(self._hardware))
        return total + at_once

    def votes(self, role: str, majority: int) -> float:
        """A majority votes at once; the others are asked when it is not of one mind."""
        first, others = range(majority), range(majority, len(EVERYBODY))
        return self.longest(role, agents=first) + self.longest(role, agents=others)


def seconds_table(runs: dict[str, Run]) -> Table:
    """A line for each row: calls, seconds, and how they relate."""
    single, script = runs[SINGLE.name].seconds(HARDWARE), runs[SCRIPT.name].seconds(HARDWARE)
    made = table(
        "simulated seconds", "calls", "one after the other", "critical path", "wall", "singles", "script / wall"
    )
    for name, run in runs.items():
        work = sum(call.service(HARDWARE) for call in run.calls)
        path = critical_path(run, HARDWARE)
        wall = run.seconds(HARDWARE)
        add(made, name, len(run.calls), work, path, wall, wall / single, script / wall)
    return made


def stages_table(run: Run) -> Table:
    """When the calls of each role began and ended, iteration by iteration."""
    made = table(run.row.name, "calls", "first began", "last ended")
    for number, calls in enumerate(rounds(run.calls), 1):
        for role in dict.fromkeys(call.role for call in calls):
            mine = [call for call in calls if call.role == role]
            began, ended = min(c.started for c in mine) - run.started, max(c.ended for c in mine) - run.started
            add(made, f"{number} {role}", len(mine), began, ended)
    return made


def first_exam(document: Document, speed: float) -> float:
    """Seconds until one summary of a document is examined of which there is no quiz yet."""
    answer = Remembered(offline_answer(seed=1))
    with Provider(answer, hardware=AT_ONCE, speed=IMMEDIATE) as rehearsal:
        examined(document, rehearsal, 1)
    with Provider(answer, speed=speed) as provider:
        started = provider.clock.now()
        examined(document, provider, 1)
        return provider.clock.now() - started


def criteria(runs: dict[str, Run]) -> list[Criterion]:
    """What has to hold."""
    summq, every, script = (runs[row.name] for row in (SUMMQ, EVERY, SCRIPT))
    wall = summq.seconds(HARDWARE)
    return [
        Criterion("wall time in terms of the critical path", wall / critical_path(summq, HARDWARE), 1.10),
        Criterion("... with every call made", every.seconds(HARDWARE) / critical_path(every, HARDWARE), 1.10),
        Criterion("wall time in terms of the sequential script", wall / script.seconds(HARDWARE), 0.2),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--tokens", type=int, default=36_000)
    options.add_argument("--errors", type=float, default=0.0)
    options.add_argument("--speed", type=float, default=3.0, help="simulated seconds in a real one")
    chosen = options.parse_args(arguments)
    document = Document(text=chronicle(chosen.tokens))
    answer = offline(chosen.errors)
    runs = {row.name: measured(row, [document], answer, speed=chosen.speed) for row in ROWS}
    figures = {
        name: {"calls": len(run.calls), "wall": run.seconds(HARDWARE), "critical_path": critical_path(run, HARDWARE)}
        for name, run in runs.items()
    }
    exam = table("a first exam of one summary", "simulated seconds")
    add(exam, "wall", seconds := first_exam(document, chosen.speed))
    tables = [seconds_table(runs), stages_table(runs[SUMMQ.name]), exam]
    report = Report({"rows": figures, "first_exam": seconds}, tables, criteria(runs))
    finish(report, as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["critical_path", "rounds"]
