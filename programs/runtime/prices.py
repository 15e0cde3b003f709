"""Tokens of a call and what they cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PER = 1_000_000


@dataclass(frozen=True)
class Tokens:
    """Tokens of one call; `input` includes `cached`."""

    input: int
    cached: int
    output: int

    @classmethod
    def reported(cls, usage: dict[str, Any]) -> "Tokens | None":
        """From a usage report in OpenAI's terms, None when it lacks the counts."""
        read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if read is None or written is None:
            return None
        return cls(read, (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0, written)


@dataclass(frozen=True)
class Prices:
    """USD per million tokens; cached input costs as much as other input unless `cached` is given."""

    input: float
    output: float
    cached: float | None = None

    @classmethod
    def listed(cls, known: Mapping[str, Any]) -> "Prices | None":
        """From what is known about a model, in USD for a token; None when its price isn't."""
        read, written = known.get("input_cost_per_token"), known.get("output_cost_per_token")
        if read is None or written is None:
            return None
        cached = known.get("cache_read_input_token_cost")
        return cls(read * PER, written * PER, None if cached is None else cached * PER)

    def cost(self, tokens: Tokens) -> float:
        """USD for `tokens`."""
        cached = self.input if self.cached is None else self.cached
        fresh = tokens.input - tokens.cached
        return (fresh * self.input + tokens.cached * cached + tokens.output * self.output) / PER


FREE = Prices(0.0, 0.0)

__all__ = ["FREE", "Prices", "Tokens"]
