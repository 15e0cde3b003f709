import time
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils.parallelizer import ParallelExecutor

from summq.programs.errors import BackboneError
from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.backbones import Backbone
from summq.programs.runtime.cache import CACHE_VARIABLE, DEFAULT_CACHE, current_cache, forget
from summq.programs.runtime.parallel import never_resubmit
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import Meter
from tests.fakes import InstantEngine, instant_backbone


def test_programs_find_everything_in_the_settings() -> None:
    backbone, examinee = instant_backbone(name="a"), instant_backbone(name="b")
    with session(backbone, roles={"examinee": examinee, "reviewer": [backbone, examinee]}, document_key="d") as current:
        assert dspy.settings.lm is current.lm is backbone
        assert dspy.settings.role_lms == {"examinee": examinee, "reviewer": [backbone, examinee]}
        assert isinstance(dspy.settings.adapter, DocumentFirstAdapter)
        assert (dspy.settings.meter, dspy.settings.gate, dspy.settings.budget) == (
            current.meter,
            current.gate,
            current.budget,
        )
        assert (dspy.settings.document_key, dspy.settings.trace) == ("d", None)
    assert dspy.settings.get("meter") is None


def test_a_spec_is_connected_once() -> None:
    spec = "hosted_vllm/m@http://127.0.0.1:1/v1"
    with session(spec, roles={"examinee": spec, "reviewer": [spec, "hosted_vllm/n@http://127.0.0.1:1/v1"]}) as current:
        first, second = current.role_lms["reviewer"]
    assert current.role_lms["examinee"] is current.lm is first
    assert isinstance(second, Backbone)
    assert second is not first


def test_an_unusable_role_is_refused_before_anything_runs() -> None:
    with pytest.raises(BackboneError, match="nonsense"), session(instant_backbone(), roles={"examinee": "nonsense"}):
        pass


def test_offline_is_the_default_and_free() -> None:
    with session(max_cost=1.0) as current:
        assert (current.lm.name, current.lm.priced) == ("offline", True)


def test_finished_calls_are_not_made_again_by_the_next_session(tmp_path: Path) -> None:
    engine = InstantEngine()
    with session(instant_backbone(engine), cache_dir=tmp_path / "replies") as current:
        current.lm("hello")
    forget()  # as a new process would begin
    with session(instant_backbone(engine), cache_dir=tmp_path / "replies", max_calls=0) as current:
        assert current.lm("hello") == ["reply"]
    assert len(engine.requests) == 1
    assert (current.meter.usage().calls, current.meter.usage().cache_hits) == (0, 1)


def test_the_folder_of_the_cache_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMQ_CACHE_DIR", str(tmp_path / "replies"))
    with session(instant_backbone()) as current:
        current.lm("hello")
    assert (tmp_path / "replies").is_dir()


def test_an_open_cache_is_kept_open() -> None:
    with session(instant_backbone()):
        cache = current_cache()
    with session(instant_backbone()):
        assert current_cache() is cache


def test_evaluate_keeps_to_the_limits_and_the_meter() -> None:
    engine = InstantEngine("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]")
    examples = [dspy.Example(question=str(number), answer="yes").with_inputs("question") for number in range(6)]

    def right(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        return bool(example.answer == prediction.answer)

    with session(instant_backbone(engine), concurrency=2) as current:
        evaluate = dspy.Evaluate(devset=examples, metric=right, num_threads=3, display_progress=False)
        assert evaluate(dspy.Predict("question -> answer")).score == 100.0
    assert current.meter.usage().calls == 6


def test_stragglers_are_not_run_again() -> None:
    never_resubmit()
    patched = ParallelExecutor.__init__
    never_resubmit()
    assert ParallelExecutor.__init__ is patched
    runs: list[int] = []

    def slow(number: int) -> int:
        runs.append(number)
        time.sleep(0.3 if number == 0 else 0)
        return number

    executor = ParallelExecutor(num_threads=2, disable_progress_bar=True, timeout=0.1)
    assert executor.execute(slow, [0, 1]) == [0, 1]
    assert sorted(runs) == [0, 1]


@pytest.mark.slow
def test_nothing_of_a_document_is_kept_after_its_calls() -> None:
    """What grows with the number of documents is the meter's records alone."""
    import gc
    import tracemalloc

    engine = InstantEngine("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]")
    engine.requests = _Forgetful()
    predictor = dspy.Predict("document -> answer")
    with session(instant_backbone(engine, cache=False)) as current:
        predictor(document="warm up " * 10_000)
        tracemalloc.start()
        for number in range(30):
            predictor(document=f"{number} " + "word " * 20_000)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert isinstance(current.meter, Meter)
    assert len(current.meter.records) == 31
    assert kept < 300_000


class _Forgetful(list[Any]):
    def append(self, item: Any) -> None:
        pass


def test_the_readme_says_where_replies_are_kept() -> None:
    readme = (Path(__file__).resolve().parents[3] / "README.md").read_text("utf-8")
    assert f"kept in `{DEFAULT_CACHE}`; `{CACHE_VARIABLE}` names another folder" in readme
