"""What the calls of a run used: tokens, money, time, by role.

An unknown price makes the cost of its role and of the run None, never 0. A reply from the response cache costs
nothing and is counted apart from calls.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from summq.programs.text.words import numbered
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

    @property
    def full_cost(self) -> float | None:
        """What the call cost, or had cost when its reply was made."""
        return self.saved if self.cache_hit else self.cost


def known_sum(costs: Iterable[float | None]) -> float | None:
    """The sum of the costs; None where one of them is not known."""
    each = list(costs)
    return None if None in each else sum((cost for cost in each if cost is not None), 0.0)


@dataclass
class _Sums:
    """The sums over some records; a cost that is not known makes their cost None."""

    calls: int = 0
    cache_hits: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    def add(self, record: CallRecord) -> None:
        """One more record."""
        self.calls += not record.cache_hit
        self.cache_hits += record.cache_hit
        self.input_tokens += record.input_tokens
        self.cached_tokens += record.cached_tokens
        self.output_tokens += record.output_tokens
        self.cost = known_sum((self.cost, record.cost))
        self.seconds += record.seconds


class Meter:
    """Sums up records from any number of threads, and passes them on to the meter of the run that this is part of.

    Args:
        kept: How many of the last records are kept beside the sums; None: all.
    """

    def __init__(self, parent: "Meter | None" = None, *, kept: int | None = None) -> None:
        self._parent = parent
        self._lock = threading.Lock()
        self._records: deque[CallRecord] = deque(maxlen=kept)
        self._all = _Sums()
        self._by_role: dict[str, _Sums] = defaultdict(_Sums)

    def add(self, record: CallRecord) -> None:
        """Append one record."""
        with self._lock:
            self._records.append(record)
            self._all.add(record)
            self._by_role[record.role].add(record)
        if self._parent is not None:
            self._parent.add(record)

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """The records that are kept, in the order in which calls ended."""
        with self._lock:
            return tuple(self._records)

    def usage(self) -> Usage:
        """The sums of the run and of each role, roles by name."""
        with self._lock:
            by_role = {role: Tally(**asdict(self._by_role[role])) for role in sorted(self._by_role)}
            return Usage(**asdict(self._all), roles=by_role)


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


def cache_note(hits: int, calls: int) -> str:
    """Why tokens and money are those of fewer calls than there were; empty if no reply was in the cache."""
    return f"{hits:,} of {numbered(hits + calls, 'call')} from the cache, without tokens or money" if hits else ""


__all__ = ["FREE", "UNNAMED_ROLE", "CallRecord", "Meter", "Prices", "Tokens", "cache_note", "known_sum"]
