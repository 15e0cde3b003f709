"""What a run will use, as foretold and as it came: calls by role, then tokens and cost."""

from typing import Any

import pytest

from summq.programs import SummQ, SummQConfig
from summq.programs.baselines import Direct
from summq.programs.documents import load_document
from summq.programs.expected_calls import Calls, expected_calls
from summq.programs.forecast import RunForecast, Span, forecast, forecast_of_direct
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.prefix import PRIMER
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import Prices
from summq.signatures import Document, Tally
from tests.documents import HARBOUR
from tests.plans import BUSY, SIX
from tests.planted import halls, planted

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
        result = program(document=harbour).result
    usage = result.usage
    check(expected, usage)
    if len(result.iterations) == program.config.max_iterations:  # as is likely
        assert usage.calls / 3 < expected.calls.likely < 3 * usage.calls
        assert usage.input_tokens / 3 < expected.input_tokens.likely < 3 * usage.input_tokens
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


PRESETS: list[dict[str, Any]] = [
    {"name": "solo"},
    {"name": "combo"},
    {"name": "combo", "paper_faithful": True},
    {"name": "combo_r", "max_iterations": 2, "return_iteration": "best"},
    {"name": "combo", "quiz_stream": False, "debate_rounds": 0},
    {"name": "combo", "reviews": False},
    {"name": "combo", "debate_rounds": 3, "verify_quiz": False},
    {"name": "solo", "summary_reviewers": 5, "quiz_generators": 2, "paper_faithful": True},
]


def made(plan: dict[str, Any], preset: dict[str, Any]) -> dict[str, int]:
    with planted(plan) as engine:
        SummQ.preset(**{"questions": SIX, **preset})(document=halls())
    return engine.calls


def calls_of_round(config: SummQConfig) -> dict[str, Calls]:
    return expected_calls(config.model_copy(update={"max_iterations": 1}))


def total(calls: dict[str, Calls]) -> Calls:
    return sum(calls.values(), Calls())


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("plan", [{}, BUSY])
def test_a_run_makes_as_many_calls_as_foretold(plan: dict[str, Any], preset: dict[str, Any]) -> None:
    foretold = expected_calls(SummQConfig.preset(**{"questions": SIX, **preset}))
    calls = made(plan, preset)
    assert calls.keys() <= foretold.keys()
    for role, expected in foretold.items():
        assert expected.least <= calls.get(role, 0) <= expected.most, role


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_a_round_in_which_everything_is_contested_makes_all_calls(preset: dict[str, Any]) -> None:
    config = {**preset, "max_iterations": 1, "return_iteration": "last"}
    config["every_call"] = True
    calls = made(BUSY, config)
    foretold = expected_calls(SummQConfig.preset(**{"questions": SIX, **config}))
    assert calls == {role: expected.most for role, expected in foretold.items()}


def test_a_round_in_the_papers_reading_makes_37_calls_and_those_of_short_answers() -> None:
    round_ = calls_of_round(SummQConfig.preset("combo", paper_faithful=True))
    assert total(round_).most - round_["grader"].most == 37
    assert round_["grader"] == Calls(least=0, most=1)


def test_all_rounds_are_likely_and_half_of_what_may_be_left_out_of_them() -> None:
    config = SummQConfig.preset("solo", max_iterations=3)
    once, whole = calls_of_round(config), expected_calls(config)
    assert whole["examinee"] == Calls(least=1, most=3, likely=3)
    assert whole["grader"].likely == 3 * once["grader"].likely == whole["grader"].most / 2


def test_what_is_likely_adds_up_and_lies_between_the_ends() -> None:
    sizes = Span(least=4, most=9)
    assert sizes.likely == 6
    assert sizes + sizes == sizes * 2 == Span(least=8, most=18, likely=12)
    assert sizes * Calls(least=1, most=3) == Span(least=4, most=27, likely=12)


@pytest.mark.parametrize(("agents", "debate_rounds"), [(2, 1), (3, 1), (3, 2), (5, 1)])
def test_the_papers_formula(agents: int, debate_rounds: int) -> None:
    n, t = agents, debate_rounds
    counts = dict.fromkeys(("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers"), n)
    config = SummQConfig.preset("combo", paper_faithful=True, debate_rounds=t, **counts)
    calls = calls_of_round(config)
    assert total(calls).most - calls["grader"].most == 2 * (2 * n + 2) + 2 * ((2 + t) * n + 1) + 1


def test_a_document_takes_111_calls_in_the_papers_reading() -> None:
    calls = expected_calls(SummQConfig.preset("combo", paper_faithful=True))
    assert total(calls).most - calls["grader"].most == 111


def test_solo_has_one_call_of_each_role_in_a_round_and_more_for_length_kinds_and_rereads() -> None:
    calls = calls_of_round(SummQConfig.preset("solo"))
    assert {role: expected.most for role, expected in calls.items()} == {
        "summary_generator.draft": 1,
        "summary_generator.revise": 1,
        "summary_reviewer.review": 1,
        "quiz_generator.draft": 3,
        "quiz_reviewer.review": 1,
        "examinee": 1,
        "examinee.open_book": 2,
        "examinee.blind": 1,
        "grader": 3,
    }
