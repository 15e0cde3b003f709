"""The clients that send requests: DSPy's own over HTTP, and LiteLLM's, each with replies checked on the way in.

A redirect is not followed, since the key would go with it, and a reply is read up to a bound.
"""

import logging
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import httpx
from dspy.clients.engines.litellm_engine import LiteLLMEngine
from dspy.clients.engines.lm15_engine import LM15Engine
from dspy.lm15 import Request, Response, RouterConfig

from summq.programs.runtime.bodies import LARGEST, checked

transports = import_module("dspy._vendor.lm15.transports")  # by name: for mypy, what is typed in DSPy hides the rest


class Client(Protocol):
    """Sends one request, once."""

    def complete(self, request: Request) -> Response:
        """The reply; raises what DSPy's error boundary knows."""


class Transport(Protocol):
    """Answers HTTP requests."""

    def stream(self, request: Any) -> Any:
        """The reply."""


def direct_client(
    provider: str,
    *,
    key: str | None,
    address: str | None,
    timeout: float,
    declared: Any = (),
    transport: Transport | None = None,
) -> Client:
    """The client of a provider that DSPy speaks to itself, or of a `declared` one.

    Args:
        timeout: Seconds without a byte after which a request is given up.
        transport: Answers in place of the provider.
    """
    config = RouterConfig(
        api_keys={provider: key} if key else None,
        base_urls={provider: address} if address else None,
        transport=transport or CheckedTransport(timeout),
        providers=tuple(declared),
    )
    engine: Client = LM15Engine(config)
    return engine


def litellm_client(*, address: str | None, timeout: float) -> Client:
    """The client of every other provider."""
    _check_replies_of_litellm()
    engine: Client = LiteLLMEngine(model_type="chat", timeout=timeout, **({"api_base": address} if address else {}))
    return engine


class CheckedTransport:
    """DSPy's transport; what comes in is read up to a bound and checked."""

    def __init__(self, timeout: float) -> None:
        self._transport = transports.StdlibTransport(read_timeout=timeout, write_timeout=timeout, pool_timeout=timeout)

    def stream(self, request: Any) -> Any:
        """The reply, whole."""
        with self._transport.stream(request) as reply:
            status, body = checked(reply.status, _bounded(reply), reply.header("location"))
        headers = [(name, value) for name, value in reply.headers if name.lower() not in OF_THE_BODY]
        return transports.TransportResponse(
            status=status,
            reason=reply.reason,
            headers=headers,
            http_version=reply.http_version,
            chunks=iter([body]),
            release=lambda whole: None,
        )

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


class CheckedClient(httpx.Client):
    """A client for LiteLLM; what comes in is read up to a bound and checked."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """The reply, whole."""
        reply = super().send(request, **{**options, "stream": True, "follow_redirects": False})
        try:
            status, body = checked(reply.status_code, _bounded(reply.iter_bytes()), reply.headers.get("location"))
        finally:
            reply.close()
        headers = [(name, value) for name, value in reply.headers.multi_items() if name.lower() not in OF_THE_BODY]
        return httpx.Response(status, headers=headers, content=body, request=request)


OF_THE_BODY = ("content-length", "content-encoding", "transfer-encoding")


def _bounded(chunks: Iterable[bytes]) -> bytes:
    """The chunks as one, and no more of them than are needed to see that they are too many."""
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > LARGEST:
            break
    return bytes(body)


@cache
def _check_replies_of_litellm() -> None:
    """LiteLLM makes its clients in two ways, by the kind of provider: for OpenAI's client, and on its own."""
    from dspy.clients._litellm import get_litellm
    from litellm.llms.custom_httpx import http_handler

    litellm = get_litellm(feature="backbones of other providers")
    litellm.client_session = CheckedClient(timeout=None)
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # what fails is raised; it would print tracebacks, too

    def checked_client(self: Any) -> httpx.Client:
        return CheckedClient(
            timeout=self.timeout,
            verify=http_handler.get_ssl_configuration(self.ssl_verify),
            headers=http_handler.get_default_headers(),
        )

    http_handler.HTTPHandler.create_client = checked_client  # type: ignore[method-assign]
    litellm.in_memory_llm_clients_cache.flush_cache()


__all__ = ["Client", "Transport", "direct_client", "litellm_client"]
