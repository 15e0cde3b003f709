"""The example that serves SummQ over HTTP."""

import json
import runpy
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from summq import SummQ, session
from tests.documents import HARBOUR

SERVER = runpy.run_path(str(HARBOUR.with_name("serve.py")))["SummQServer"]
THREE = {"multiple_choice": 1, "true_false": 1, "short_answer": 1}


@pytest.fixture
def address() -> Iterator[str]:
    program = SummQ.preset("solo", target_words=60, questions=THREE, max_iterations=1)
    with session("offline", cache_dir="", max_calls=20):
        server = SERVER(0, program)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
        server.server_close()


def post(address: str, body: bytes) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body), timeout=60) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.slow
def test_documents_posted_at_once_come_back_summarised_and_examined(address: str) -> None:
    text = HARBOUR.read_text("utf-8")
    bodies = [text.encode(), text[len(text) // 2 :].encode()]
    with ThreadPoolExecutor(2) as pool:
        (status, first), (_, second) = pool.map(lambda body: post(address, body), bodies)

    assert status == 200
    assert "Kestrel" in first["summary"]
    assert first["summary"] != second["summary"]
    assert 0 <= first["accuracy"] <= 1
    assert first["cost"] == 0.0


@pytest.mark.slow
def test_what_cannot_be_summarised_is_said_in_a_line(address: str) -> None:
    assert post(address, b"\xff\xfe") == (400, {"error": "the body is not UTF-8"})
    assert post(address, b"alpha beta " * 200)[0] == 422
    assert "\n" not in post(address, b"alpha beta " * 200)[1]["error"]


@pytest.mark.slow
def test_a_spent_budget_is_503(address: str) -> None:
    statuses = [post(address, HARBOUR.read_bytes() + b" " * n + b"The end of it came.")[0] for n in range(6)]

    assert statuses[0] == 200
    assert statuses[-1] == 503
