"""How busy a provider was, on logs made up for it."""

import pytest
from provider import LoggedRequest
from throughput import Load


def request(start: float, finish: float, arrival: float | None = None) -> LoggedRequest:
    came = start if arrival is None else arrival
    return LoggedRequest("m", came, start, start, finish, 100, 0, 10, "", 0.0)


def test_slots_that_are_never_free_are_wholly_busy() -> None:
    log = [request(start, start + 1) for start in (0, 1, 2, 3) for _ in range(2)]
    assert Load.of(log, 2) == Load(busy=1.0, peak=2, calls=8)


def test_gaps_between_calls_count_as_idle() -> None:
    log = [request(start, start + 0.5) for start in (0, 1, 2, 3) for _ in range(2)]
    assert Load.of(log, 2).busy == pytest.approx(0.5)


def test_what_comes_after_the_last_calls_have_begun_does_not_count() -> None:
    log = [request(0, 4), request(0, 2), request(2, 4), request(4, 5), request(4, 100)]
    assert Load.of(log, 2).busy == pytest.approx(1.0)


def test_requests_that_have_to_queue_are_beyond_the_limit() -> None:
    assert Load.of([request(0, 1), request(1, 2, arrival=0.5)], 1).peak == 2
