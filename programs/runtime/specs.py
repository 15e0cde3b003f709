"""How backbones are named: the forms that a spec may have, read without what it takes to reach one."""

import re
from dataclasses import dataclass, field
from typing import Literal

from summq.programs.errors import BackboneError, closest

EXAMPLES = "offline, local:PATH.gguf, openai/gpt-4o, ollama_chat/qwen3:32b, hosted_vllm/NAME@http://host:8000/v1"
PROVIDERS = {
    r"(chat)?gpt-|o[134](-|$)": "openai",
    "claude-": "anthropic",
    "gemini-": "gemini",
    "grok-": "xai",
}
"""Whose models have such names, for whoever leaves the provider out."""
_OLLAMA = re.compile(r"[\w.-]{1,99}:[\w.-]+")  # name and tag, as `ollama list` shows them
_MODEL = re.compile(r"\A(?P<provider>[A-Za-z][\w.-]*)/(?P<model>.+?)(?:@(?P<url>https?://.+))?")


@dataclass(frozen=True)
class Spec:
    """A parsed spec. `path` belongs to `local`, `settings` to `offline`, the rest to models behind a provider."""

    text: str
    kind: Literal["offline", "local", "provider"]
    provider: str = ""
    model: str = ""
    url: str | None = None
    path: str | None = None
    settings: dict[str, float] = field(default_factory=dict)


def parse_spec(text: str) -> Spec:
    """Read a spec; raises `BackboneError` when it has none of the forms."""
    head, _, tail = text.strip().partition(":")
    if head == "offline":
        return Spec(text, "offline", settings=_settings(tail, text))
    if head == "local":
        return Spec(text, "local", path=tail or None)
    match = _MODEL.fullmatch(text.strip())
    if match is None:
        raise none_such(f"{text!r} names no backbone", _meant(text.strip()))
    return Spec(text, "provider", match["provider"], match["model"], url=match["url"])


def none_such(what: str, meant: str) -> BackboneError:
    """The error about a spec that names nothing, with what was probably meant ("" where nobody can tell)."""
    question = f"did you mean {meant}? Else " if meant else ""
    return BackboneError(f"{what}; {question}write one like {EXAMPLES}")


def _meant(text: str) -> str:
    """What a model without its provider probably stands for; empty where nobody can tell."""
    if close := closest(text, ["offline", "local"]):
        return close
    if text.endswith(".gguf"):
        return f"local:{text}"
    if _OLLAMA.fullmatch(text):
        return f"ollama_chat/{text}"
    return next((f"{provider}/{text}" for name, provider in PROVIDERS.items() if re.match(name, text)), "")


def _settings(tail: str, text: str) -> dict[str, float]:
    settings = {}
    for part in filter(None, tail.split(",")):
        key, _, value = (piece.strip() for piece in part.partition("="))
        try:
            settings[key] = float(value)
        except ValueError:
            raise BackboneError(
                f"{part!r} in the backbone {text!r} is no setting; write one like offline:seed=3,reviewer=0.3"
            ) from None
    return settings


__all__ = ["Spec", "none_such", "parse_spec"]
