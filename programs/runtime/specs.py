"""Backbone specs: `offline`, `local:model.gguf`, `openai/gpt-4o`, `hosted_vllm/NAME@http://host:8000/v1`."""

import re
from dataclasses import dataclass, field
from typing import Literal

from summq.programs.errors import BackboneError

EXAMPLES = "offline, local:PATH.gguf, openai/gpt-4o, ollama_chat/qwen3:32b, hosted_vllm/NAME@http://host:8000/v1"
_MODEL = re.compile(r"(?P<provider>[A-Za-z][\w.-]*)/(?P<model>.+?)(?:@(?P<url>https?://.+))?")


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
        raise BackboneError(f"{text!r} names no backbone; write one like {EXAMPLES}")
    return Spec(text, "provider", match["provider"], match["model"], url=match["url"])


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


__all__ = ["EXAMPLES", "Spec", "parse_spec"]
