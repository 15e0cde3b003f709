"""What goes wrong with a call of a language model, in the words that a user is told.

Providers and client libraries say the same thing in many forms. `explained` tells them apart by what they mean for the
run: whether to ask again, what to change, who is at fault.
"""

import re
from collections.abc import Iterator

from dspy.clients._http import retry_after_seconds
from dspy.utils.exceptions import (
    ContextWindowExceededError,
    LMBillingError,
    LMError,
    LMRateLimitError,
    LMServerError,
    LMTransportError,
    LMUnexpectedError,
)

from summq.programs.errors import SummQError
from summq.programs.runtime.bodies import REDIRECTED, words_of
from summq.programs.runtime.redaction import redacted


class UnfitReply(LMError):
    """A reply came that nobody can use. It is never kept; asking again is a new call."""

    default_code = "unfit"


class TruncatedReply(UnfitReply):
    """The reply hit the limit on output tokens."""

    default_code = "truncated"


class RefusedReply(UnfitReply):
    """The model refused, or the provider's content filter stopped the reply."""

    default_code = "refused"


class DeadlineExceeded(LMTransportError):
    """A request was not answered within its deadline."""

    default_code = "deadline"


class Unreachable(LMError):
    """Nothing answers at the server's address, or only where to go instead: every further call would fail as well."""

    default_code = "unreachable"


NUMBER = r"[\s(\[:=]*(\d{3,9})"
_TOO_LONG = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum context length(?: is| of|){NUMBER}",  # OpenAI, vLLM, DeepSeek, OpenRouter
        rf"context length \({NUMBER} tokens",  # SGLang
        rf"maximum model length of{NUMBER}",  # vLLM
        rf"available context size{NUMBER}",  # llama.cpp
        rf"n_ctx\W{{1,4}}{NUMBER}",
        rf"(?:tokens|max_new_tokens).{{0,40}}must be <={NUMBER}",  # TGI, Together
        rf"prompt is too long: \d+ tokens >{NUMBER}",  # Anthropic
        rf"exceed context limit: \d+ \+ \d+ >{NUMBER}",
        rf"maximum number of tokens allowed{NUMBER}",  # Gemini
        rf"too large for model with{NUMBER} maximum",  # Mistral
        rf"maximum prompt length is{NUMBER}",  # xAI
        rf"cannot exceed{NUMBER} tokens",  # Cohere
        r"context_length_exceeded|exceed_context_size",
        r"(?:exceeds?|longer than|larger than|too long for).{0,40}context",  # llama.cpp, Ollama
        r"context (?:size|length|window)\b.{0,40}(?:exceed|too (?:small|long|large))",
        r"input is too long for requested model",  # Bedrock
        r"reduce the length of the (?:messages|prompt|input)",  # Groq
    )
]
_FILTERED = re.compile(r"content.?(?:filter|management policy|policy)|responsibleai|\bblocked\b.{0,20}safety", re.I)
_LITELLM = re.compile(r"^(?:litellm\.)?\w*(?:Error|Exception)(?: -|:) ", re.ASCII)
_OWN = (UnfitReply, DeadlineExceeded, Unreachable)


def explained(error: LMError, model: str, name: str, *, remote: bool) -> LMError:
    """The failure as what it is, with the model under the name that the user gave it.

    Args:
        error: What DSPy made of it.
        model: How DSPy calls the model.
        name: How the user does.
        remote: Whether a server made the reply. Then what a client library trips over is the reply's fault.
    """
    reason = _plain(error, model)
    error.retry_after = error.retry_after or _retry_after(error)
    if isinstance(error, _OWN) or isinstance(error.__cause__, SummQError):
        return error
    message = f"[{name}] {reason}"
    if _is_too_long(error, reason):
        return ContextWindowExceededError(message=f"[{name}] {_too_long(reason)}", status=error.status)
    if "insufficient_quota" in f"{error.provider_code} {error}":
        return LMBillingError(message, status=error.status)
    if error.status in (400, 403, 422) and _FILTERED.search(f"{error.provider_code} {reason}"):
        return RefusedReply(f"[{name}] the provider's content filter refused the request: {reason}")
    if reason.startswith(REDIRECTED):
        return Unreachable(message)
    if remote and (isinstance(error, LMUnexpectedError) or _is_misread(error, reason)):
        return LMServerError(f"[{name}] the reply can't be read: {reason}")
    error.args = (message,)
    return error


def never_connected(error: BaseException | None) -> bool:
    """Whether a failure is that no connection came about: nobody listens, or the name is unknown."""
    unconnected = ("ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror")
    return any(type(each).__name__ in unconnected for each in _causes(error))


def _is_misread(error: BaseException, reason: str) -> bool:
    """Whether a client library stumbled over the form of a reply, and passes on where."""
    slips = (each for each in _causes(error) if isinstance(each, (AttributeError, TypeError, KeyError)))
    return any(str(slip) in reason for slip in slips)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what caused it, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _retry_after(error: BaseException) -> float | None:
    """What a provider asked to wait, in seconds; LiteLLM leaves it with the error of the client library below it."""
    headers = (getattr(getattr(each, "response", None), "headers", None) or {} for each in _causes(error))
    return next((retry_after_seconds(h["retry-after"]) for h in headers if "retry-after" in h), None)


def _plain(error: LMError, model: str) -> str:
    """What was said, without the prefixes that client libraries put before it."""
    reason = (error.message or str(error)).replace(f"[{model}] ", "").strip()
    while match := _LITELLM.match(reason):
        reason = reason[match.end() :]
    reason = reason.partition(" Traceback (most recent call last)")[0]  # of a library; and advice of its own below
    lines = redacted(words_of(reason)).strip().splitlines()
    return lines[0] if lines else f"failed without saying why ({type(error).__name__}, status {error.status})"


def _is_too_long(error: LMError, reason: str) -> bool:
    if isinstance(error, ContextWindowExceededError):
        return True
    if isinstance(error, (LMTransportError, LMRateLimitError, LMUnexpectedError)):
        return False
    return any(pattern.search(f"{error.provider_code} {reason}") for pattern in _TOO_LONG)


def _too_long(reason: str) -> str:
    """The remedy first: what was said is cut where a line is."""
    sizes = [match[1] for pattern in _TOO_LONG if pattern.groups and (match := pattern.search(reason))]
    size = sizes[0] if sizes else "N"
    number = "" if sizes else ", its context length in tokens"
    return (
        "the prompt is longer than the server's context; say in the config file how much that takes "
        f"([options] window = {size}{number}) and documents are read in parts; it said: {reason}"
    )


__all__ = [
    "DeadlineExceeded",
    "RefusedReply",
    "TruncatedReply",
    "UnfitReply",
    "Unreachable",
    "explained",
    "never_connected",
]
