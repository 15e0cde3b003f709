"""One call of a backbone: queue, budget, deadline, attempts, record.

DSPy asks its response cache first, so what comes here is sent. Settings of the session (`gate`, `budget`, `meter`,
`role`, `primer`) are read from `dspy.settings`; each may be missing.
"""

import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import dspy
from dspy.clients.costs import estimate_cost
from dspy.clients.execution import execute, prepare
from dspy.lm15 import Config, Request, Response, Usage
from dspy.utils.exceptions import ContextWindowExceededError, LMError

from summq.programs.runtime.prefix import primes, prompt_cache
from summq.programs.runtime.providers import Endpoint
from summq.programs.runtime.retries import RetryPolicy, within_deadline
from summq.programs.runtime.schemas import bounded
from summq.programs.runtime.usage import UNNAMED_ROLE, CallRecord, Prices, Tokens
from summq.programs.text.tokens import estimate_tokens

COST = "summq_cost"
"""Under this name a reply keeps what it cost, also in the response cache."""


class TruncatedReply(LMError):
    """The reply hit the limit on output tokens. It is never cached; asking again is a new call."""

    default_code = "truncated"


@dataclass(frozen=True)
class _Reply:
    response: Response
    tokens: Tokens
    cost: float | None


class CallEngine:
    """The engine behind a `Backbone`: sends a request to an endpoint under the session's limits.

    Args:
        endpoint: Where requests go.
        prices: What tokens cost; None takes DSPy's estimate, which may be unknown.
        policy: Attempts and waits.
        deadline: Seconds in which one request has to be answered in full; None waits as long as it takes.
    """

    supports_function_calling = False
    supports_reasoning = False

    def __init__(
        self, endpoint: Endpoint, *, prices: Prices | None, policy: RetryPolicy, deadline: float | None
    ) -> None:
        self.endpoint = endpoint
        self.prices = prices
        self.policy = policy
        self.deadline = deadline

    @property
    def supports_response_schema(self) -> bool:
        """Whether the model behind the endpoint takes a JSON schema."""
        return bool(self.endpoint.lm.supports_response_schema)

    @property
    def supported_params(self) -> set[str]:
        """Request parameters that the model behind the endpoint takes."""
        return set(self.endpoint.lm.supported_params)

    def complete(self, request: Request) -> Response:
        """Send `request`, again after passing failures.

        Raises:
            BudgetSpent: When the session's budget admits no further call.
            TruncatedReply: When the reply was cut at the limit on output tokens.
            LMError: What DSPy raises for the failure of the last attempt.
        """
        config = replace(
            request.config,
            cache=prompt_cache(self.endpoint.caching, request),
            response_format=self._response_format(request.config),
        )
        routed = replace(request, model=self.endpoint.lm.model, config=config)
        primer = dspy.settings.get("primer")
        if primer is not None and self.endpoint.caching != "none":
            primer.before(self.endpoint.name, routed, self._send_patiently)
        return self._send_patiently(routed)

    def _send_patiently(self, request: Request) -> Response:
        try:
            return self.policy.run(lambda: self._attempt(request))
        except LMError as error:
            error.args = (str(error).replace(f"[{request.model}]", f"[{self.endpoint.name}]"),)  # as the user named it
            raise

    def _response_format(self, config: Config) -> dict[str, Any] | None:
        """The schema with bounds that let a constrained reply end within its tokens."""
        wanted: dict[str, Any] | None = config.response_format
        if not self.endpoint.constrained or not wanted or "schema" not in wanted or config.max_tokens is None:
            return wanted
        return {**wanted, "schema": bounded(wanted["schema"], config.max_tokens)}

    def __deepcopy__(self, memo: dict[int, Any]) -> "CallEngine":
        return self

    def _attempt(self, request: Request) -> Response:
        gate, budget = dspy.settings.get("gate"), dspy.settings.get("budget")
        with gate.slot() if gate else nullcontext():
            if budget:
                budget.admit()
            started = time.monotonic()
            try:
                reply = within_deadline(self.deadline, lambda: self._send(request))
            except Exception as error:
                # What a provider bills for a failed request is not known; it is taken to be nothing.
                self._record(time.monotonic() - started, error=type(error).__name__)
                raise
            if budget:
                budget.charge(reply.cost)
        failure = _truncation(request, reply) or (_cut_prompt(request, reply) if self.endpoint.remote else None)
        self._record(time.monotonic() - started, reply, error=type(failure).__name__ if failure else None)
        if failure:
            raise failure
        return replace(reply.response, provider_data={**(reply.response.provider_data or {}), COST: reply.cost})

    def _send(self, request: Request) -> _Reply:
        result = execute(self.endpoint.lm, prepare(self.endpoint.lm, request, None, {"cache": False}))
        response: Response = result.typed(request, "chat")
        tokens = Tokens.reported(result.usage)
        if tokens is None:
            tokens = _estimated(request, response)
            response = replace(response, usage=Usage(input_tokens=tokens.input, output_tokens=tokens.output))
        return _Reply(response, tokens, self._cost(response, tokens, result.cost))

    def _cost(self, response: Response, tokens: Tokens, estimate: float | None) -> float | None:
        if self.prices is not None:
            return self.prices.cost(tokens)
        if estimate is None and self.endpoint.lm.engine == "litellm":  # DSPy prices no typed request that goes there
            provider, _, model = self.endpoint.lm.model.partition("/")
            estimate, _ = estimate_cost(response, provider=provider, requested_model=model)
        return estimate

    def _record(self, seconds: float, reply: _Reply | None = None, error: str | None = None) -> None:
        meter = dspy.settings.get("meter")
        if meter is None:
            return
        record = CallRecord(current_role(), self.endpoint.name, seconds=seconds, error=error)
        if reply is not None:
            record = replace(
                record,
                input_tokens=reply.tokens.input,
                cached_tokens=reply.tokens.cached,
                output_tokens=reply.tokens.output,
                cost=reply.cost,
                finish_reason=reply.response.finish_reason,
            )
        meter.add(record)


def current_role() -> str:
    """The role whose call this is."""
    return dspy.settings.get("role") or UNNAMED_ROLE


def _truncation(request: Request, reply: _Reply) -> LMError | None:
    if reply.response.finish_reason != "length" or primes(request):
        return None
    return TruncatedReply(f"the reply was cut off after {reply.tokens.output} tokens; raise max_tokens")


def _cut_prompt(request: Request, reply: _Reply) -> LMError | None:
    """Some servers (Ollama is one) drop what exceeds their context without a word."""
    if not _was_cut(_texts(request), reply.tokens.input):
        return None
    return ContextWindowExceededError(
        model=request.model,
        message=f"the server read only the {reply.tokens.input} tokens of the prompt that fit its context; "
        "raise the server's context length, or name it with `window`",
    )


def _was_cut(prompt: list[str], tokens_read: int) -> bool:
    """Whether far fewer tokens were read than the prompt has words: a word is hardly ever less than a token."""
    if sum(map(len, prompt)) < 6 * tokens_read:
        return False
    return sum(len(text.split()) for text in prompt) > 2 * tokens_read


def _estimated(request: Request, response: Response) -> Tokens:
    """For servers that report no usage."""
    read = sum(map(estimate_tokens, _texts(request)))
    return Tokens(read, 0, estimate_tokens(response.message.text or ""))


def _texts(request: Request) -> list[str]:
    system = request.system if isinstance(request.system, str) else ""
    return [system, *(message.text or "" for message in request.messages)]


__all__ = ["COST", "CallEngine", "TruncatedReply", "current_role"]
