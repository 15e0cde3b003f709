"""What the benchmarks compare, and one run of it against the simulated provider.

SummQ as it comes; with every call made; with every economy; the first two in DSPy's stock chat layout; a plain
sequential script of the protocol; one single prompt.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import dspy
from provider import Clock, Hardware, LoggedRequest, Prices, Provider, Remembered, offline_answer, quarrelling_answer

from summq.programs import Economy, SummQ, SummQConfig
from summq.programs.baselines import Direct
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import CallRecord, Meter
from summq.programs.runtime.usage import Prices as Rates
from summq.signatures import Document, Usage

ITERATIONS = 3
IMMEDIATE = 10_000.0
AT_ONCE = Hardware(prefill_rate=1e9, decode_rate=1e9)


@dataclass(frozen=True)
class Row:
    """One line of a comparison."""

    name: str
    economy: Economy | None = None
    every_call: bool = False
    stock_layout: bool = False
    sequential: bool = False
    questions_at_once: int = SummQConfig().questions_at_once

    def program(self, clock: Clock, **changes: Any) -> dspy.Module:
        """The program of this row; without an economy it is the single prompt."""
        if self.economy is None:
            return Direct()
        ahead = SummQConfig().head_start / clock.speed
        options = {"max_iterations": ITERATIONS, "accept_accuracy": None, "head_start": ahead, **changes}
        return SummQ.preset(
            "combo",
            economy=self.economy,
            every_call=self.every_call,
            prime_prefix=not self.sequential,
            questions_at_once=self.questions_at_once,
            **options,
        )


SUMMQ = Row("SummQ", Economy())
EVERY = Row("SummQ, every call", Economy(), every_call=True)
UNREVIEWED = Row("SummQ, last iteration not reviewed", Economy(no_last_review=True))
ECONOMICAL = Row("SummQ, economical", Economy.all())
CHEAPEST = replace(ECONOMICAL, name="SummQ, economical, a quiz in one call", questions_at_once=30)
STOCK = Row("stock layout", Economy(), stock_layout=True)
STOCK_EVERY = Row("stock layout, every call", Economy(), every_call=True, stock_layout=True)
SCRIPT = Row("sequential script", Economy(), every_call=True, stock_layout=True, sequential=True)
SINGLE = Row("single prompt")
ROWS = (SUMMQ, EVERY, ECONOMICAL, STOCK, STOCK_EVERY, SCRIPT, SINGLE)


@dataclass(frozen=True)
class Call:
    """A call as its maker saw it, in simulated seconds."""

    role: str
    agent: int
    record: CallRecord
    started: float
    ended: float

    def service(self, hardware: Hardware) -> float:
        """How long the provider has to work on it: the prompt as far as it is not cached, then the reply."""
        computed = self.record.input_tokens - self.record.cached_tokens
        return computed / hardware.prefill_rate + self.record.output_tokens / hardware.decode_rate


@dataclass(frozen=True)
class Run:
    """One row's run over some documents."""

    row: Row
    calls: list[Call]
    usage: Usage
    started: float
    ended: float
    log: list[LoggedRequest] = field(repr=False)

    def seconds(self, hardware: Hardware) -> float:
        """Simulated seconds from the start to the end; of a sequential run, the sum of its calls."""
        if self.row.sequential:
            return sum(call.service(hardware) for call in self.calls)
        return self.ended - self.started


class Recorder(Meter):
    """A meter that also notes whose call it was and when it ended."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self._clock = clock
        self._noting = threading.Lock()

    def add(self, record: CallRecord) -> None:
        """Add a call, and note when it ended."""
        super().add(record)
        with self._noting:
            agent, now = int(dspy.settings.get("agent") or 0), self._clock.now()
            self.calls.append(Call(record.role, agent, record, now - record.seconds * self._clock.speed, now))


def run(row: Row, documents: Sequence[Document], provider: Provider, **changes: Any) -> Run:
    """Run a row's program over all documents at once, as many calls at a time as the provider takes."""
    prices = Prices()
    rates = Rates(prices.input, prices.output, prices.cached_input)
    backbone = connect(f"openai/simulated@{provider.url}", prices=rates, cache=False)
    program = row.program(provider.clock, **changes)
    recorder = Recorder(provider.clock)
    layout = dspy.context(adapter=dspy.ChatAdapter()) if row.stock_layout else nullcontext()
    concurrency = 1 if row.sequential else provider.hardware.concurrency
    with session(backbone, cache_dir="", concurrency=concurrency), layout, dspy.context(meter=recorder):
        started = provider.clock.now()
        parallel(partial(_run_on, program), documents)
        return Run(row, recorder.calls, recorder.usage(), started, provider.clock.now(), provider.log)


def _run_on(program: dspy.Module, document: Document) -> dspy.Prediction:
    with dspy.context(document_key=document.key):
        return program(document=document)


def offline(errors: float, reduced: Callable[[str], str] = str) -> Remembered:
    """Answers of the offline engine, all of whose agents get this share of items wrong."""
    answer = offline_answer(seed=1, generator=errors, reviewer=errors, voter=errors, examinee=errors)
    return Remembered(answer, reduced)


def quarrelling(issues: int) -> Remembered:
    """Answers of the offline engine, but every reviewer raises so many issues of its own in each round."""
    return Remembered(quarrelling_answer(issues))


def measured(
    row: Row, documents: Sequence[Document], answer: Remembered, *, speed: float, alike: bool = False, **changes: Any
) -> Run:
    """A row's run on a provider with an empty cache, after a rehearsal in which all replies were worked out.

    A sequential run is not timed: what it takes is the sum of its calls.

    Args:
        alike: Whether the first document can stand for all of them in the rehearsal.
    """
    with Provider(answer, hardware=AT_ONCE, speed=IMMEDIATE) as rehearsal:
        rehearsed = run(row, documents[:1] if alike else documents, rehearsal, **changes)
    if row.sequential:
        return rehearsed
    known = answer.worked_out
    with Provider(answer, speed=speed) as provider:
        timed = run(row, documents, provider, **changes)
    if answer.worked_out > known:
        raise RuntimeError(f"{row.name}: {answer.worked_out - known} requests were not in the rehearsal")
    return timed


__all__ = [
    "AT_ONCE",
    "CHEAPEST",
    "ECONOMICAL",
    "EVERY",
    "IMMEDIATE",
    "ITERATIONS",
    "ROWS",
    "SCRIPT",
    "SINGLE",
    "STOCK",
    "STOCK_EVERY",
    "SUMMQ",
    "UNREVIEWED",
    "Call",
    "Recorder",
    "Row",
    "Run",
    "measured",
    "offline",
    "quarrelling",
    "run",
]
