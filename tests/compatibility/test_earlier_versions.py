"""What version 0.1.0 left on the disk still loads and runs: programs, artifacts, runs, evaluations, metrics."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from summq.eval.archive import read_config, read_outcomes
from summq.eval.metrics.examinee import ExamineeMetric
from summq.programs import SummQ
from summq.programs.artifact import ADDED, adapted
from summq.programs.runtime.session import session
from summq.signatures import SummQResult
from tests.command import Ran

OLD = Path(__file__).parent / "v0.1.0"


def run_shortly(program: SummQ) -> SummQResult:
    program.config = program.config.model_copy(update={"max_iterations": 1})
    with session("offline", cache_dir=""):
        result: SummQResult = program(document=(OLD / "orchard.md").read_text("utf-8")).result
    return result


@pytest.mark.slow
def test_a_compiled_program_loads_with_its_prompts_and_runs() -> None:
    program = SummQ.load(OLD / "compiled")
    draft = program.summary_generators[0].draft
    assert draft.signature.instructions == "Write like a clerk."
    assert draft.demos == [{"augmented": True, "target_words": 9, "summary": "A demo."}]
    assert run_shortly(program).summary


def test_a_saved_program_loads_by_the_addresses_of_its_predictors() -> None:
    saved = json.loads((OLD / "program.json").read_text())
    program = SummQ.preset("solo")
    assert {name for name, _ in program.named_predictors()} - ADDED == saved.keys() - {"metadata"}
    program.load(OLD / "program.json")
    assert run_shortly(program).summary


def test_a_result_is_read_with_all_that_it_holds() -> None:
    written = json.loads((OLD / "run" / "result.json").read_text())
    result = SummQResult.model_validate(written)
    assert result.summary == (OLD / "run" / "summary.md").read_text("utf-8").strip()
    assert len(result.iterations) == len(written["iterations"])
    assert result.exam is not None
    assert result.exam.accuracy == written["exam"]["accuracy"]


@pytest.mark.slow
def test_an_evaluation_is_read_and_reported_again(tmp_path: Path, summq: Callable[..., Ran]) -> None:
    folder = tmp_path / "eval"
    shutil.copytree(OLD / "eval", folder)
    assert read_config(folder).data == "rows.jsonl"
    assert len(read_outcomes(folder / "predictions.jsonl")) == 6
    before = json.loads((folder / "metrics.json").read_text())
    assert summq("report", folder).status == 0
    after = json.loads((folder / "metrics.json").read_text())
    assert after["systems"].keys() == before["systems"].keys()
    assert means(after) == means(before)


def means(metrics: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {
        (name, column): values["mean"]
        for name, columns in metrics["systems"].items()
        for column, values in columns.items()
        if column.startswith("rouge")
    }


def test_a_learned_metric_is_read_with_its_weights(tmp_path: Path) -> None:
    written = json.loads((OLD / "metric" / "metric.json").read_text())
    assert ExamineeMetric.load(OLD / "metric", tmp_path).learned.weights == written["weights"]


def test_fields_and_predictors_added_since_stay_as_they_are_now() -> None:
    own = SummQ.preset("solo").dump_state()
    draft = own["summary_generators[0].draft"]
    document, *others = draft["signature"]["fields"]
    signature = {"instructions": "Be brief.", "fields": [others[-1], {**document, "description": "said otherwise"}]}
    state = adapted({"summary_generators[0].draft": {**draft, "signature": signature}}, own)
    assert state.keys() == own.keys()
    loaded = state["summary_generators[0].draft"]["signature"]
    assert loaded == {
        "instructions": "Be brief.",
        "fields": [{**document, "description": "said otherwise"}, *others],
    }
