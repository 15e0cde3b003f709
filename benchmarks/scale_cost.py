"""Documents a day and dollars for 1,000, 100,000 and 10,000,000 documents, by kind of backbone.

    python benchmarks/scale_cost.py [--json] [--tokens 36000] [--issues 2]

Calls, tokens and the share of the cache are measured, on a simulated provider, of one document by a single prompt, SOLO
and COMBO; `--issues` is by how many issues each reviewer raises in each round that no other raises. What a kind of
backbone charges and how fast it is are assumptions, printed beside what follows from them: put in your own.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import dspy
from chronicle import chronicle
from compared import ITERATIONS, SINGLE, SUMMQ, Row, measured, quarrelling
from prefix_cache import count_tokens
from provider import Clock, Prices
from report import Report, add, finish, parser, table
from rich.table import Table

from summq.programs import SummQ, SummQConfig
from summq.programs.runtime.session import session
from summq.signatures import Document, Usage

SPEED = 8.0
DAY = 86_400
FREE = Prices(0, 0, 0)
CORE = 0.03  # USD an hour
SIZES = (1_000, 100_000, 10_000_000)


@dataclass(frozen=True)
class Solo(Row):
    """SOLO with as many iterations as COMBO has here."""

    def program(self, clock: Clock, **changes: object) -> dspy.Module:
        """The program."""
        ahead = SummQConfig().head_start / clock.speed
        return SummQ.preset("solo", max_iterations=ITERATIONS, accept_accuracy=None, head_start=ahead)


@dataclass(frozen=True)
class Measured:
    """What a program takes for a document: use of a model, and CPU seconds on `offline`."""

    usage: Usage
    offline_seconds: float


@dataclass(frozen=True)
class Kind:
    """A kind of backbone: what it charges, or what its machine costs an hour, and how fast it is.

    `prefill` and `decode` are tokens a second of one of `slots` requests at work at once; `batch` is answered within a
    day, however much it is.
    """

    name: str
    prices: Prices = FREE
    hourly: float = 0.0
    prefill: float = 10_000.0
    decode: float = 80.0
    slots: int = 16
    batch: bool = False
    caches: bool = True
    offline: bool = False

    def a_day(self, of: Measured) -> float:
        """Documents that one process with all slots at work gets through in a day."""
        if self.offline:
            return DAY / of.offline_seconds
        read = of.usage.input_tokens - (of.usage.cached_tokens if self.caches else 0)
        return DAY * self.slots / (read / self.prefill + of.usage.output_tokens / self.decode)

    def dollars(self, of: Measured) -> float:
        """USD for a document."""
        usage = of.usage
        cached = usage.cached_tokens if self.caches else 0
        tokens = (usage.input_tokens - cached, cached, usage.output_tokens)
        rates = (self.prices.input, self.prices.cached_input, self.prices.output)
        charged = sum(number * rate for number, rate in zip(tokens, rates, strict=True)) / 1e6
        return charged + self.hourly * 24 / self.a_day(of)


KINDS = (
    Kind("hosted, large: USD 2.50 / 0.25 / 10, 16 slots", Prices()),
    Kind("... 256 slots", Prices(), slots=256),
    Kind("hosted, small: 6 % of that, 16 slots", Prices(0.15, 0.015, 0.6)),
    Kind("batches, large: half", Prices(1.25, 1.25, 5.0), batch=True, caches=False),
    Kind("batches, small: half", Prices(0.075, 0.075, 0.3), batch=True, caches=False),
    Kind("own server, a GPU at USD 2 an hour, 16 slots", hourly=2.0, prefill=1_000.0, decode=40.0),
    Kind("local, 1.5B on a core at USD 0.03 an hour", hourly=CORE, prefill=33.0, decode=5.7, slots=1),
    Kind("offline, measured here, on such a core", hourly=CORE, offline=True),
)


def measured_table(programs: dict[str, Measured]) -> Table:
    """What was measured."""
    made = table("a document", "calls", "tokens in", "cached", "tokens out", "CPU seconds on offline")
    for name, of in programs.items():
        share = f"{of.usage.cached_tokens / of.usage.input_tokens:.0%}"
        add(made, name, of.usage.calls, of.usage.input_tokens, share, of.usage.output_tokens, of.offline_seconds)
    return made


def offline_seconds(row: Row, document: Document) -> float:
    """CPU seconds that a document takes on `offline`."""
    program = row.program(Clock())
    with session("offline", cache_dir=""):
        started = time.process_time()
        program(document=document)
        return time.process_time() - started


def sizes_table(name: str, of: Measured) -> Table:
    """Documents a day, and days and USD for each size, by kind of backbone."""
    made = table(name, "documents a day", *(f"{size:,}: days" for size in SIZES), *(f"{size:,}: USD" for size in SIZES))
    for kind in KINDS:
        if kind.batch and of.usage.calls > 1:
            continue  # batches are for programs of one call
        speed = kind.a_day(of)
        days = ["within 1"] + ["by the limit"] * 2 if kind.batch else [_short(size / speed) for size in SIZES]
        dollars = [_short(size * kind.dollars(of)) for size in SIZES]
        add(made, kind.name, "–" if kind.batch else _short(speed), *days, *dollars)
    return made


def _short(value: float) -> str:
    """Two digits that count."""
    if value >= 100:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.2g}"


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--tokens", type=int, default=36_000)
    options.add_argument("--issues", type=int, default=2)
    chosen = options.parse_args(arguments)
    document = Document(text=chronicle(chosen.tokens))
    answer = quarrelling(chosen.issues)
    rows = {"a single prompt": SINGLE, "SOLO": Solo("SOLO"), "COMBO": SUMMQ}
    programs = {
        name: Measured(measured(row, [document], answer, speed=SPEED).usage, offline_seconds(row, document))
        for name, row in rows.items()
    }
    figures = {
        name: {**of.usage.model_dump(exclude={"roles"}), "offline_seconds": of.offline_seconds}
        for name, of in programs.items()
    }
    report = Report(
        figures={"tokens": count_tokens(document.text), "measured": figures, "kinds": [asdict(kind) for kind in KINDS]},
        tables=[measured_table(programs), *(sizes_table(name, of) for name, of in programs.items())],
        criteria=[],
    )
    finish(report, as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["Kind"]
