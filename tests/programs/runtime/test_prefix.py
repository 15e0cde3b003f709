"""Who pays for the document: the primer, and the head start of one of several like calls."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.programs import SummQ
from summq.programs.errors import BudgetSpent
from summq.programs.runtime.adapter import shared_prefix
from summq.programs.runtime.cache import forget
from summq.programs.runtime.parallel import parallel, parallel_outcomes
from summq.programs.runtime.prefix import PRIMER, Primer
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import Session, session
from summq.signatures import Document
from tests.fakes import FakeProvider, failing
from tests.planted import halls, in_chat, planted

LONG = halls(300)
READER = Role(dspy.Signature({"document": (Document, dspy.InputField()), "gist": (str, dspy.OutputField())}), "reader")


class Server(FakeProvider):
    """Counts the tokens of prompts."""

    def reply(self, body: dict[str, Any], **changes: Any) -> dict[str, Any]:
        read = sum(len(message["content"]) for message in body["messages"]) // 4
        usage = {"prompt_tokens": read, "completion_tokens": 10, "total_tokens": read + 10}
        return super().reply(body, usage=usage, **changes)


@contextmanager
def reading(server: Server, provider: str = "openai", **options: Any) -> Iterator[Session]:
    server.text = in_chat({"gist": "lamps"})
    backbone = f"{provider}/m@{server.url}"
    defaults = {"cache_dir": "", "cache": False, "attempts": 1}
    with session(backbone, **{**defaults, **options}) as current, dspy.context(primer=Primer()):
        yield current


def read(document: Document = LONG, times: int = 3) -> list[Any]:
    return parallel_outcomes(lambda _: READER(document=document), range(times))


def primers(server: Server) -> list[dict[str, Any]]:
    return [r for r in server.requests if 1 in (r.get("max_completion_tokens"), r.get("max_tokens"))]


def test_one_tiny_call_goes_ahead_of_all_who_read_a_document() -> None:
    with Server(delay=0.05) as server, reading(server) as current:
        read()
        read()
    first, *others = server.requests
    assert first["messages"] == shared_prefix(LONG)[:2]
    assert first["max_completion_tokens"] == 1
    assert len(others) == 6
    assert all(request["messages"][:2] == first["messages"] for request in others)
    assert current.meter.usage().roles[PRIMER].calls == 1
    assert server.peak == 3


def test_each_backbone_and_each_document_has_a_primer_of_its_own() -> None:
    with Server() as server, reading(server, roles={"reader": [f"openai/{m}@{server.url}" for m in "ab"]}):
        other = Role(READER.signature, "reader", agent=1)
        parallel(lambda pair: pair[0](document=pair[1]), product((READER, other), (LONG, halls(301))))
    assert Counter(request["model"] for request in primers(server)) == {"a": 2, "b": 2}


def test_a_mark_for_the_cache_is_on_the_primer_too() -> None:
    with Server() as server, reading(server):
        read()
    assert len({request["prompt_cache_key"] for request in server.requests}) == 1


def test_a_schema_is_no_part_of_a_primer() -> None:
    counting = Role(dspy.Signature({"document": (Document, dspy.InputField()), "n": (int, dspy.OutputField())}), "r")
    with Server() as server, reading(server, "hosted_vllm"):
        server.text = '{"n": 3}'
        parallel_outcomes(lambda _: counting(document=LONG), range(3))
    (primer,) = primers(server)
    assert "response_format" not in primer
    assert all("response_format" in request for request in server.requests if request is not primer)


def test_documents_too_short_for_any_cache_have_none() -> None:
    with Server() as server, reading(server):
        read(halls(20))
    assert not primers(server)


def test_calls_without_a_document_have_none() -> None:
    with Server() as server, reading(server):
        Role(dspy.Signature("text -> gist"), "reader")(text=LONG.text)
    assert not primers(server)


def test_a_failed_primer_fails_nobody() -> None:
    with Server() as server, reading(server):
        server.script = [failing(500)]
        replies = read()
    assert [reply.gist for reply in replies] == ["lamps"] * 3
    assert len(primers(server)) == 1


def test_a_primer_is_within_the_budget() -> None:
    with Server() as server, reading(server, max_calls=2):
        outcomes = read()
    assert len(server.requests) == 2
    assert sum(isinstance(outcome, BudgetSpent) for outcome in outcomes) == 2


def test_a_primer_is_not_sent_again_by_the_next_run(tmp_path: Path) -> None:
    with Server() as server:
        for attempt in range(2):
            forget()
            with reading(server, cache=True, cache_dir=tmp_path) as current:
                READER(document=LONG, attempt=attempt)
                READER(document=LONG)
    assert len(primers(server)) == 1
    assert (current.meter.usage().calls, current.meter.usage().cache_hits) == (1, 1)


def test_runs_at_once_on_one_document_send_one_primer(tmp_path: Path) -> None:
    def run(attempt: int) -> None:
        with dspy.context(primer=Primer()):
            READER(document=LONG, attempt=attempt)

    with Server(delay=0.05) as server, reading(server, cache=True, cache_dir=tmp_path):
        parallel(run, range(4))
    assert len(primers(server)) == 1
    assert len(server.requests) == 5


def test_a_primed_run_warns_of_no_truncation(caplog: pytest.LogCaptureFixture) -> None:
    with Server() as server, reading(server):
        server.script = [lambda body: (200, {}, server.reply(body, finish_reason="length"))]
        read()
    assert primers(server)
    assert not caplog.records


@pytest.mark.slow
def test_a_run_has_a_primer_where_there_is_a_prefix_cache_and_it_is_not_switched_off() -> None:
    with planted() as engine:
        SummQ.preset("solo", max_iterations=1)(document=LONG)
    assert PRIMER not in engine.calls
    for wanted in (True, False):
        with Server() as server, reading(server, max_calls=3), pytest.raises(BudgetSpent):
            SummQ.preset("combo", prime_prefix=wanted)(document=LONG)
        assert len(primers(server)) == wanted


def starts(seconds: float, head_start: float, *, alike: bool = True) -> list[float]:
    """When each of three calls that take so long begins."""
    begun: list[float] = []
    lock = threading.Lock()
    origin = time.monotonic()

    def call(_: int) -> None:
        with lock:
            begun.append(time.monotonic() - origin)
        time.sleep(seconds)

    with dspy.context(head_start=head_start):
        parallel_outcomes(call, range(3), alike=alike)
    return begun


@pytest.mark.slow
def test_the_first_of_like_calls_has_a_head_start() -> None:
    first, second, third = starts(0.3, head_start=0.15)
    assert first < 0.1
    assert 0.15 <= second <= third < 0.28


def test_nobody_waits_longer_than_the_first_call_takes() -> None:
    assert max(starts(0.02, head_start=5.0)) < 1.0


def test_other_calls_start_together() -> None:
    assert max(starts(0.2, head_start=5.0, alike=False)) < 0.15
