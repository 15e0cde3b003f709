"""What an entry point sets up around the programs: backbones, limits, meter, caches.

Programs never configure a language model; they run inside `with session(...)`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dspy

from summq.programs.errors import BackboneError
from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.backbones import Backbone, connect
from summq.programs.runtime.cache import open_cache
from summq.programs.runtime.limits import Budget, Gate
from summq.programs.runtime.parallel import never_resubmit
from summq.programs.runtime.progress import Listener, RunWatch
from summq.programs.runtime.usage import Meter

Named = str | Backbone
RECORDS_KEPT = 10_000
"""Of the calls of a session, which may be millions; `Session.meter.usage()` counts all of them."""
RoleLMs = dict[str, Backbone | list[Backbone]]


@dataclass(frozen=True)
class Session:
    """What is in force: `lm` plays every role that `role_lms` doesn't give to another backbone."""

    lm: Backbone
    role_lms: RoleLMs
    gate: Gate
    budget: Budget
    meter: Meter = field(default_factory=lambda: Meter(kept=RECORDS_KEPT))


@contextmanager
def session(
    backbone: Named = "offline",
    *,
    roles: Mapping[str, Named | Sequence[Named]] | None = None,
    concurrency: int = 16,
    max_calls: int | None = None,
    max_cost: float | None = None,
    cache_dir: str | Path | None = None,
    document_key: str | None = None,
    temperatures: Mapping[str, float] | None = None,
    progress: Listener | None = None,
    **options: Any,
) -> Iterator[Session]:
    """Run programs on `backbone`, at most `concurrency` calls at a time.

    Args:
        backbone: A spec (see `summq.programs.runtime.specs`) or a connected backbone.
        roles: Other backbones for roles: `{"examinee": spec}`, a list for one per agent of an ensemble.
        concurrency: Calls in flight at once, over all threads.
        max_calls: No call is sent beyond these; `BudgetSpent` is raised instead.
        max_cost: USD after which no further call is sent.
        cache_dir: Where replies are kept; by default `SUMMQ_CACHE_DIR`, else `~/.cache/summq`; "" keeps them in memory.
        document_key: The document that calls belong to, for fair queueing; who runs several documents sets it for
            each with `dspy.context(document_key=...)`.
        temperatures: By role; the others have that of their backbone, or 0 where they judge or answer.
        progress: Is called with a `Progress` whenever a role begins or ends, from the thread in which it plays.
        options: Those of `BackboneOptions`, for every backbone named by a spec.

    Raises:
        BackboneError: A backbone can't be had, or has no known price although `max_cost` is set.
    """
    lm, role_lms = _connect_all(backbone, roles or {}, options)
    current = Session(lm, role_lms, Gate(concurrency), Budget(max_calls=max_calls, max_cost=max_cost))
    if max_cost is not None:
        _require_prices(current)
    never_resubmit()
    open_cache(cache_dir)
    own = [RunWatch(progress)] if progress else []
    for watch in [*own, *dspy.settings.get("watches", [])]:
        watch.follow(current.meter, current.budget)
    with dspy.context(
        callbacks=[*dspy.settings.callbacks, *own],
        lm=current.lm,
        role_lms=role_lms,
        adapter=DocumentFirstAdapter(),
        gate=current.gate,
        budget=current.budget,
        meter=current.meter,
        document_key=document_key,
        temperatures=dict(temperatures or {}),
        trace=None,  # DSPy would keep the inputs of the last 10,000 calls; optimizers set a trace of their own
        disable_history=True,
    ):
        yield current


def _connect_all(
    backbone: Named, roles: Mapping[str, Named | Sequence[Named]], options: dict[str, Any]
) -> tuple[Backbone, RoleLMs]:
    known: dict[str, Backbone] = {}

    def connected(named: Named) -> Backbone:
        if isinstance(named, Backbone):
            return named
        if named not in known:
            known[named] = connect(named, **options)
        return known[named]

    role_lms: RoleLMs = {
        role: connected(named) if isinstance(named, (str, Backbone)) else [connected(each) for each in named]
        for role, named in roles.items()
    }
    return connected(backbone), role_lms


def _require_prices(current: Session) -> None:
    lists = [lms if isinstance(lms, list) else [lms] for lms in current.role_lms.values()]
    for lm in [current.lm, *(lm for lms in lists for lm in lms)]:
        if not lm.priced:
            raise BackboneError(
                f"the price of {lm.name} is not known, so a limit on cost can't be kept; "
                "give prices (USD per million tokens: input, output, cached) or limit calls instead"
            )


__all__ = ["Session", "session"]
