"""What one document costs: COMBO with three iterations over 36,000 tokens, cached input at a tenth of the price.

    python benchmarks/cost.py [--json] [--tokens 36000] [--errors 0.1]
    python benchmarks/cost.py --issues 0 2 5 10

Requests go over HTTP to a simulated provider, which answers by the `offline` engine; `--errors` is the share of items
that each of its agents gets wrong: the more there is to find, to contest and to mend, the more calls are made. Two rows
show SummQ with a tenth of all items wrong, so that next to no call of the protocol is left out. With `--issues` it is
told by how many issues each reviewer raises in each round that no other raises.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from chronicle import chronicle
from compared import (
    CHEAPEST,
    ECONOMICAL,
    EVERY,
    ROWS,
    SINGLE,
    STOCK_EVERY,
    SUMMQ,
    UNREVIEWED,
    Call,
    Run,
    measured,
    offline,
    quarrelling,
)
from prefix_cache import count_tokens
from provider import Prices
from report import Criterion, Report, add, finish, parser, table
from rich.table import Table

from summq.signatures import Document

SPEED = 4.0
PRICES = Prices()
ERRORS = 0.1
ERRING = tuple(replace(row, name=f"{row.name}, a tenth wrong") for row in (SUMMQ, EVERY))
CHEAPER = 0.06  # the price of a small backbone in terms of a large one: GPT-4o mini and GPT-4o
ON_SMALL = ("ranker", "vote", "grouper", "examinee", "open_book", "blind", "grader")
"""The recommended mix: who writes, reviews and argues is on a large backbone, who compares and answers on a small."""
CHEAP_ENOUGH = {
    "reviewers": ("review", "debate", "verdict", "grouper"),
    "examinee and grader": ("examinee", "open_book", "grader"),
    "rankers and voters": ("ranker", "vote"),
}


@dataclass(frozen=True)
class Cost:
    """What a run cost and for what; the four parts in USD add up to `usd`.

    A reading is a call with the document in its prompt. `full_price_readings` is how much of the document was paid for
    in full, in documents; `repeated_from_cache` is the share of all but the first reading that the cache served.
    """

    calls: int
    readings: int
    full_price_readings: float
    repeated_from_cache: float
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    usd: float
    usd_first_reading: float
    usd_repeated_readings: float
    usd_other_input: float
    usd_replies: float

    @classmethod
    def of(cls, run: Run, document: int) -> "Cost":
        """The cost of a run over one document of so many tokens."""
        cached = [min(call.record.cached_tokens, document) for call in run.calls if reads(call, document)]
        usage, readings = run.usage, len(cached)
        usd = usage.cost or 0.0
        first = document * PRICES.input / 1e6
        repeated = sum((document - c) * PRICES.input + c * PRICES.cached_input for c in cached) / 1e6 - first
        replies = usage.output_tokens * PRICES.output / 1e6
        return cls(
            calls=usage.calls,
            readings=readings,
            full_price_readings=readings - sum(cached) / document,
            repeated_from_cache=sum(cached) / document / (readings - 1) if readings > 1 else 1.0,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
            usd=usd,
            usd_first_reading=first,
            usd_repeated_readings=repeated,
            usd_other_input=usd - first - repeated - replies,
            usd_replies=replies,
        )


def reads(call: Call, document: int) -> bool:
    """Whether a call has the document in its prompt, going by the length of that."""
    return call.record.input_tokens >= document


def criteria(costs: dict[str, Cost]) -> list[Criterion]:
    """What has to hold."""
    summq, stock, single = costs[SUMMQ.name], costs[STOCK_EVERY.name], costs[SINGLE.name].usd
    every = max(costs[EVERY.name], costs[ERRING[1].name], key=lambda cost: cost.usd)
    return [
        Criterion("readings of the document at full price", summq.full_price_readings, 1.2),
        Criterion("... with every call made and reading it", every.full_price_readings, 1.2),
        Criterion("share of repeated readings from the cache", summq.repeated_from_cache, 0.97, at_least=True),
        Criterion("... with every call made and reading it", every.repeated_from_cache, 0.97, at_least=True),
        Criterion("cost, in single prompts", summq.usd / single, 10),
        Criterion("... with every call made and reading the document", every.usd / single, 16),
        Criterion("cost, in terms of the protocol in the stock layout", summq.usd / stock.usd, 0.2),
    ]


def cost_table(costs: dict[str, Cost]) -> Table:
    """A line for each row: calls, readings, tokens, money."""
    made = table("", "calls", "readings", "at full price", "from cache", "tokens in", "cached", "tokens out", "USD")
    for name, c in costs.items():
        share = f"{c.repeated_from_cache:.1%}"
        tokens = (c.input_tokens, c.cached_tokens, c.output_tokens)
        add(made, name, c.calls, c.readings, c.full_price_readings, share, *tokens, f"{c.usd:.3f}")
    return made


def parts_table(costs: dict[str, Cost]) -> Table:
    """What makes up the cost, in single prompts."""
    single = costs[SINGLE.name].usd
    made = table("in single prompts", "first reading", "repeated readings", "other input", "replies", "all")
    for name, c in costs.items():
        parts = (c.usd_first_reading, c.usd_repeated_readings, c.usd_other_input, c.usd_replies, c.usd)
        add(made, name, *(part / single for part in parts))
    return made


def roles_table(run: Run, document: int, single: float) -> Table:
    """What each role read and wrote, in tokens, and what that makes up of the cost, in single prompts."""
    tokens, parts = ("other input each", "reply each"), ("reading", "other input", "replies", "all")
    made = table(run.row.name, "calls", "readings", *tokens, *parts)
    for role in sorted({call.role for call in run.calls}):
        calls = [call for call in run.calls if call.role == role]
        cached = [min(call.record.cached_tokens, document) for call in calls if reads(call, document)]
        other = sum(call.record.input_tokens for call in calls) - len(cached) * document
        written = sum(call.record.output_tokens for call in calls)
        reading = sum((document - c) * PRICES.input + c * PRICES.cached_input for c in cached) / 1e6
        usd, replies = sum(call.record.cost or 0.0 for call in calls), written * PRICES.output / 1e6
        cost = (f"{part / single:.2f}" for part in (reading, usd - reading - replies, replies, usd))
        add(made, role, len(calls), len(cached), other // len(calls), written // len(calls), *cost)
    return made


def cheaper_table(run: Run, cost: Cost, single: float) -> Table:
    """What is left of the cost when roles that judge and do not write are given to a small backbone."""
    made = table("on a backbone at 6 % of the price", "USD saved", "USD left", "in single prompts")
    left = cost.usd - cost.usd_first_reading * CHEAPER  # which has to read the document once, too
    for who, duties in CHEAP_ENOUGH.items():
        saved = (1 - CHEAPER) * sum(call.record.cost or 0.0 for call in run.calls if call.role.endswith(duties))
        left -= saved
        add(made, f"... and {who}" if made.rows else who, f"{saved:.3f}", f"{left:.3f}", left / single)
    return made


def mixed(run: Run, cost: Cost) -> float:
    """The cost in USD where the recommended roles are on a small backbone, which has to read the document, too."""
    dear = sum(call.record.cost or 0.0 for call in run.calls if not call.role.endswith(ON_SMALL))
    small = sum(call.record.cost or 0.0 for call in run.calls if call.role.endswith(ON_SMALL))
    return dear + CHEAPER * (small + cost.usd_first_reading)


def by_issues(document: Document, issues: Sequence[int]) -> Report:
    """The cost in single prompts by how much there is to argue about."""
    length = count_tokens(document.text)
    prompt = Cost.of(measured(SINGLE, [document], quarrelling(0), speed=SPEED), length)
    single = prompt.usd
    rows = (SUMMQ, EVERY, UNREVIEWED, ECONOMICAL, CHEAPEST)
    runs = {(row.name, k): measured(row, [document], quarrelling(k), speed=SPEED) for k in issues for row in rows}
    costs = {key: Cost.of(run, length) for key, run in runs.items()}
    made = table("in single prompts, by issues of each reviewer and round", *map(str, issues))
    for row in rows:
        add(made, row.name, *(costs[row.name, k].usd / single for k in issues))
        usual = [(runs[row.name, k], costs[row.name, k]) for k in issues]
        add(made, f"{row.name}, recommended mix", *(mixed(run, cost) / single for run, cost in usual))
    other = table("input other than the document", *map(str, issues))
    for row in rows:
        add(other, row.name, *(costs[row.name, k].usd_other_input / single for k in issues))
    shown = 2 if 2 in issues else issues[0]
    parts = {SINGLE.name: prompt} | {f"{row.name}, {shown} issues": costs[row.name, shown] for row in rows}
    bounds = ((SUMMQ, 2, 11.0), (EVERY, 5, 16.0), (ECONOMICAL, 2, 8.0))
    return Report(
        figures={
            f"{name}, {k} issues": {**asdict(cost), "singles": cost.usd / single} for (name, k), cost in costs.items()
        },
        tables=[made, other, parts_table(parts), roles_table(runs[SUMMQ.name, shown], length, single)],
        criteria=[
            Criterion(f"{row.name}, {k} issues: single prompts", costs[row.name, k].usd / single, bound)
            for row, k, bound in bounds
            if k in issues
        ],
    )


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--tokens", type=int, default=36_000)
    options.add_argument("--errors", type=float, default=0.0)
    options.add_argument("--issues", type=int, nargs="+", help="of each reviewer and round")
    chosen = options.parse_args(arguments)
    document = Document(text=chronicle(chosen.tokens))
    if chosen.issues:
        finish(by_issues(document, chosen.issues), as_json=chosen.json)
        return
    length = count_tokens(document.text)
    answer = offline(chosen.errors)
    runs = {row.name: measured(row, [document], answer, speed=SPEED) for row in ROWS}
    runs |= {row.name: measured(row, [document], offline(ERRORS), speed=SPEED) for row in ERRING}
    costs = {name: Cost.of(run, length) for name, run in runs.items()}
    summq = runs[SUMMQ.name]
    single = costs[SINGLE.name].usd
    cheaper = cheaper_table(summq, costs[SUMMQ.name], single)
    report = Report(
        figures={"document_tokens": length, "rows": {name: asdict(cost) for name, cost in costs.items()}},
        tables=[cost_table(costs), parts_table(costs), roles_table(summq, length, single), cheaper],
        criteria=criteria(costs),
    )
    finish(report, as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["Cost", "criteria", "reads"]
