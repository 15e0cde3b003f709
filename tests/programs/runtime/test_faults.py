"""Each fault of a server, once and always, at an endpoint that DSPy speaks to itself and through LiteLLM."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dspy
import pytest

from summq.programs.errors import SummQError
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import Session, session
from summq.signatures import LostAgent
from tests.fakes import FakeProvider
from tests.fault_server import FAULTS, TOO_LONG, USAGES, WHOLE, hanging, message, saying, with_usage, written

READER = Role(dspy.Signature("text -> gist"), "reader")
ENDPOINTS = ["openai", pytest.param("mistral", marks=pytest.mark.slow)]  # the latter through LiteLLM
PRICES = {"input": 2.0, "cached": 0.5, "output": 10.0}


@pytest.fixture
def server() -> Iterator[FakeProvider]:
    with FakeProvider(WHOLE) as provider:
        yield provider


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "secret-of-mistral")
    monkeypatch.setattr("summq.programs.runtime.retries.FIRST_WAIT", 0.01)


@contextmanager
def asking(server: FakeProvider, endpoint: str, **options: Any) -> Iterator[Session]:
    with session(f"{endpoint}/m@{server.url}", cache_dir="", **{"longest_wait": 0.05, **options}) as current:
        yield current


def read(text: str = "A hall.") -> str:
    """The gist, or what a user is told."""
    try:
        reply = attempt("reader", lambda: READER(text=text))
    except SummQError as error:
        return f"told: {error}"
    return f"told: {reply.error}" if isinstance(reply, LostAgent) else str(reply.gist)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_never_ends_is_one_line_and_nothing_of_it_is_kept(
    server: FakeProvider, endpoint: str, name: str
) -> None:
    fault = FAULTS[name]
    server.always = fault.step
    with asking(server, endpoint):
        told = read()
        assert told.startswith("told: ")
        assert "\n" not in told
        assert fault.told in told or fault.told == "UNPARSED"
        assert len(server.requests) == fault.requests
        server.always = None
        assert read() == "lamps"  # the server has healed


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.requests > 1])
def test_a_passing_fault_is_survived(server: FakeProvider, endpoint: str, name: str) -> None:
    server.script = [FAULTS[name].step]
    with asking(server, endpoint):
        assert [read(), read()] == ["lamps", "lamps"]
    assert len(server.requests) == 2  # the good reply was kept, the bad one was not


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("name", TOO_LONG)
def test_a_prompt_too_long_for_the_server_names_the_remedy(server: FakeProvider, endpoint: str, name: str) -> None:
    server.always = TOO_LONG[name]
    with asking(server, endpoint):
        assert "[options] window = 8192" in read()
    assert len(server.requests) == 1


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("name", USAGES)
def test_a_wrong_report_of_usage_costs_nothing_but_its_figures(server: FakeProvider, endpoint: str, name: str) -> None:
    server.always = with_usage(USAGES[name])
    with asking(server, endpoint, prices=PRICES, max_cost=1.0) as current:
        assert read() == "lamps"
    (record,) = current.meter.records
    assert 0 < record.input_tokens < 1000
    assert 0 <= record.cached_tokens <= record.input_tokens
    assert record.output_tokens >= 0
    assert record.cost is not None
    assert 0 < record.cost < 0.01


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("key", ["id", "model", "object"])
def test_what_nobody_reads_of_a_body_may_be_anything_and_no_library_prints_about_it(
    server: FakeProvider, endpoint: str, key: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server.always = saying({**message(WHOLE), key: ["m"]})
    with asking(server, endpoint):
        assert read() == "lamps"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("half", [r"\ud83d", r"\ude00"])
def test_half_a_character_becomes_the_mark_for_it(server: FakeProvider, endpoint: str, half: str) -> None:
    server.always = written(rf"[[ ## gist ## ]]\nlamps {half} and \ud83d\ude00\n\n[[ ## completed ## ]]")
    with asking(server, endpoint):
        assert read() == "lamps \ufffd and 😀"


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_an_unanswered_request_is_sent_again_and_told(
    server: FakeProvider, endpoint: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summq.programs.runtime.retries.TOLD_EVERY", 0.2)
    server.script = [hanging(1.5)]
    with asking(server, endpoint, deadline=0.7), caplog.at_level(logging.WARNING):
        assert read() == "lamps"
    assert len(server.requests) == 2
    assert "no reply for 0 s; it is waited for up to 1 s" in caplog.records[0].message


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_provider_that_asks_for_an_hour_is_waited_for_and_told(
    server: FakeProvider, endpoint: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summq.programs.runtime.retries.TOLD_FROM", 0.0)
    server.script = [FAULTS["429 for an hour"].step]
    with asking(server, endpoint), caplog.at_level(logging.WARNING):
        assert read() == "lamps"
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.endswith("slow down: trying again in 0 s (it asks for 3600 s), attempt 2 of 4")
    assert "\n" not in told


def test_a_server_that_never_answers_is_given_up_for_all_who_ask(server: FakeProvider) -> None:
    server.always = hanging(1.0)
    with asking(server, "openai", deadline=0.1):
        assert "no complete reply within 0.1 s" in read()
        assert "no request was answered in time: no complete reply within 0.1 s" in read("Another hall.")
    assert len(server.requests) == 2


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_an_address_where_nobody_listens_is_given_up_after_two_attempts(endpoint: str) -> None:
    started = time.monotonic()
    with session(f"{endpoint}/m@http://127.0.0.1:9/v1", cache_dir="") as current:
        for _ in range(3):
            assert f"[{endpoint}/m@http://127.0.0.1:9/v1] nothing answers there" in read()
    assert len(current.meter.records) == 2
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_what_the_server_said_is_told_and_nothing_of_the_libraries(server: FakeProvider, endpoint: str) -> None:
    server.always = FAULTS["500"].step
    with asking(server, endpoint):
        assert read() == f"told: [{endpoint}/m@{server.url}] internal"


def test_a_reply_that_is_too_long_takes_no_more_memory_than_its_bound(server: FakeProvider) -> None:
    import tracemalloc

    server.always = saying(message("lamp " * 6_000_000))
    with asking(server, "openai", attempts=1):
        tracemalloc.start()
        read()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 150_000_000  # the server in this process writes its 30 MB as well
