"""Every optimizer of the registry learns what the scripted model rewards, end to end, within its budget."""

import json
import re
from pathlib import Path

import pytest

from summq.optimizers.compiling.base import Sizes
from summq.optimizers.compiling.compile import Compilation
from summq.optimizers.compiling.end_to_end import EndToEnd
from summq.optimizers.compiling.inputs import CompileConfig, CompileData, Models
from summq.optimizers.compiling.registry import OPTIMIZERS, find_optimizer
from summq.programs import SummQ
from summq.programs.artifact import RoleRecord, read_manifest
from summq.programs.errors import ConfigError
from summq.programs.runtime.session import session
from summq.signatures import Document
from tests.fakes import instant_backbone
from tests.optimizers.scripted import FACTS, ScriptedModel, advice_seen, facts_named, program, rows

HARBOUR = CompileData("harbour", rows(8), rows(9, start=50))
METRIC_CALLS = {"copro": 480}


def compile_with(name: str, folder: Path, model: ScriptedModel, original: SummQ) -> RoleRecord:
    lm = instant_backbone(model, name=f"scripted-{name}")
    config = CompileConfig(name, METRIC_CALLS.get(name, 120), threads=1, folds=1, rollouts=1)
    with session(lm):
        compilation = Compilation(HARBOUR, Models(lm, lm), config, folder, report=lambda line: None)
        compilation.run(original, [EndToEnd(metric=facts_named)])
    return read_manifest(folder).roles[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_finds_what_the_training_data_show(name: str, tmp_path: Path) -> None:
    model, original = ScriptedModel(), program()
    before = json.dumps(original.dump_state())
    record = compile_with(name, tmp_path, model, original)
    assert record.better
    assert record.installed
    assert record.after is not None
    assert record.after > 0.75
    assert json.dumps(original.dump_state()) == before
    assert record.metric_calls <= METRIC_CALLS.get(name, 120)
    assert not any("The sea was calm" in prompt for prompt in advice_seen(model.requests))
    saved = (tmp_path / "program.json").read_text()
    assert "The sea was calm" not in saved
    assert '"lm":{' not in re.sub(r"\s", "", saved)
    with session(instant_backbone(model, name="fresh")):
        assert all(
            fact in SummQ.from_artifact(tmp_path)(document=HARBOUR.held_out[1].document).summary for fact in FACTS
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bootstrap", "mipro", "gepa"])
def test_all_agents_get_the_same_beside_their_own_angles(name: str, tmp_path: Path) -> None:
    compile_with(name, tmp_path, ScriptedModel(), program())
    first, second = (generator.draft for generator in SummQ.from_artifact(tmp_path).summary_generators)
    assert (first.addendum, first.demos) == (second.addendum, second.demos)
    assert first.signature.instructions != second.signature.instructions


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize(("train", "predictors"), [(1, 1), (4, 1), (10, 3)])
def test_plans_stay_within_the_budget(name: str, train: int, predictors: int) -> None:
    plan = find_optimizer(name).plan(Sizes(train, train, predictors, metric_calls=120))
    assert 0 < plan.metric_calls <= 120


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_too_small_a_budget_says_what_is_needed(name: str) -> None:
    with pytest.raises(ConfigError, match=r"needs at least \d+ metric calls .*: raise --metric-calls"):
        find_optimizer(name).plan(Sizes(10, 10, 2, metric_calls=9))


def test_a_typo_in_the_name_shows_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"^unknown optimizer 'gpea': there are bootstrap, .*did you mean gepa\?$"):
        find_optimizer("gpea")


def test_documents_are_named_to_the_reflecting_model_not_quoted() -> None:
    from summq.optimizers.compiling.proposer import brief

    shown = brief({"Inputs": {"document": Document(text="x" * 9000), "summary": "y" * 5000}}, 4000)["Inputs"]
    assert len(shown["document"]) < 200
    assert shown["summary"].endswith("[... 1000 characters left out]")
