import copy
import json
import threading
import time
import warnings
from collections.abc import Iterator

import dspy
import pytest
from dspy.lm15 import Request
from dspy.utils.exceptions import ContextWindowExceededError, LMAuthError, LMRateLimitError

from summq.programs.errors import BackboneError, BudgetSpent
from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.backbones import Backbone, connect
from summq.programs.runtime.failures import DeadlineExceeded, TruncatedReply
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.session import session
from summq.signatures import Document, VoteSummary
from tests.fakes import FakeProvider, InstantEngine, failing, instant_backbone

PRICES = {"input": 2.0, "cached": 0.5, "output": 10.0}


class Outline(dspy.Signature):
    """Outline the document."""

    document: Document = dspy.InputField()
    points: list[str] = dspy.OutputField()


class Title(dspy.Signature):
    """Title the document."""

    document: Document = dspy.InputField()
    title: str = dspy.OutputField()


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as server:
        yield server


@pytest.fixture(autouse=True)
def no_keys_no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_BASE", "HOSTED_VLLM_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("summq.programs.runtime.retries.FIRST_WAIT", 0.01)


def openai_backbone(provider: FakeProvider, **options: object) -> Backbone:
    return connect(f"openai/gpt-4o@{provider.url}", **options)


class TestSpecs:
    @pytest.mark.parametrize(
        ("spec", "says"),
        [
            ("gpt-4o", "names no backbone; did you mean openai/gpt-4o? Else write one like offline"),
            ("claude-sonnet-4-5", "did you mean anthropic/claude-sonnet-4-5?"),
            ("qwen3:32b", "did you mean ollama_chat/qwen3:32b?"),
            ("small.gguf", "did you mean local:small.gguf?"),
            pytest.param("models/small.gguf", "did you mean local:models/small.gguf?", marks=pytest.mark.slow),
            ("ofline", "did you mean offline?"),
            ("mystery", "names no backbone; write one like offline"),
            ("", "names no backbone"),
            pytest.param("nonsense/model", "no provider is called 'nonsense'", marks=pytest.mark.slow),
            pytest.param("opnai/gpt-4o", "did you mean openai/gpt-4o?", marks=pytest.mark.slow),
            ("openai/gpt-4o", "set OPENAI_API_KEY"),
            ("anthropic/claude-sonnet-4-5", "set ANTHROPIC_API_KEY"),
            pytest.param("mistral/mistral-large-latest", "needs MISTRAL_API_KEY", marks=pytest.mark.slow),
            ("offline:reviewer=often", "'reviewer=often' in the backbone"),
        ],
    )
    def test_what_names_no_usable_backbone_is_refused_in_one_line(self, spec: str, says: str) -> None:
        with pytest.raises(BackboneError) as caught:
            connect(spec)
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.exit_status == 2

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"colour": 1}, "option colour: Extra inputs are not permitted; the options are temperature"),
            ({"prices": {"input": 1}}, "option prices.output: Field required"),
            ({"attempts": 0}, "option attempts: "),
        ],
    )
    def test_options_that_do_not_exist_are_refused(self, options: dict[str, object], says: str) -> None:
        with pytest.raises(BackboneError, match=says):
            connect("hosted_vllm/m@http://127.0.0.1:1/v1", **options)

    def test_options_that_the_model_refuses_are_a_backbone_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        with pytest.raises(BackboneError, match="reasoning models"):
            connect("openai/gpt-5", max_tokens=10)

    def test_the_context_window_comes_from_what_is_known_about_the_model(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        assert connect("openai/gpt-4o").context_window == 128_000
        assert connect("openai/gpt-4o", window=9000).context_window == 9000
        assert connect("hosted_vllm/m@http://127.0.0.1:1/v1").context_window is None
        assert connect("ollama_chat/qwen3:32b").context_window is None

    def test_the_environment_may_name_the_server(self, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_BASE", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        assert connect("openai/gpt-4o")("hello") == ["reply"]
        assert provider.requests[0]["key"] == "Bearer secret"

    def test_ollama_is_reached_with_or_without_its_version(self, provider: FakeProvider) -> None:
        for url in (provider.url, provider.url.removesuffix("/v1")):
            assert connect(f"ollama_chat/qwen3:32b@{url}", cache=False)("hello") == ["reply"]
        assert [request["path"] for request in provider.requests] == ["/v1/chat/completions"] * 2
        assert provider.requests[0]["model"] == "qwen3:32b"

    @pytest.mark.slow
    def test_providers_that_dspy_does_not_know_are_reached_through_litellm(
        self, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MISTRAL_API_KEY", "secret")
        provider.script = [failing(503)]
        with session(f"mistral/mistral-small-latest@{provider.url}") as current:
            assert current.lm("hello") == ["reply"]
        failed, made = current.meter.records
        assert (failed.error, made.input_tokens) == ("LMServerError", 100)
        assert made.cost is not None
        assert made.cost > 0

    def test_a_model_in_this_process_is_loaded_beside_the_main_thread_so_that_this_takes_signals(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def load(path: str | None, window: int | None) -> None:
            raise BackboneError(f"loaded by {threading.current_thread().name}")

        monkeypatch.setattr("summq.programs.runtime.local.LlamaEngine.load", load)
        with pytest.raises(BackboneError, match="loaded by summq-call"):
            connect("local")

    def test_the_name_of_offline_tells_its_rules_apart_in_the_cache_only(self) -> None:
        backbone = connect("offline:seed=3,reviewer=0.3")
        assert backbone.name == "offline:seed=3,reviewer=0.3"
        assert backbone.model.startswith("offline:seed=3,reviewer=0.3#")
        with pytest.raises(BackboneError, match="writer"):
            connect("offline:writer=0.3")


class TestMetering:
    def test_tokens_and_cost_of_each_role_add_up(self, provider: FakeProvider) -> None:
        usage = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 800}}
        provider.script = [lambda body: (200, {}, provider.reply(body, usage=usage))] * 2
        with session(openai_backbone(provider, prices=PRICES)) as current:
            for role in ("ranker", "grader"):
                with dspy.context(role=role):
                    dspy.settings.lm(role)
        total = current.meter.usage()
        assert (total.calls, total.input_tokens, total.cached_tokens, total.output_tokens) == (2, 2000, 1600, 200)
        per_call = (200 * 2.0 + 800 * 0.5 + 100 * 10.0) / 1e6
        assert total.cost == pytest.approx(2 * per_call)
        assert total.roles["ranker"].cost == pytest.approx(per_call)
        assert {record.finish_reason for record in current.meter.records} == {"stop"}

    def test_a_reply_from_the_cache_costs_nothing_and_is_counted_apart(self, provider: FakeProvider) -> None:
        with session(openai_backbone(provider, prices=PRICES), max_calls=1) as current:
            for _ in range(3):
                assert current.lm("same") == ["reply"]
        usage = current.meter.usage()
        assert (usage.calls, usage.cache_hits, len(provider.requests)) == (1, 2, 1)
        assert usage.cost == pytest.approx((100 * 2.0 + 10 * 10.0) / 1e6)

    def test_an_unknown_price_is_none_and_a_known_model_is_priced(self, provider: FakeProvider) -> None:
        with session(f"hosted_vllm/m@{provider.url}", roles={"r": [f"openai/gpt-4o@{provider.url}"]}) as current:
            current.lm("hello")
            dspy.settings.role_lms["r"][0]("hello")
        assert [record.cost for record in current.meter.records] == [None, pytest.approx((100 * 2.5 + 10 * 10) / 1e6)]
        assert current.meter.usage().cost is None

    def test_a_server_that_reports_no_usage_is_estimated(self, provider: FakeProvider) -> None:
        provider.script = [lambda body: (200, {}, provider.reply(body, usage=None))]
        with session(openai_backbone(provider)) as current:
            current.lm("word " * 700)
            current.lm("word " * 700)
        usage = current.meter.usage()
        assert (usage.calls, usage.cache_hits, usage.input_tokens) == (1, 1, 1000)

    def test_no_prompt_is_kept(self) -> None:
        from dspy.clients.base_lm import GLOBAL_HISTORY

        kept = len(GLOBAL_HISTORY)
        predictor = dspy.Predict("question -> answer")
        with session(instant_backbone(InstantEngine("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]"))) as current:
            predictor(question="really?")
        assert (len(GLOBAL_HISTORY), current.lm.history, predictor.history) == (kept, [], [])

    def test_dspy_tracks_usage_as_well(self, provider: FakeProvider) -> None:
        with session(openai_backbone(provider)) as current, dspy.track_usage() as tracker:
            current.lm("hello")
        assert tracker.get_total_tokens()[current.lm.model]["prompt_tokens"] == 100


class TestLimits:
    def test_concurrent_calls_never_exceed_the_limit(self, provider: FakeProvider) -> None:
        provider.delay = 0.02
        with session(openai_backbone(provider), concurrency=3) as current:
            parallel(current.lm, [f"prompt {number}" for number in range(10)])
        assert (provider.peak, len(provider.requests)) == (3, 10)

    def test_calls_beyond_the_budget_are_not_sent(self, provider: FakeProvider) -> None:
        with session(openai_backbone(provider), max_calls=2) as current:
            current.lm("one")
            current.lm("two")
            with pytest.raises(BudgetSpent):
                current.lm("three")
            assert current.lm("one") == ["reply"]
        assert len(provider.requests) == 2

    def test_a_limit_on_cost_stops_further_calls(self, provider: FakeProvider) -> None:
        with session(openai_backbone(provider, prices={"input": 1e4, "output": 0}), max_cost=1.5) as current:
            current.lm("one")
            current.lm("two")
            with pytest.raises(BudgetSpent, match=r"USD 2\.0000"):
                current.lm("three")

    def test_a_limit_on_cost_needs_a_price(self, provider: FakeProvider) -> None:
        limited = session(instant_backbone(), roles={"examinee": [f"hosted_vllm/m@{provider.url}"]}, max_cost=1)
        with pytest.raises(BackboneError, match="price of hosted_vllm/m"), limited:
            pass

    def test_retries_are_calls_too(self, provider: FakeProvider) -> None:
        provider.script = [failing(503), failing(429, Retry_After="0.01")]
        with session(openai_backbone(provider), max_calls=3) as current:
            assert current.lm("hello") == ["reply"]
        assert current.meter.usage().calls == 3
        assert [record.error for record in current.meter.records] == ["LMServerError", "LMRateLimitError", None]

    def test_an_hour_of_retry_after_is_capped(self, provider: FakeProvider) -> None:
        provider.script = [failing(429, Retry_After="3600")] * 2
        started = time.monotonic()
        with pytest.raises(LMRateLimitError):
            openai_backbone(provider, attempts=2, longest_wait=0.05)("hello")
        assert time.monotonic() - started < 5

    def test_a_call_ends_at_its_deadline(self, provider: FakeProvider) -> None:
        provider.delay = 1.0
        with session(openai_backbone(provider, deadline=0.05)) as current, pytest.raises(DeadlineExceeded):
            current.lm("hello")
        assert [record.error for record in current.meter.records] == ["DeadlineExceeded"] * 2

    def test_failures_that_will_not_pass_are_raised_at_once(self, provider: FakeProvider) -> None:
        provider.script = [failing(401)]
        with pytest.raises(LMAuthError):
            openai_backbone(provider)("hello")
        assert len(provider.requests) == 1

    def test_a_truncated_reply_is_an_error_and_is_not_cached(self, provider: FakeProvider) -> None:
        provider.script = [lambda body: (200, {}, provider.reply(body, finish_reason="length"))]
        with session(openai_backbone(provider, prices=PRICES)) as current:
            with pytest.raises(TruncatedReply, match="after 10 tokens; raise max_tokens"):
                current.lm("hello")
            assert current.lm("hello") == ["reply"]
        first, second = current.meter.records
        assert (first.error, first.finish_reason, first.cost) == ("TruncatedReply", "length", second.cost)

    def test_a_prompt_that_the_server_cut_silently_is_an_error(self, provider: FakeProvider) -> None:
        read = {"prompt_tokens": 2048, "completion_tokens": 10}
        provider.script = [lambda body: (200, {}, provider.reply(body, usage=read))]
        with pytest.raises(ContextWindowExceededError, match=r"window = N.*read only the 2048 tokens"):
            openai_backbone(provider)("word " * 10_000)

    def test_a_count_below_any_context_is_taken_for_a_miscount(self, provider: FakeProvider) -> None:
        with session(openai_backbone(provider)) as current:
            assert current.lm("word " * 10_000) == ["reply"]
        assert current.meter.usage().input_tokens > 10_000


class TestPromptCaching:
    def ask(self, backbone: Backbone, text: str) -> None:
        with dspy.context(lm=backbone, adapter=DocumentFirstAdapter()):
            for signature in (Outline, Title):
                with pytest.raises(dspy.AdapterParseError):
                    dspy.Predict(signature)(document=Document(text=text))

    def test_openai_gets_one_key_per_document(self, provider: FakeProvider) -> None:
        backbone = openai_backbone(provider)
        self.ask(backbone, "one")
        self.ask(backbone, "two")
        backbone("no document")
        keys = [request.get("prompt_cache_key") for request in provider.requests]
        assert keys[0] == keys[1] != keys[2] == keys[3]
        assert keys[4] is None

    def test_the_key_does_not_change_the_response_cache(self, provider: FakeProvider) -> None:
        backbone = openai_backbone(provider)
        self.ask(backbone, "one")
        self.ask(backbone, "one")
        assert len(provider.requests) == 2

    def test_anthropic_gets_the_document_marked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
        with FakeProvider() as provider:
            answer = {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": "reply"}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 20, "cache_read_input_tokens": 80, "output_tokens": 10},
            }
            provider.script = [lambda body: (200, {}, answer)] * 3
            with session(f"anthropic/claude-sonnet-4-5@{provider.url}") as current:
                self.ask(current.lm, "one")
                current.lm("no document")
            document = provider.requests[0]["messages"][0]["content"]
            assert document[-1]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
            assert "cache_control" not in json.dumps(provider.requests[2])
            assert (current.meter.records[0].input_tokens, current.meter.records[0].cached_tokens) == (100, 80)


class TestSchemas:
    def test_a_server_of_ones_own_is_sent_the_schema(self, provider: FakeProvider) -> None:
        provider.text = '{"points": ["one", "two"]}'
        backbone = connect(f"hosted_vllm/my-model@{provider.url}")
        assert backbone.constrained
        with dspy.context(lm=backbone, adapter=DocumentFirstAdapter()):
            assert dspy.Predict(Outline)(document=Document(text="text")).points == ["one", "two"]
        sent = provider.requests[0]
        assert sent["model"] == "my-model"
        assert sent["response_format"]["type"] == "json_schema"
        assert "points" in sent["response_format"]["json_schema"]["schema"]["properties"]

    def test_a_choice_that_is_decoded_under_a_schema_is_a_reply(self, provider: FakeProvider) -> None:
        provider.text = '{"better": "second"}'
        with dspy.context(lm=connect(f"hosted_vllm/m@{provider.url}"), adapter=DocumentFirstAdapter()):
            reply = dspy.Predict(VoteSummary)(target_words=9, first="One.", second="Two.")
        assert reply.better == "second"

    def test_a_hosted_model_gets_the_chat_layout(self, provider: FakeProvider) -> None:
        backbone = openai_backbone(provider)
        assert not backbone.constrained
        with dspy.context(lm=backbone, adapter=DocumentFirstAdapter()), pytest.raises(dspy.AdapterParseError):
            dspy.Predict(Outline)(document=Document(text="text"))
        assert "response_format" not in provider.requests[0]


class TestAsADSPyLM:
    def test_copies_share_the_limits_and_deep_copies_are_the_same(self) -> None:
        backbone = instant_backbone()
        assert copy.deepcopy(backbone) is backbone
        copied = backbone.copy(rollout_id=3, temperature=1.0)
        assert isinstance(copied, Backbone)
        assert copied.engine is backbone.engine
        assert (copied.constrained, copied.kwargs["rollout_id"]) == (False, 3)

    def test_a_program_that_holds_a_backbone_can_be_copied_and_called(self) -> None:
        program = dspy.Predict("question -> answer")
        program.set_lm(instant_backbone(InstantEngine("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]")))
        assert program.deepcopy()(question="really?").answer == "yes"

    def test_a_new_rollout_is_a_new_call(self) -> None:
        engine = InstantEngine()
        backbone = instant_backbone(engine)
        for rollout in ("a", "b", "a"):
            backbone("hello", rollout_id=rollout, temperature=1.0)
        assert len(engine.requests) == 2

    def test_nothing_warns(self, provider: FakeProvider) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self_made = openai_backbone(provider)
            with dspy.context(lm=self_made, adapter=DocumentFirstAdapter()), pytest.raises(dspy.AdapterParseError):
                dspy.Predict(Title)(document=Document(text="text"))

    def test_settings_reach_the_engine(self) -> None:
        roles: list[str] = []

        def answer(request: Request) -> str:
            roles.append(f"{dspy.settings.role} in {threading.current_thread().name}")
            return "reply"

        with session(instant_backbone(InstantEngine(answer))) as current, dspy.context(role="grader"):
            current.lm("hello")
        assert roles == ["grader in summq-call"]
