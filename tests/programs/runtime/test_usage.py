from concurrent.futures import ThreadPoolExecutor

from summq.programs.runtime.usage import CallRecord, Meter


def test_tokens_money_and_time_add_up_per_role() -> None:
    meter = Meter()
    meter.add(CallRecord("ranker", "m", input_tokens=100, cached_tokens=80, output_tokens=5, cost=0.5, seconds=2))
    meter.add(CallRecord("ranker", "m", input_tokens=10, output_tokens=5, cost=0.25, seconds=1))
    meter.add(CallRecord("grader", "m", input_tokens=1, output_tokens=1, cost=0.25))
    usage = meter.usage()
    assert (usage.calls, usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (3, 111, 80, 11)
    assert (usage.cost, usage.seconds) == (1.0, 3)
    assert list(usage.roles) == ["grader", "ranker"]
    assert (usage.roles["ranker"].calls, usage.roles["ranker"].cost) == (2, 0.75)


def test_an_unknown_price_makes_the_cost_of_its_role_and_of_the_run_unknown() -> None:
    meter = Meter()
    meter.add(CallRecord("ranker", "m", cost=None))
    meter.add(CallRecord("grader", "m", cost=0.25))
    usage = meter.usage()
    assert usage.cost is None
    assert usage.roles["ranker"].cost is None
    assert usage.roles["grader"].cost == 0.25


def test_cache_hits_are_counted_apart_from_calls() -> None:
    meter = Meter()
    meter.add(CallRecord("ranker", "m", cache_hit=True))
    meter.add(CallRecord("ranker", "m", input_tokens=3, cost=0.1))
    assert (meter.usage().calls, meter.usage().cache_hits, meter.usage().cost) == (1, 1, 0.1)


def test_an_empty_meter_used_nothing() -> None:
    assert (Meter().usage().calls, Meter().usage().cost, Meter().usage().roles) == (0, 0.0, {})


def test_no_record_is_lost_when_threads_add_at_once() -> None:
    meter = Meter()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: meter.add(CallRecord(f"role{number % 3}", "m")), range(300)))
    assert len(meter.records) == 300
    assert {role: tally.calls for role, tally in meter.usage().roles.items()} == {f"role{i}": 100 for i in range(3)}


def test_a_meter_that_keeps_the_last_records_sums_up_all() -> None:
    meter = Meter(kept=2)
    for number in range(5):
        meter.add(CallRecord("ranker", "m", input_tokens=number, cost=0.5))
    assert [record.input_tokens for record in meter.records] == [3, 4]
    assert (meter.usage().calls, meter.usage().input_tokens, meter.usage().cost) == (5, 10, 2.5)
