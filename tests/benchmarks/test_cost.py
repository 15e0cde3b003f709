"""What a run cost, by its calls."""

import pytest
from compared import SUMMQ, Call, Run
from cost import Cost
from provider import Prices

from summq.programs.runtime.usage import CallRecord, Tokens
from summq.programs.runtime.usage import Prices as Rates
from summq.signatures import Usage

DOCUMENT = 1000
PRICES = Prices()


def call(read: int, cached: int, written: int) -> Call:
    cost = Rates(PRICES.input, PRICES.output, PRICES.cached_input).cost(Tokens(read, cached, written))
    record = CallRecord("role", "m", input_tokens=read, cached_tokens=cached, output_tokens=written, cost=cost)
    return Call("role", 0, record, 0.0, 1.0)


def cost(*calls: Call) -> Cost:
    usd = sum(c.record.cost or 0.0 for c in calls)
    usage = Usage(calls=len(calls), output_tokens=sum(c.record.output_tokens for c in calls), cost=usd)
    return Cost.of(Run(SUMMQ, list(calls), usage, 0.0, 1.0, []), DOCUMENT)


def test_a_document_read_once_and_then_from_the_cache() -> None:
    measured = cost(call(1100, 0, 10), call(1200, 1000, 10), call(300, 0, 10))
    assert measured.readings == 2
    assert measured.full_price_readings == 1
    assert measured.repeated_from_cache == 1


def test_calls_that_all_miss_the_cache() -> None:
    measured = cost(*[call(1100, 0, 10)] * 3)
    assert measured.full_price_readings == 3
    assert measured.repeated_from_cache == 0


def test_parts_add_up() -> None:
    c = cost(call(1100, 0, 100), call(1200, 1024, 50), call(300, 0, 10))
    parts = c.usd_first_reading, c.usd_repeated_readings, c.usd_other_input, c.usd_replies
    assert sum(parts) == pytest.approx(c.usd)
    assert c.usd_first_reading == pytest.approx(1000 * 2.5 / 1e6)
    assert c.usd_repeated_readings == pytest.approx(1000 * 0.25 / 1e6)
    assert c.usd_replies == pytest.approx(160 * 10 / 1e6)
