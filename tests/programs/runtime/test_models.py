"""Models that a user has already, in the folders of the tools that put them there."""

import json
from pathlib import Path

import pytest

from summq.cli.console import notes_on
from summq.programs.errors import BackboneError
from summq.programs.runtime.checkup import ask
from summq.programs.runtime.models import chosen_model, local_models, packaged_model, takes_packaged


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LLAMA_CACHE", "HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


def put(file: Path, size: int = 100, head: bytes = b"GGUF") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(head + b"x" * size)
    return file


def put_in_ollama(home: Path, size: int) -> Path:
    layers = [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:ab"}]
    manifest = home / ".ollama/models/manifests/registry.ollama.ai/library/qwen3/8b"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"layers": layers}))
    return put(home / ".ollama/models/blobs/sha256-ab", size)


def test_models_are_found_in_all_usual_folders_the_largest_first(home: Path) -> None:
    put(home / ".cache/llama.cpp/a.gguf", 10)
    put(home / ".lmstudio/models/maker/b/b.gguf", 20)
    put(home / ".cache/huggingface/hub/models--c/snapshots/1/c.gguf", 30)
    largest = put_in_ollama(home, 40)
    found = [(model.name, model.origin) for model in local_models()]
    assert found == [("qwen3:8b", "Ollama"), ("c", "Hugging Face"), ("b", "LM Studio"), ("a", "llama.cpp")]
    assert chosen_model() == largest


def test_what_writes_nothing_or_is_no_model_is_passed_over(home: Path) -> None:
    folder = home / ".cache/llama.cpp"
    put(folder / "nomic-embed-text.gguf", 500)
    put(folder / "mmproj-model.gguf", 500)
    put(folder / "half.gguf", 500, head=b"<html>")
    put(folder / "big-00002-of-00002.gguf", 500)
    first = put(folder / "big-00001-of-00002.gguf", 50)
    assert [model.path for model in local_models()] == [first]


def test_the_packaged_model_is_taken_for_want_of_another(home: Path) -> None:
    try:
        assert chosen_model() == packaged_model()
        assert takes_packaged()
        assert len(notes_on("local", "local:other.gguf")) == 1
    except BackboneError:
        assert not takes_packaged()
    put(home / ".cache/llama.cpp/a.gguf")
    assert not takes_packaged()
    assert notes_on("local") == []


def test_a_model_that_exceeds_the_memory_is_not_taken(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / ".cache/llama.cpp/large.gguf", 1000)
    small = put(home / ".cache/llama.cpp/small.gguf", 10)
    monkeypatch.setattr("summq.programs.runtime.models.SHARE_OF_MEMORY", 500 / _memory())
    assert chosen_model() == small


def _memory() -> int:
    import psutil

    return int(psutil.virtual_memory().total)


def test_a_broken_manifest_hides_nothing_else(home: Path) -> None:
    put_in_ollama(home, 40)
    (home / ".ollama/models/manifests/registry.ollama.ai/library/qwen3/broken").write_text("{")
    assert [model.name for model in local_models()] == ["qwen3:8b"]


@pytest.mark.extra_local
def test_the_doctor_lists_them_and_says_which_is_taken(home: Path) -> None:
    put(home / ".cache/llama.cpp/a.gguf", 10)
    taken = put(home / ".cache/llama.cpp/b.gguf", 20)
    answer = ask("local")
    assert answer.problem == ""
    assert answer.models[0] == f"takes {taken}"
    assert answer.models[1].startswith("a (llama.cpp): local:")
