"""What the calls of a run used: tokens, money, time, by role.

An unknown price makes the cost of its role and of the run None, never 0. A reply from the response cache costs
nothing and is counted apart from calls.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from summq.signatures import Tally, Usage

UNNAMED_ROLE = "other"


@dataclass(frozen=True)
class CallRecord:
    """One call of a backbone, or one reply that the response cache gave instead.

    `input_tokens` includes `cached_tokens` (those the provider read from its prefix cache). `cost` is in USD, None when
    the price is unknown; `saved` is what a reply from the response cache had cost when it was made. `error` names what
    a failed call failed with; the tokens of a failed call still count.
    """

    role: str
    model: str
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    saved: float | None = 0.0
    cache_hit: bool = False
    seconds: float = 0.0
    finish_reason: str | None = None
    error: str | None = None


class Meter:
    """Collects records from any number of threads, and passes them on to the meter of the run that this is part of."""

    def __init__(self, parent: "Meter | None" = None) -> None:
        self._parent = parent
        self._lock = threading.Lock()
        self._records: list[CallRecord] = []

    def add(self, record: CallRecord) -> None:
        """Append one record."""
        with self._lock:
            self._records.append(record)
        if self._parent is not None:
            self._parent.add(record)

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """Everything recorded so far, in the order in which calls ended."""
        with self._lock:
            return tuple(self._records)

    def usage(self) -> Usage:
        """The sums of the run and of each role, roles by name."""
        records = self.records
        roles = sorted({record.role for record in records})
        by_role = {role: _tally(record for record in records if record.role == role) for role in roles}
        return Usage(**_tally(records).model_dump(), roles=by_role)


def _tally(records: Iterable[CallRecord]) -> Tally:
    kept = list(records)
    costs = [record.cost for record in kept]
    known = [cost for cost in costs if cost is not None]
    return Tally(
        calls=sum(not record.cache_hit for record in kept),
        cache_hits=sum(record.cache_hit for record in kept),
        input_tokens=sum(record.input_tokens for record in kept),
        cached_tokens=sum(record.cached_tokens for record in kept),
        output_tokens=sum(record.output_tokens for record in kept),
        cost=sum(known) if len(known) == len(costs) else None,
        seconds=sum(record.seconds for record in kept),
    )


PER = 1_000_000


@dataclass(frozen=True)
class Tokens:
    """Tokens of one call; `input` includes `cached`."""

    input: int
    cached: int
    output: int

    @classmethod
    def reported(cls, usage: dict[str, Any]) -> "Tokens | None":
        """From a usage report in OpenAI's terms, None when it lacks the counts, or counts nothing read."""
        read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if not read or read < 0 or written is None or written < 0:
            return None
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        return cls(read, min(max(cached, 0), read), written)


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


__all__ = ["FREE", "UNNAMED_ROLE", "CallRecord", "Meter", "Prices", "Tokens"]
