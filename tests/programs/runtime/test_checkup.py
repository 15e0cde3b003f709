"""The checkup: what is installed, and whether backbones answer."""

import re

import pytest

from summq.programs.errors import BackboneError
from summq.programs.runtime.checkup import ADDRESSES, PARTS, Part, ask, ask_known_providers, version_of
from tests.fakes import FakeProvider


def test_a_part_names_what_is_not_installed() -> None:
    assert Part("x", "nothing", ("dspy", "no-such-package"), "").missing() == ["no-such-package"]
    assert version_of("no-such-package") is None


def test_every_extra_of_the_package_is_a_part() -> None:
    names = {part.name for part in PARTS}
    assert {"docs", "local", "metrics", "bertscore", "plots", "ray"} <= names


@pytest.mark.slow
def test_a_server_lists_its_models() -> None:
    with FakeProvider() as server:
        server.models = ["org/fake-model", "other"]
        answer = ask(f"hosted_vllm/fake-model@{server.url}")
    assert answer.models == ("org/fake-model", "other")
    assert answer.problem == ""


def test_a_model_that_the_server_does_not_list_is_a_problem() -> None:
    with FakeProvider() as server:
        answer = ask(f"hosted_vllm/another@{server.url}")
    assert answer.problem.endswith("does not list 'another'")
    assert answer.models == ("fake-model",)


def test_a_rejected_key_is_told_from_a_server_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    with FakeProvider() as server:
        server.key = "right"
        spec = f"openai/fake-model@{server.url}"
        assert re.search("rejects the key in OPENAI_API_KEY$", ask(spec).problem)
    assert ask(spec).problem.endswith("does not answer")


def test_a_provider_without_its_key_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    assert ask("groq/some-model").problem == "set GROQ_API_KEY"


def test_the_known_providers_are_all_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ADDRESSES:
        monkeypatch.delenv(f"{provider.upper()}_API_KEY", raising=False)
        monkeypatch.setitem(ADDRESSES, provider, "http://127.0.0.1:9/v1")
    problems = {answer.backbone: answer.problem for answer in ask_known_providers()}
    assert problems["openai/*"] == "set OPENAI_API_KEY"
    assert problems["hosted_vllm/*"] == "http://127.0.0.1:9/v1 does not answer"
    assert len(problems) == len(ADDRESSES)


def test_a_backbone_without_a_server_is_connected() -> None:
    assert ask("offline").problem == ""


@pytest.mark.extra_local
def test_a_local_model_that_does_not_exist_is_named() -> None:
    assert "/nowhere/model.gguf" in ask("local:/nowhere/model.gguf").problem


def test_what_is_no_spec_is_an_error() -> None:
    with pytest.raises(BackboneError, match="names no backbone"):
        ask("gpt-4o")
