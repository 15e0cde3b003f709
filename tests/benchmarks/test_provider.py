"""The simulated provider, over real HTTP."""

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
import pytest
from dspy.lm15 import InvalidRequestError, Request
from provider import Hardware, LoggedRequest, Provider

DOCUMENT = "The ferry left at nine and did not come back. " * 400  # 4,600 tokens
SPEED = 100.0
SLOW = 5.0  # for requests that have to meet
HARDWARE = Hardware(prefill_rate=1000, decode_rate=100, concurrency=3)


def answer(request: Request) -> str:
    return "word" * 50


def provider(speed: float = SPEED) -> Provider:
    return Provider(answer, hardware=HARDWARE, speed=speed)


def ask(server: Provider, task: str, *, model: str = "m", **options: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": DOCUMENT}, {"role": "user", "content": task}]
    body = json.dumps({"model": model, "messages": messages, **options}).encode()
    request = urllib.request.Request(
        f"{server.url}/chat/completions", body, {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        parsed: dict[str, Any] = json.load(reply)
    return parsed


def fan_out(server: Provider, tasks: int) -> list[LoggedRequest]:
    with ThreadPoolExecutor(tasks) as pool:
        list(pool.map(lambda number: ask(server, f"task {number}"), range(tasks)))
    return server.log


@pytest.mark.slow
def test_a_cold_request_pays_for_its_prompt_and_a_warm_one_for_its_task() -> None:
    with provider() as server:
        first = ask(server, "one")
        second = ask(server, "two")

    cold, warm = server.log
    assert cold.cached_tokens == 0
    assert warm.cached_tokens == 4480  # the full blocks of 128 tokens in the document's 4,600
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] == 4480
    assert first["usage"]["prompt_tokens"] == cold.prompt_tokens
    assert cold.prefix_hash == warm.prefix_hash


@pytest.mark.slow
def test_time_is_prefill_of_what_was_not_cached_plus_decoding() -> None:
    with provider() as server:
        ask(server, "one")
        ask(server, "two")

    for request in server.log:
        computed = request.prompt_tokens - request.cached_tokens
        assert request.prefill_end - request.start == pytest.approx(computed / 1000)
        assert request.finish - request.prefill_end >= 50 / 100


@pytest.mark.slow
def test_price_is_that_of_input_cached_input_and_output() -> None:
    with provider() as server:
        ask(server, "one")
        ask(server, "two")

    warm = server.log[1]
    full = warm.prompt_tokens - warm.cached_tokens
    assert warm.cost == pytest.approx((full * 2.5 + warm.cached_tokens * 0.25 + warm.output_tokens * 10) / 1e6)
    assert warm.cost < server.log[0].cost / 3


@pytest.mark.slow
def test_a_cold_fan_out_misses_with_every_call() -> None:
    with provider(speed=SLOW) as server:
        cold = [request.cached_tokens for request in fan_out(server, 3)]
        ask(server, "late")

    assert cold == [0, 0, 0]
    assert server.log[-1].cached_tokens == 4480


@pytest.mark.slow
def test_the_limit_is_reached_and_never_exceeded_and_the_rest_waits() -> None:
    with provider(speed=SLOW) as server:
        log = fan_out(server, 8)

    moments = [(request.start, 1) for request in log] + [(request.finish, -1) for request in log]
    running, peak = 0, 0
    for _, change in sorted(moments):
        running += change
        peak = max(peak, running)
    assert peak == 3
    assert sum(request.start - request.arrival > 1 for request in log) == 5


@pytest.mark.slow
def test_every_request_is_logged_with_its_moments_in_order() -> None:
    with provider() as server:
        log = fan_out(server, 6)

    assert len(log) == 6
    assert all(request.arrival <= request.start < request.prefill_end < request.finish for request in log)


@pytest.mark.slow
def test_a_reply_is_cut_at_the_token_limit_and_says_so() -> None:
    with provider() as server:
        choice = ask(server, "one", max_tokens=3)["choices"][0]

    assert choice["message"]["content"] == "word" * 3
    assert choice["finish_reason"] == "length"


@pytest.mark.slow
def test_an_unanswerable_request_is_a_bad_request() -> None:
    def refuse(request: Request) -> str:
        raise InvalidRequestError("no such role")

    with Provider(refuse, speed=SPEED) as server, pytest.raises(urllib.error.HTTPError, match="400"):
        ask(server, "one")


@pytest.mark.slow
def test_dspy_reads_reply_and_usage() -> None:
    with provider() as server:
        lm = dspy.LM("hosted_vllm/m", api_base=server.url, api_key="none", engine="lm15", cache=False)
        replies = [lm(DOCUMENT + task) for task in ("one", "two")]

    assert replies[0] == ["word" * 50]
    assert lm.history[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] == 4480
