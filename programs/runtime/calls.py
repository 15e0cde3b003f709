"""One call of a backbone: kept reply, queue, budget, deadline, attempts, record.

Settings of the session (`gate`, `budget`, `meter`, `role`, `primer`) and of the call (`keeps_replies`, `rollout_id`,
`candidate`, `fresh_reply`) are read from `dspy.settings`; each may be missing.
"""

import json
import logging
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import dspy
from dspy.clients.call_result import usage_dict
from dspy.clients.costs import estimate_cost
from dspy.clients.errors import error_boundary
from dspy.lm15 import Config, DataPart, Message, Request, Response, TextPart, Usage
from dspy.utils.exceptions import ContextWindowExceededError, LMError, LMInvalidRequestError

from summq.programs.runtime.cache import KeptReply, current_cache, keep, reply_key
from summq.programs.runtime.failures import RefusedReply, TruncatedReply, UnfitReply, explained
from summq.programs.runtime.prefix import LIFETIME, PRIMER, primes, prompt_cache
from summq.programs.runtime.providers import Endpoint
from summq.programs.runtime.retries import Reach, RetryPolicy, Teller, within_deadline
from summq.programs.runtime.schemas import bounded
from summq.programs.runtime.usage import UNNAMED_ROLE, CallRecord, Prices, Tokens
from summq.programs.text.tokens import estimate_tokens

logger = logging.getLogger("summq.runtime")
LONGEST_TEXT = 1_000_000
"""Characters of a reply; no model writes more, but a server that has gone wrong may."""

SMALLEST_CONTEXT = 512
"""Tokens; a server that says it read fewer of a longer prompt miscounts."""

PRIMER_DEADLINE = 60.0  # seconds; nobody needs its reply


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
        self._reach = Reach()
        self._teller = Teller()
        self._takes_temperature = True

    @property
    def supports_response_schema(self) -> bool:
        """Whether the model behind the endpoint takes a JSON schema."""
        return bool(self.endpoint.lm.supports_response_schema)

    @property
    def supported_params(self) -> set[str]:
        """Request parameters that the model behind the endpoint takes."""
        return set(self.endpoint.lm.supported_params)

    def complete(self, request: Request) -> Response:
        """The reply that was kept for the same request; else send `request`, again after passing failures.

        Raises:
            BudgetSpent: When the session's budget admits no further call.
            UnfitReply: When the reply is cut off, a refusal, empty or endless.
            LMError: What DSPy raises for the failure of the last attempt.
        """
        if not dspy.settings.get("keeps_replies"):
            return self._ask(request).response
        key = reply_key(request, dspy.settings.get("rollout_id"), next(dspy.settings.get("candidate") or count()))
        kept = None if dspy.settings.get("fresh_reply") else current_cache().get(key)
        if kept is not None:
            return self._again(request, kept)
        responses: list[Response] = []

        def ask() -> KeptReply:
            reply = self._ask(request)
            responses.append(reply.response)
            return KeptReply(reply.response.message.text or "", reply.cost)

        kept, mine = current_cache().shared(key, ask)
        keep(key, kept)
        return responses[0] if mine else self._again(request, kept)

    def _again(self, request: Request, reply: KeptReply) -> Response:
        """A reply that costs nothing now."""
        if meter := dspy.settings.get("meter"):
            meter.add(CallRecord(current_role(), self.endpoint.name, cache_hit=True, saved=reply.cost))
        message = Message.assistant([TextPart(reply.text)])
        return Response(id=None, model=request.model, message=message, finish_reason="stop", usage=Usage())

    def _ask(self, request: Request) -> _Reply:
        config = replace(
            request.config,
            cache=prompt_cache(self.endpoint.caching, request),
            response_format=self._response_format(request.config),
        )
        routed = replace(request, model=self.endpoint.lm.model, config=config)
        primer = dspy.settings.get("primer")
        if primer is not None and self.endpoint.caching != "none":
            primer.before(self.endpoint.name, routed, self._prime)
        if not self._takes_temperature:
            routed = _without_temperature(routed)
        try:
            return self.policy.run(lambda: self._attempt(routed, self.deadline), self._teller.tell)
        except LMInvalidRequestError as error:
            if "temperature" not in str(error) or routed.config.temperature != 0:
                raise
        logger.warning("[%s] takes no temperature of 0: its own is used", self.endpoint.name)
        self._takes_temperature = False  # reasoning models don't
        return self.policy.run(lambda: self._attempt(_without_temperature(routed), self.deadline), self._teller.tell)

    def _prime(self, request: Request) -> None:
        """Send a primer, once, unless one was sent a while ago, by an earlier run perhaps."""
        key, deadline = reply_key(request, PRIMER), min(PRIMER_DEADLINE, self.deadline or PRIMER_DEADLINE)
        keeps = dspy.settings.get("keeps_replies")

        def prime() -> KeptReply:
            kept = current_cache().get(key, younger_than=LIFETIME) if keeps else None
            if kept is None:
                self._attempt(request, deadline)
                kept = KeptReply("")
                if keeps:
                    current_cache().put(key, kept)
            return kept

        current_cache().shared(key, prime)  # another run in this process may be about to send it

    def _response_format(self, config: Config) -> dict[str, Any] | None:
        """The schema with bounds that stop a model which repeats itself."""
        form: dict[str, Any] | None = config.response_format
        if not self.endpoint.constrained or not form or "schema" not in form:
            return form
        return {**form, "schema": bounded(form["schema"], config.max_tokens)}

    def __deepcopy__(self, memo: dict[int, Any]) -> "CallEngine":
        return self

    def _attempt(self, request: Request, deadline: float | None) -> _Reply:
        gate, budget = dspy.settings.get("gate"), dspy.settings.get("budget")
        with gate.slot() if gate else nullcontext():
            self._reach.require(self.endpoint.name)
            if budget:
                budget.admit()
            started = time.monotonic()
            try:
                reply = self._answer_in_time(request, deadline)
            except Exception as error:
                # What a provider bills for a failed request is not known; it is taken to be nothing.
                self._record(time.monotonic() - started, error=type(error).__name__)
                raise
            if budget:
                budget.charge(reply.cost)
        failure = None if primes(request) else _fault(request, reply, remote=self.endpoint.remote)
        self._record(time.monotonic() - started, reply, error=type(failure).__name__ if failure else None)
        if failure:
            raise explained(failure, request.model, self.endpoint.name, remote=self.endpoint.remote)
        return reply

    def _answer_in_time(self, request: Request, deadline: float | None) -> _Reply:
        """The answer within the deadline, whatever it is; a failure is raised as what it is."""
        name, remote = self.endpoint.name, self.endpoint.remote

        def waiting(seconds: float) -> None:
            self._teller.tell(f"[{name}] no reply for {seconds:.0f} s; it is waited for up to {deadline or 0:.0f} s")

        try:
            reply = within_deadline(deadline, lambda: self._send(request), waiting if remote and deadline else None)
        except LMError as error:
            if remote:
                self._reach.note(error)
            explanation = explained(error, request.model, name, remote=remote)
            if explanation is error:
                raise
            raise explanation from error
        if remote:
            self._reach.note(None)
        return reply

    def _send(self, request: Request) -> _Reply:
        endpoint = self.endpoint
        provider, priced_model = endpoint.priced_as or (None, request.model)
        with error_boundary(request.model, provider=provider, unexpected=True):
            response = _as_text(endpoint.sender.complete(request))
        tokens = Tokens.reported(usage_dict(response, provider))
        if tokens is None or (tokens.input < SMALLEST_CONTEXT and _was_cut(_texts(request), tokens.input)):
            tokens = _estimated(request, response)
            response = replace(response, usage=Usage(input_tokens=tokens.input, output_tokens=tokens.output))
        elif tokens.cached < (response.usage.cache_read_tokens or 0):  # more than there was to read
            response = replace(response, usage=replace(response.usage, cache_read_tokens=tokens.cached))
        if self.prices is not None:
            cost: float | None = self.prices.cost(tokens)
        else:
            cost, _ = estimate_cost(response, provider=provider, requested_model=priced_model, request=request)
        return _Reply(response, tokens, None if cost is None else cost * endpoint.price_share)

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


def _as_text(response: Response) -> Response:
    """The response with values that DSPy has decoded under a schema (choices alone) written as JSON again."""
    if not any(isinstance(part, DataPart) for part in response.message.parts):
        return response
    parts = [
        TextPart(json.dumps(part.value)) if isinstance(part, DataPart) else part for part in response.message.parts
    ]
    return replace(response, message=replace(response.message, parts=tuple(parts)))


def current_role() -> str:
    """The role whose call this is."""
    return dspy.settings.get("role") or UNNAMED_ROLE


def _fault(request: Request, reply: _Reply, *, remote: bool) -> LMError | None:
    """Why nobody can use a reply, None if it is as it should be so far."""
    response, text = reply.response, reply.response.message.text or ""
    refusal = next((part.text for part in response.message.parts if part.type == "refusal"), "")
    if response.finish_reason == "content_filter":
        return RefusedReply("the provider's content filter stopped the reply")
    if refusal:
        return RefusedReply(f"the model refused: {' '.join(refusal.split())[:100]}")
    if response.finish_reason == "length":
        return TruncatedReply(f"the reply was cut off after {reply.tokens.output} tokens; raise max_tokens")
    if not text.strip():
        return UnfitReply("the reply is empty")
    if len(text) > LONGEST_TEXT:
        return UnfitReply(f"the reply has {len(text):,} characters, more than any reply should")
    return _cut_prompt(request, reply) if remote else None


def _cut_prompt(request: Request, reply: _Reply) -> LMError | None:
    """Some servers (Ollama is one) drop what exceeds their context without a word."""
    if not _was_cut(_texts(request), reply.tokens.input):
        return None
    return ContextWindowExceededError(
        model=request.model, message=f"it read only the {reply.tokens.input} tokens of the prompt that fit its context"
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


def _without_temperature(request: Request) -> Request:
    return replace(request, config=replace(request.config, temperature=None))


def _texts(request: Request) -> list[str]:
    system = request.system if isinstance(request.system, str) else ""
    return [system, *(message.text or "" for message in request.messages)]


__all__ = ["CallEngine"]
