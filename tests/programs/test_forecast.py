"""What a run will use, as foretold and as it came."""

from typing import Any

import pytest

from summq.programs import SummQ
from summq.programs.baselines import Direct
from summq.programs.documents import load_document
from summq.programs.forecast import RunForecast, Span, forecast, forecast_of_direct
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.prefix import PRIMER
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import Prices
from summq.signatures import Document, Tally
from tests.documents import HARBOUR
from tests.planted import halls

PRICES = Prices(2.5, 10.0, 0.25)
CONFIGS: list[dict[str, Any]] = [
    {"name": "solo"},
    {"name": "combo"},
    {  # so few that every writer's first reply is complete: what is asked for again is in no forecast
        "name": "combo",
        "paper_faithful": True,
        "max_iterations": 1,
        "questions": {"multiple_choice": 4, "true_false": 4, "short_answer": 4},
    },
    {"name": "combo_r", "quiz_stream": False, "max_iterations": 2},
    {"name": "solo", "questions": {"multiple_choice": 2, "true_false": 0, "short_answer": 1}, "target_words": 100},
]


@pytest.fixture(scope="module")
def harbour() -> Document:
    return load_document(HARBOUR)


def foretold(spec: str = "offline", document: Document | None = None, **options: Any) -> RunForecast:
    roles = options.pop("roles", {})
    with session(connect(spec, **options), roles=roles, cache_dir=""):
        return forecast(SummQ.preset("combo"), document or halls(1000))


def check(expected: Any, made: Tally) -> None:
    for name in ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost"):
        span, value = getattr(expected, name), getattr(made, name)
        assert span.least <= value <= span.most + 1e-9, name


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("spec", ["offline", "offline:generator=0.2,reviewer=0.2,voter=0.2,examinee=0.2"])
def test_a_run_stays_within_its_forecast_role_by_role(harbour: Document, spec: str, config: dict[str, Any]) -> None:
    with session(connect(spec, prices=PRICES, cache=False), cache_dir=""):
        program = SummQ.preset(**config)
        expected = forecast(program, harbour)
        usage = program(document=harbour).result.usage
    check(expected, usage)
    for role, tally in usage.roles.items():
        check(expected.roles[role], tally)


def test_repeated_readings_come_from_the_cache_of_a_provider_that_has_one() -> None:
    kept, unkept = foretold("openai/m@http://127.0.0.1:9/v1", prices=PRICES), foretold("offline", prices=PRICES)
    assert kept.roles[PRIMER].calls.most == 1
    assert kept.cached_tokens.most > 0.5 * kept.input_tokens.most
    assert PRIMER not in unkept.roles
    assert unkept.cached_tokens == Span()
    assert kept.cost is not None
    assert unkept.cost is not None
    assert kept.cost.most < unkept.cost.most


def test_listed_prices_are_reckoned_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    large, small = foretold("openai/gpt-4o"), foretold("openai/gpt-4o-mini")
    assert large.cost is not None
    assert small.cost is not None
    assert 0 < small.cost.most < large.cost.most / 10


def test_without_a_price_there_is_no_cost() -> None:
    server = "hosted_vllm/m@http://127.0.0.1:9/v1"
    assert foretold(server).cost is None
    mixed = foretold(roles={"examinee": server})
    assert mixed.cost is None
    assert mixed.roles["examinee"].cost is None
    assert mixed.roles["summary_ranker"].cost == Span()


def test_a_role_on_another_backbone_costs_what_that_takes() -> None:
    free = connect("offline")
    whole, mixed = foretold(prices=PRICES), foretold(prices=PRICES, roles={"reviewer": free})
    assert mixed.roles["quiz_reviewer.review"].cost == Span()
    assert whole.cost is not None
    assert mixed.cost is not None
    assert mixed.cost.most < whole.cost.most


def test_a_document_beyond_the_window_is_digested_first() -> None:
    long = foretold(document=halls(1000), window=4000)
    assert long.roles["digester"].calls.least > 1
    assert "digester" not in foretold(document=halls(1000)).roles


def test_fewer_tokens_for_a_reply_take_more_calls_for_a_quiz() -> None:
    drafts = [foretold(max_tokens=tokens).roles["quiz_generator.draft"] for tokens in (4096, 700)]
    assert [draft.calls.least for draft in drafts] == [3 * 3, 3 * 9]  # three writers; ten questions a call, then four
    assert drafts[1].output_tokens.most <= 1.2 * drafts[0].output_tokens.most


def test_the_one_prompt_is_foreseen_too() -> None:
    with session(connect("offline"), cache_dir=""):
        once = forecast_of_direct(Direct(100), halls(1000))
        untold = forecast_of_direct(Direct(100, told_length=False), halls(1000))
    assert once.calls.least == once.calls.most == 1
    assert once.output_tokens.most < untold.output_tokens.most
