"""Backbones: the language models that play the roles, named by a spec (DESIGN section 7)."""

from dataclasses import dataclass, fields
from typing import Any

import dspy
from dspy.utils.exceptions import LMConfigurationError, LMUnexpectedError

from summq.programs.errors import BackboneError, SummQError
from summq.programs.runtime.calls import CallEngine, current_role
from summq.programs.runtime.meter import CallRecord
from summq.programs.runtime.prices import Prices
from summq.programs.runtime.retries import RetryPolicy
from summq.programs.runtime.specs import parse_spec
from summq.programs.runtime.wires import Wire, wire_for


@dataclass(frozen=True)
class BackboneOptions:
    """What can be said about a backbone besides its spec.

    `window` overrides the context window in tokens; `prices` are USD per million tokens for models whose price DSPy
    doesn't know; `deadline` bounds one reply in seconds; `attempts` and `longest_wait` bound what is done about
    passing failures. Temperature and limit on output tokens are the provider's own unless given.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    window: int | None = None
    prices: Prices | None = None
    deadline: float = 900.0
    attempts: int = 4
    longest_wait: float = 60.0
    cache: bool = True

    @classmethod
    def of(cls, options: dict[str, Any]) -> "BackboneOptions":
        """From keyword arguments, `prices` also as a mapping; raises `BackboneError` for what is not an option."""
        unknown = sorted(options.keys() - {option.name for option in fields(cls)})
        if unknown:
            known = ", ".join(option.name for option in fields(cls))
            raise BackboneError(f"{', '.join(unknown)}: no option of a backbone; there are {known}")
        prices = options.get("prices")
        if isinstance(prices, dict):
            options = {**options, "prices": _prices(prices)}
        return cls(**options)


class Backbone(dspy.LM):
    """A `dspy.LM` that keeps to the limits of the session and is metered by it; no prompt is kept.

    `name` is how usage calls it, `constrained` says whether replies are decoded under a JSON schema, `context_window`
    is the number of tokens that prompt and reply share, None when unknown, and `priced` says whether the cost of a
    call can be known.
    """

    def __init__(self, wire: Wire, options: BackboneOptions = BackboneOptions()) -> None:
        self.name = wire.name
        self.constrained = wire.constrained
        self.context_window = options.window or wire.context_window
        self.priced = wire.priced or options.prices is not None
        engine = CallEngine(
            wire,
            prices=options.prices or wire.prices,
            policy=RetryPolicy(options.attempts, options.longest_wait),
            deadline=options.deadline,
        )
        super().__init__(
            wire.identity or wire.name,
            engine=engine,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            cache=options.cache,
            num_retries=0,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the model; a `SummQError`, such as `BudgetSpent`, is raised as it is."""
        try:
            return super().__call__(*args, **kwargs)
        except LMUnexpectedError as error:
            if isinstance(error.__cause__, SummQError):
                raise error.__cause__ from None
            raise

    def update_history(self, entry: dict[str, Any]) -> None:
        """Count replies from the response cache (they report no usage); calls were counted when they were made."""
        meter = dspy.settings.get("meter")
        if meter is not None and not entry["usage"]:
            meter.add(CallRecord(current_role(), self.name, cache_hit=True))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Backbone":
        return self


def connect(spec: str, **options: Any) -> Backbone:
    """The backbone that `spec` names; `options` are those of `BackboneOptions`.

    Raises:
        BackboneError: An unknown provider, a missing key, file or package, a malformed spec or option.
    """
    chosen = BackboneOptions.of(options)
    wire = wire_for(parse_spec(spec), window=chosen.window, timeout=chosen.deadline)
    try:
        return Backbone(wire, chosen)
    except LMConfigurationError as error:
        raise BackboneError(error.message.splitlines()[0]) from error


def _prices(given: dict[str, Any]) -> Prices:
    try:
        return Prices(**given)
    except TypeError:
        raise BackboneError(
            f"prices are given as input, output and (optionally) cached, in USD per million tokens, not {given}"
        ) from None


__all__ = ["Backbone", "BackboneOptions", "connect"]
