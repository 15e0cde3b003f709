"""Evaluations and judgements in batches, against a simulated provider: what is paid, restarts, and what goes wrong."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from summq.eval.data import Dataset
from summq.eval.preference import Pair
from summq.eval.report.results import Results
from summq.eval.run.batching import evaluate_in_batches, judge_in_batches
from summq.eval.run.plan import EvalPlan
from summq.eval.systems import make_systems
from summq.programs.errors import BackboneError, ConfigError
from summq.programs.runtime import batches as runtime
from summq.programs.runtime.usage import Prices
from summq.programs.settings import Settings
from tests.batch_server import WRITTEN, BatchServer, reply
from tests.eval.rows import Letters, dataset

PRICES = Prices(input=2.0, output=10.0)
FULL = (1000 * 2.0 + 10 * 10.0) / 1_000_000  # of a reply of the server


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runtime, "LONGEST_WAIT", 0.0)
    monkeypatch.setattr("summq.programs.runtime.batches.time.sleep", lambda seconds: None)
    monkeypatch.setenv("SUMMQ_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer() as running:
        yield running


def settings_for(server: BatchServer, **more: Any) -> Settings:
    spec = f"openai/m@{server.url}"
    return Settings(backbone=spec, prices={spec: PRICES}, **more)


def evaluated(
    server: BatchServer,
    out: Path,
    *systems: str,
    data: Dataset | None = None,
    tell: Callable[[str], None] = lambda line: None,
    **more: Any,
) -> Results:
    settings, data = settings_for(server, **more), data or dataset("a", "b", "c")
    chosen = make_systems(systems or ("direct", "lead"), data, settings.connected)
    plan = EvalPlan(data, chosen, [Letters()], words=5, backbone=settings.backbone)
    with settings.session():
        return evaluate_in_batches(plan, out, settings, tell=tell)


@pytest.mark.slow
def test_one_batch_answers_all_and_costs_half(server: BatchServer, tmp_path: Path) -> None:
    results = evaluated(server, tmp_path)
    assert (len(server.batches), len(server.asked), server.direct) == (1, 3, 0)
    direct = results.systems["direct"]
    assert (direct["letters"].n, direct["letters"].mean) == (3, len("The keeper counts lamps."))
    assert direct["cost"].mean == pytest.approx(FULL / 2)
    assert direct["calls"].mean == 1
    assert direct["input_tokens"].mean == 1000
    assert results.systems["lead"]["letters"].n == 3
    batch = json.loads((tmp_path / "batches/openai-m/batches.json").read_text())["batches"][0]
    assert (batch["requests"], batch["status"], batch["done"]) == (3, "completed", True)


@pytest.mark.slow
def test_the_same_command_again_asks_nothing(server: BatchServer, tmp_path: Path) -> None:
    first, again = evaluated(server, tmp_path), evaluated(server, tmp_path)
    assert again.systems["direct"] == first.systems["direct"]
    assert len(server.batches) == 1


def test_lines_say_what_is_waited_for(server: BatchServer, tmp_path: Path) -> None:
    server.looks = 3
    told: list[str] = []
    evaluated(server, tmp_path, tell=told.append)
    name = f"openai/m@{server.url}"
    assert told[0] == f"{name}: batch batch_1 with 3 calls is submitted"
    assert told[1:] == [f"{name}: batch batch_1 is in_progress, 0 of 3 calls; {runtime.AGAIN}"]  # nothing new since


def test_a_restart_waits_for_the_batch_and_submits_no_second(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.looks = 2

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("summq.programs.runtime.batches.time.sleep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            evaluated(server, tmp_path)
    assert not (tmp_path / "predictions.jsonl").read_text()
    results = evaluated(server, tmp_path)
    assert (len(server.batches), len(server.asked)) == (1, 3)
    assert results.systems["direct"]["cost"].mean == pytest.approx(FULL / 2)


def test_a_batch_that_was_submitted_while_the_process_died_is_found_again(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = server.create

    def dying(wanted: dict[str, Any]) -> dict[str, Any]:
        create(wanted)
        raise ConnectionError  # the reply is lost

    with monkeypatch.context() as patched:
        patched.setattr(server, "create", dying)
        patched.setattr("openai.DEFAULT_MAX_RETRIES", 0)
        patched.setattr("openai._base_client.DEFAULT_MAX_RETRIES", 0)
        patched.setattr(server._server, "handle_error", lambda *_: None)
        with pytest.raises(BackboneError, match=r"openai/m@.*onnection"):
            evaluated(server, tmp_path)
    submitted = len(server.batches)
    results = evaluated(server, tmp_path)
    assert len(server.batches) == submitted
    assert results.systems["direct"]["letters"].n == 3


def test_lines_that_failed_are_submitted_again(server: BatchServer, tmp_path: Path) -> None:
    statuses = {0: 500, 1: 429, 2: 200}
    server.answer = lambda body, before: (statuses[min(before, 2)], reply()[1]) if "Keeper b" in str(body) else reply()
    results = evaluated(server, tmp_path)
    assert [batch["status"] for batch in server.batches.values()] == ["completed"] * 3
    assert len(server.asked) == 5  # three, then b twice
    assert results.systems["direct"]["letters"].n == 3


def test_what_an_expired_batch_did_not_answer_is_submitted_again(server: BatchServer, tmp_path: Path) -> None:
    server.ends = ("expired", "completed")
    told: list[str] = []
    results = evaluated(server, tmp_path, tell=told.append)
    assert len(server.asked) == 3
    assert results.systems["direct"]["letters"].n == 3
    assert any("batch_1 is expired; what it did not answer is submitted again" in line for line in told)


@pytest.mark.slow
def test_what_stays_unanswered_is_a_failed_row_that_the_next_command_asks_again(
    server: BatchServer, tmp_path: Path
) -> None:
    server.answer = lambda body, before: (0, {}) if "Keeper b" in str(body) else reply()
    results = evaluated(server, tmp_path)
    assert len(server.batches) == runtime.ROUNDS
    assert results.failures == {"direct": 1, "lead": 0}
    assert "no batch has answered this call; run the same command again" in (tmp_path / "table.md").read_text()
    server.answer = lambda body, before: reply()
    assert evaluated(server, tmp_path).failures == {"direct": 0, "lead": 0}


def test_a_request_that_the_provider_refuses_is_told_once(server: BatchServer, tmp_path: Path) -> None:
    error = {"error": {"message": "the prompt is not allowed", "type": "invalid_request_error", "code": None}}
    server.answer = lambda body, before: (400, error) if "Keeper b" in str(body) else reply()
    results = evaluated(server, tmp_path)
    assert (len(server.batches), results.failures["direct"]) == (1, 1)
    assert "the prompt is not allowed (b)" in (tmp_path / "table.md").read_text()


def test_a_reply_that_is_no_use_is_asked_for_again_and_paid_as_well(server: BatchServer, tmp_path: Path) -> None:
    server.answer = lambda body, before: reply("" if "Keeper b" in str(body) and not before else WRITTEN)
    results = evaluated(server, tmp_path)
    assert len(server.asked) == 4
    assert results.systems["direct"]["letters"].n == 3
    assert results.systems["direct"]["cost"].mean == pytest.approx(4 / 3 * FULL / 2)


@pytest.mark.slow
def test_many_requests_are_several_batches(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "MOST_REQUESTS", 2)
    results = evaluated(server, tmp_path, data=dataset(*"abcde"))
    assert len(server.batches) == 3
    assert results.systems["direct"]["letters"].n == 5


@pytest.mark.slow
def test_a_batch_that_is_refused_is_one_line(server: BatchServer, tmp_path: Path) -> None:
    server.ends = ("failed", "completed")
    with pytest.raises(BackboneError, match="the provider refused batch batch_1: line 1 is no request"):
        evaluated(server, tmp_path)
    assert evaluated(server, tmp_path).systems["direct"]["letters"].n == 3  # submitted anew


def test_backbones_and_settings_without_batches_are_one_line(server: BatchServer, tmp_path: Path) -> None:
    for spec in ("offline", "anthropic/claude-3-5-haiku-latest"):
        plan = EvalPlan(dataset(), make_systems(["direct"], dataset()), [Letters()], backbone=spec)
        with pytest.raises(BackboneError, match=r"has no batch endpoint: --batch takes openai/MODEL"):
            evaluate_in_batches(plan, tmp_path, Settings(backbone=spec))
    with pytest.raises(ConfigError, match="--batch is for the system direct"):
        evaluated(server, tmp_path, "lead")
    with pytest.raises(ConfigError, match="can't keep --max-calls"):
        evaluated(server, tmp_path, max_calls=5)
    with pytest.raises(ConfigError, match="can't keep --max-cost"):
        evaluated(server, tmp_path, max_cost=5)
    with pytest.raises(ConfigError, match="--batch knows one backbone"):
        evaluated(server, tmp_path, roles={"examinee": "offline"})
    plan = EvalPlan(dataset(), make_systems(["direct"], dataset()), [Letters()], backbone="openai/m")
    with pytest.raises(BackboneError, match="set OPENAI_API_KEY"):
        evaluate_in_batches(plan, tmp_path, Settings(backbone="openai/m"))


def test_a_judge_is_asked_in_one_batch(server: BatchServer, tmp_path: Path) -> None:
    verdict = "[[ ## reasons ## ]]\nMore of it.\n\n[[ ## verdict ## ]]\nfirst\n\n[[ ## completed ## ]]"
    server.answer = lambda body, before: reply(verdict)
    pairs = [Pair(row.id, row.document, "Lamps.", "The keeper counts.") for row in dataset("a", "b")]
    settings = settings_for(server)
    with settings.session() as session:
        judgements = judge_in_batches(
            pairs, {"overall": "overall: the better one"}, settings, tmp_path, lambda line: None
        )
    assert (len(server.batches), len(server.asked), server.direct) == (1, 4, 0)
    assert [(judgement.a_first, judgement.b_first, judgement.winner) for judgement in judgements] == [
        ("a", "b", "tie")
    ] * 2
    assert session.meter.usage().calls == 4
    assert session.meter.usage().cost == pytest.approx(4 * FULL / 2)
