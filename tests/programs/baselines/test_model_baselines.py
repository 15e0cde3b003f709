"""Baselines that ask a language model: what each one asks, in which order, and when it stops."""

from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.baselines import HMSR, ChainOfDensity, Direct, MapReduce, MultiLLM, Refine
from summq.programs.baselines.base import Baseline
from summq.programs.baselines.hierarchy import grouped
from summq.programs.errors import DocumentError
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.runtime.session import session
from summq.programs.text.tokens import estimate_tokens
from tests.planted import Asked, Plan, Planted, halls, planted

LARGE = 150  # tokens; five sentences of the document of halls


def counted(asked: Asked) -> dict[str, str]:
    """A summary that says which call it is, as long as was wanted."""
    words = int(asked["target_words"])
    return {"summary": " ".join([f"[{asked.role}]", *["word"] * (words - 1)])}


PLAN: Plan = {
    "summarizer": counted,
    "merger": counted,
    "refiner": counted,
    "critic": {"critique": {"false_statements": []}},
    "corrector": {"summary": "Corrected."},
    "densifier": {"missing_entities": ["hall 3"], "summary": "Dense."},
    "chooser": {"best": "B", "confidence": "9"},
}


def run(system: Baseline, plan: Plan | None = None, size: int = 20) -> tuple[str, Planted]:
    with planted({**PLAN, **(plan or {})}) as engine:
        return str(system(document=halls(size)).summary), engine


def test_direct_asks_once_and_shows_the_whole_document() -> None:
    summary, engine = run(Direct(50))
    assert engine.calls == {"summarizer": 1}
    assert halls(20).text in engine.asked[0].text
    assert len(summary.split()) == 50


def test_map_reduce_tells_no_passage_about_another_and_merges_to_the_wanted_length() -> None:
    summary, engine = run(MapReduce(60, passage_tokens=LARGE), size=40)
    assert {asked["context"] for asked in engine.asked} == {""}
    assert engine.calls["summarizer"] > 2
    assert summary.startswith("[merger]")
    assert len(summary.split()) == 60


def test_passages_together_are_the_document() -> None:
    _, engine = run(MapReduce(60, passage_tokens=LARGE))
    passages = {asked["passage"] for asked in engine.of("summarizer")}
    assert sum(len(passage.split()) for passage in passages) == len(halls(20).text.split())


def test_hm_sr_tells_each_summary_of_a_level_the_one_before_it() -> None:
    plan = {"summarizer": lambda asked: {"summary": "About " + asked["passage"][:40].replace("\n", " ")}}
    _, engine = run(HMSR(60, passage_tokens=LARGE), plan)
    asked = engine.of("summarizer")
    said = ["About " + one["passage"][:40].replace("\n", " ") for one in asked]
    assert [one["context"] for one in asked] == ["", *said[:-1]]


def test_hm_sr_corrects_until_the_critic_finds_nothing() -> None:
    false = {"critique": {"false_statements": [{"statement": "No hall has lamps.", "reason": "All do."}]}}
    summary, engine = run(HMSR(60), {"critic": [false, {"critique": {"false_statements": []}}]})
    assert summary == "Corrected."
    assert (engine.calls["critic"], engine.calls["corrector"]) == (2, 1)
    assert "No hall has lamps." in engine.of("corrector")[0]["critique"]
    _, stubborn = run(HMSR(60, passes=2), {"critic": false})
    assert (stubborn.calls["critic"], stubborn.calls["corrector"]) == (2, 2)


def test_refine_carries_one_summary_through_all_passages() -> None:
    plan = {"refiner": lambda asked: {"summary": asked["previous"] + " more"}, "summarizer": {"summary": "First"}}
    summary, engine = run(Refine(60, passage_tokens=LARGE), plan)
    assert engine.calls["summarizer"] == 1
    assert summary == "First" + " more" * engine.calls["refiner"]


def test_chain_of_density_starts_from_nothing_and_goes_on_from_the_last_summary() -> None:
    summary, engine = run(ChainOfDensity(60, passes=3))
    assert summary == "Dense."
    assert [asked["previous"] for asked in engine.asked] == ["", "Dense.", "Dense."]


def test_the_central_model_of_multi_llm_chooses_among_all_writers() -> None:
    plan = {"summarizer": lambda asked: {"summary": f"By {asked.agent}."}}
    summary, engine = run(MultiLLM(60), plan)
    assert summary == "By 1."
    assert engine.calls == {"summarizer": 3, "chooser": 1}


def test_multi_llm_writes_again_with_all_candidates_in_view_while_it_is_not_sure() -> None:
    plan = {
        "summarizer": lambda asked: {"summary": "Better." if "By 2." in asked.text else f"By {asked.agent}."},
        "chooser": [{"best": "A", "confidence": "3"}, {"best": "C", "confidence": "8"}],
    }
    summary, engine = run(MultiLLM(60), plan)
    assert summary == "Better."
    assert engine.calls == {"summarizer": 6, "chooser": 2}
    _, unsure = run(MultiLLM(60, rounds=2), {"chooser": {"best": "A", "confidence": "0"}})
    assert unsure.calls == {"summarizer": 6, "chooser": 2}


def test_multi_llm_summarises_the_chosen_summaries_the_same_way() -> None:
    _, engine = run(MultiLLM(40, passage_tokens=LARGE), size=40)
    last = engine.of("chooser")[-1]
    assert "[summarizer]" in last["passage"]
    assert "keeper" not in last["passage"]


def test_a_choice_that_is_no_candidate_is_a_failure_not_a_guess() -> None:
    with pytest.raises(UnusableReply, match="not one candidate"):
        run(MultiLLM(60), {"chooser": {"best": "Z", "confidence": "9"}})


BASELINES = [Direct, HMSR, MultiLLM, MapReduce, Refine, ChainOfDensity]


@pytest.mark.parametrize("kind", BASELINES)
def test_an_empty_document_is_refused_before_any_call(kind: type[Baseline]) -> None:
    with planted(PLAN) as engine, pytest.raises(DocumentError, match="empty"):
        kind()(document=" \n")
    assert engine.asked == []


@pytest.mark.parametrize("kind", BASELINES)
def test_prompts_survive_a_round_trip_and_are_told_apart(kind: type[Baseline], tmp_path: Any) -> None:
    program = kind(60)
    named = dict(program.named_predictors())
    assert all(isinstance(predictor, Role) for predictor in named.values())
    instructions = [predictor.signature.instructions for predictor in named.values()]
    assert len(set(instructions)) == len(instructions)
    for name, predictor in named.items():
        predictor.signature = predictor.signature.with_instructions(f"Work for lamplighters as {name}.")
    program.save(str(tmp_path / "program.json"))
    again = kind(60)
    again.load(str(tmp_path / "program.json"))
    with planted(PLAN) as engine:
        again(document=halls(20))
    assert all("Work for lamplighters as" in asked.text for asked in engine.asked)


@pytest.mark.parametrize("kind", BASELINES)
def test_every_baseline_runs_offline_near_the_wanted_length_and_compiles(kind: type[Baseline]) -> None:
    example = dspy.Example(document=halls(60)).with_inputs("document")

    def wanted(example: Any, prediction: Any, trace: Any = None) -> bool:
        return abs(len(prediction.summary.split()) - 80) <= 12

    with session("offline", cache_dir=""):
        optimizer = dspy.BootstrapFewShot(metric=wanted, max_labeled_demos=0)
        compiled = optimizer.compile(
            kind(80, **({} if kind in (Direct, ChainOfDensity) else {"passage_tokens": 400})), trainset=[example]
        )
    assert any(predictor.demos for _, predictor in compiled.named_predictors())


@given(st.lists(st.text("ab ", min_size=1, max_size=60), min_size=1, max_size=20), st.integers(1, 60))
def test_groups_keep_the_order_and_shrink(summaries: list[str], limit: int) -> None:
    groups = grouped(summaries, limit)
    assert [summary for group in groups for summary in group] == summaries
    assert all(len(group) > 1 for group in groups[:-1])
    assert all(len(group) <= 2 or sum(map(estimate_tokens, group)) <= limit for group in groups)
