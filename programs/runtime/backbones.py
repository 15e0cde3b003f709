"""Backbones: the language models that play the roles, named by a spec."""

from itertools import count
from typing import Any

import dspy
from dspy.utils.exceptions import LMConfigurationError, LMUnexpectedError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from summq.programs.errors import BackboneError, SummQError, told
from summq.programs.runtime.calls import CallEngine
from summq.programs.runtime.clients import Transport
from summq.programs.runtime.providers import Endpoint, endpoint_for
from summq.programs.runtime.retries import RetryPolicy
from summq.programs.runtime.specs import parse_spec
from summq.programs.runtime.usage import Prices


class BackboneOptions(BaseModel):
    """What can be said about a backbone besides its spec.

    `window` overrides the context window in tokens; `prices` are for models whose price DSPy doesn't know; `deadline`
    bounds one reply in seconds (5 minutes where it comes from a server); `attempts` and `longest_wait` (seconds) bound
    what is done about passing failures; `cache` says whether replies are kept. Temperature and limit on output tokens
    are the provider's own unless given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    window: int | None = Field(default=None, ge=1)
    prices: Prices | None = None
    deadline: float | None = Field(default=None, gt=0)
    attempts: int = Field(default=4, ge=1)
    longest_wait: float = Field(default=60.0, ge=0)
    cache: bool = True

    @classmethod
    def of(cls, options: dict[str, Any]) -> "BackboneOptions":
        """From keyword arguments; raises `BackboneError` for a name or value that is none."""
        try:
            return cls(**options)
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(str(part) for part in problem["loc"])
            raise BackboneError(
                f"backbone option {where}: {told(problem)}; the options are {', '.join(cls.model_fields)}"
            ) from error


class Backbone(dspy.LM):
    """A `dspy.LM` that keeps to the limits of the session and is metered by it; no prompt is kept.

    `name` is how usage calls it, `constrained` says whether replies are decoded under a JSON schema, `context_window`
    is the number of tokens that prompt and reply share, None when unknown, `caching` is how the provider keeps
    prefixes, `prices` are those to reckon with, None when unknown, and `priced` says whether they are known.
    """

    def __init__(self, endpoint: Endpoint, options: BackboneOptions, spec: str = "") -> None:
        self._spec, self._options = spec or endpoint.name, options
        self.name = endpoint.name
        self.constrained = endpoint.constrained
        self.context_window = options.window or endpoint.context_window
        self.caching = endpoint.caching
        self.prices = options.prices or endpoint.prices or endpoint.listed
        self.priced = self.prices is not None
        engine = CallEngine(
            endpoint,
            prices=options.prices or endpoint.prices,
            policy=RetryPolicy(options.attempts, options.longest_wait),
            deadline=options.deadline or endpoint.deadline,
        )
        super().__init__(
            endpoint.identity or endpoint.name,
            engine=engine,
            temperature=options.temperature,
            max_tokens=options.max_tokens or endpoint.max_tokens,
            cache=options.cache,
            num_retries=0,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the model, or take the reply kept for an equal call; a `SummQError` is raised as it is.

        Calls are equal if all that is sent and their `rollout_id`, which is not sent, are equal. Of several replies to
        one call (`n`), which DSPy asks for one after the other, each is a reply of its own.
        """
        rollout = kwargs.get("rollout_id") or self.kwargs.get("rollout_id")
        keeps = kwargs.get("cache", self.cache)
        try:
            with dspy.context(rollout_id=rollout, keeps_replies=keeps, candidate=count()):
                return super().__call__(*args, **{**kwargs, "rollout_id": None, "cache": False})
        except LMUnexpectedError as error:
            if isinstance(error.__cause__, SummQError):
                raise error.__cause__ from None
            raise

    def update_history(self, entry: dict[str, Any]) -> None:
        """Keep nothing: a history would hold every document again and again."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Backbone":
        return self

    def __copy__(self) -> "Backbone":
        copied = type(self).__new__(type(self))
        copied.__setstate__(self.__getstate__())  # as DSPy copies; `__reduce__` would connect again
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        """Connect again where it is unpickled, with the keys in the environment there."""
        return _reconnect, (self._spec, self._options, self.kwargs)


def connect(spec: str, **options: Any) -> Backbone:
    """The backbone that `spec` names; `options` are those of `BackboneOptions`.

    Raises:
        BackboneError: An unknown provider, a missing key, file or package, a malformed spec or option.
    """
    return _connected(spec, options)


def connect_batches(spec: str, batches: Transport, **options: Any) -> Backbone:
    """Like `connect`, for a backbone whose calls are answered by `batches`, at their price."""
    return _connected(spec, options, batches)


def _connected(spec: str, options: dict[str, Any], batches: Transport | None = None) -> Backbone:
    settings = BackboneOptions.of(options)
    endpoint = endpoint_for(parse_spec(spec), window=settings.window, deadline=settings.deadline, batches=batches)
    try:
        return Backbone(endpoint, settings, spec)
    except LMConfigurationError as error:
        raise BackboneError(error.message.splitlines()[0]) from error


def _reconnect(spec: str, options: BackboneOptions, kwargs: dict[str, Any]) -> Backbone:
    backbone = connect(spec, **{name: getattr(options, name) for name in BackboneOptions.model_fields})
    backbone.kwargs = kwargs
    return backbone


__all__ = ["Backbone", "BackboneOptions", "connect", "connect_batches"]
