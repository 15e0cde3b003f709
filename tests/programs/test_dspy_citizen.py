"""SummQ as a DSPy module among others: names, state, copies, evaluation, demos, usage."""

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.programs import SummQ
from summq.programs.runtime.role import Role
from tests.fakes import instant_backbone
from tests.plans import BUSY, SIX
from tests.planted import Planted, halls, on, planted


def program(preset: str = "combo", **options: Any) -> SummQ:
    return SummQ.preset(preset, questions=SIX, check_length=False, **options)


def conversation(engine: Planted) -> Counter[tuple[str, int, str]]:
    """Everything that was asked, whatever the order."""
    return Counter((asked.role, asked.agent, asked.text) for asked in engine.asked)


def run(of: SummQ) -> Counter[tuple[str, int, str]]:
    with planted(BUSY) as engine:
        of(document=halls())
    return conversation(engine)


def marked(of: SummQ) -> SummQ:
    """With instructions and demos as an optimizer might leave them."""
    for name, predictor in of.named_predictors():
        predictor.signature = predictor.signature.with_instructions(f"Compiled for {name}.")
        inputs = {key: f"demo of {key}" for key in predictor.signature.fields if key != "document"}
        predictor.demos = [dspy.Example(**inputs)]
    return of


@pytest.mark.parametrize("preset", ["solo", "combo", "combo_r"])
@pytest.mark.parametrize("paper_faithful", [False, True])
def test_predictors_have_readable_names_of_their_own(preset: str, paper_faithful: bool) -> None:
    names = [name for name, _ in program(preset, paper_faithful=paper_faithful).named_predictors()]
    assert len(names) == len(set(names))
    readable = (
        r"((summary|quiz)_(generators|reviewers)\[\d\]\.\w+|(summary|quiz)_(aggregator|ranker|grouper)|[a-z]+(\.\w+)?)"
    )
    assert [name for name in names if not re.fullmatch(readable, name)] == []
    assert {"summary_generators[0].draft", "quiz_reviewers[0].review", "examinee.closed_book"} <= set(names)


@pytest.mark.slow
@pytest.mark.parametrize("agents", [3, 7])
def test_predictors_are_told_apart_by_their_instructions(agents: int) -> None:
    counts = dict.fromkeys(("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers"), agents)
    predictors = program("combo_r", paper_faithful=True, **counts).predictors()
    assert len({predictor.signature.instructions for predictor in predictors}) == len(predictors)
    for one in predictors:
        assert sum(one.signature.equals(other.signature) for other in predictors) == 1


@pytest.mark.slow
def test_every_predictor_is_a_role_and_every_role_of_a_run_is_a_predictor() -> None:
    predictors = program("combo_r", paper_faithful=True).predictors()
    assert all(isinstance(predictor, Role) for predictor in predictors)
    roles = {predictor.role for predictor in predictors}
    assert {role for role, _, _ in run(program("combo_r", paper_faithful=True))} <= roles


@pytest.mark.slow
def test_save_and_load_keep_behaviour(tmp_path: Path) -> None:
    saved = marked(program())
    saved.save(tmp_path / "program.json")
    loaded = program()
    loaded.load(tmp_path / "program.json")
    assert run(loaded) == run(saved) != run(program())
    assert loaded.dump_state() == saved.dump_state()


@pytest.mark.slow
def test_state_holds_neither_document_nor_language_model(tmp_path: Path) -> None:
    saved = marked(program())
    run(saved)
    saved.save(tmp_path / "program.json")
    written = (tmp_path / "program.json").read_text()
    assert halls().text[:50] not in written
    assert all(predictor["lm"] is None for name, predictor in saved.dump_state().items())


@pytest.mark.slow
@pytest.mark.parametrize("copy", [SummQ.deepcopy, SummQ.reset_copy])
def test_a_copy_is_independent(copy: Any) -> None:
    original = program()
    before = run(original)
    changed = marked(copy(original))
    assert run(original) == before
    asked = run(changed)
    assert all("Compiled for" in text for _, _, text in asked)
    assert not {id(p) for p in original.predictors()} & {id(p) for p in changed.predictors()}


@pytest.mark.slow
def test_evaluate_scores_summaries_in_parallel() -> None:
    documents = [halls(number) for number in (40, 50, 60)]
    examples = [dspy.Example(document=document).with_inputs("document") for document in documents]

    def metric(example: Any, prediction: Any, trace: Any = None) -> float:
        return float(prediction.exam.accuracy)

    with planted():
        evaluate = dspy.Evaluate(devset=examples, metric=metric, num_threads=3, display_progress=False)
        result = evaluate(program())
    assert result.score == 100
    assert [example.document for example, _, _ in result.results] == documents


def bootstrapped() -> SummQ:
    optimizer = dspy.BootstrapFewShot(
        metric=lambda example, prediction, trace=None: prediction.exam is not None,
        max_bootstrapped_demos=1,
        max_labeled_demos=0,
    )
    with planted(BUSY):
        compiled: SummQ = optimizer.compile(
            program(max_iterations=1), trainset=[dspy.Example(document=halls()).with_inputs("document")]
        )
    return compiled


@pytest.mark.slow
def test_demos_go_to_the_agents_that_made_them() -> None:
    compiled = bootstrapped()
    for agent, generator in enumerate(compiled.summary_generators):
        (demo,) = generator.draft.demos
        assert demo.summary == f"Summary by {agent}."
    for agent, reviewer in enumerate(compiled.summary_reviewers):
        (demo,) = reviewer.review.demos
        assert f"Found by {agent}." in str(demo.found)
        (demo,) = reviewer.debate.demos
        assert f"Said by {agent}." in str(demo.debate)
    assert compiled.examinee.closed_book.demos


@pytest.mark.slow
def test_demos_are_collected_in_a_stable_order() -> None:
    def demos(of: SummQ) -> list[tuple[str, str]]:
        return [(name, str(predictor.demos)) for name, predictor in of.named_predictors()]

    assert demos(bootstrapped()) == demos(bootstrapped())


@pytest.mark.slow
def test_a_trace_lists_calls_in_the_order_of_the_program() -> None:
    def traced() -> list[tuple[str, int]]:
        with planted(BUSY), dspy.context(trace=[]):
            program()(document=halls())
            return [(role.role, role.agent) for role, _, _ in dspy.settings.trace]

    first = traced()
    assert first == traced()
    assert first[:5] == [
        ("summary_generator.draft", 0),
        ("summary_generator.draft", 1),
        ("summary_generator.draft", 2),
        ("summary_aggregator", 0),
        ("summary_ranker", 0),
    ]


@pytest.mark.slow
def test_usage_by_role_adds_up_to_the_engines_own_count() -> None:
    with planted(BUSY) as engine:
        usage = program("combo_r")(document=halls()).result.usage
    assert {role: tally.calls for role, tally in usage.roles.items()} == engine.calls
    assert usage.calls == len(engine.asked) == sum(tally.calls for tally in usage.roles.values())
    assert usage.input_tokens == sum(len(asked.text) // 4 for asked in engine.asked)
    for name in ("input_tokens", "output_tokens", "cached_tokens"):
        assert sum(getattr(tally, name) for tally in usage.roles.values()) == getattr(usage, name)


@pytest.mark.slow
def test_a_second_run_is_answered_from_the_cache() -> None:
    with planted(BUSY, cache=True) as engine:
        first = program()(document=halls()).result
        made = len(engine.asked)
        second = program()(document=halls()).result
    assert len(engine.asked) == made
    assert (second.usage.calls, second.usage.cache_hits) == (0, first.usage.calls + first.usage.cache_hits)
    assert second.model_dump(exclude={"usage"}) == first.model_dump(exclude={"usage"})


def test_backbones_are_mapped_to_roles_and_agents() -> None:
    ours, theirs = Planted(), Planted()
    lm = instant_backbone(theirs, name="theirs", cache=False)
    with on(ours) as session, dspy.context(role_lms={"generator": [session.lm, lm], "examinee": lm}):
        program()(document=halls())
    assert {asked.agent for asked in theirs.of("summary_generator.draft")} == {1}
    assert {asked.agent for asked in ours.of("summary_generator.draft")} == {0, 2}
    assert ours.of("summary_reviewer")
    assert not ours.of("examinee")
    assert {asked.role for asked in theirs.of("examinee")} == {"examinee", "examinee.blind", "examinee.open_book"}


@pytest.mark.slow
def test_awaited_it_gives_the_same() -> None:
    with planted(BUSY):
        expected = program("solo")(document=halls()).summary
    with planted(BUSY):
        assert asyncio.run(program("solo").acall(document=halls())).summary == expected


def test_a_prediction_is_told_in_a_few_lines() -> None:
    with planted(BUSY):
        assert len(repr(program("solo")(document=halls()))) < 2_000
