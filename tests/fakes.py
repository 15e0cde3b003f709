"""Doubles of language models: an engine that answers at once, and an OpenAI-compatible server on loopback."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, Usage

from summq.programs.runtime.backbones import Backbone, BackboneOptions
from summq.programs.runtime.providers import Endpoint
from summq.programs.runtime.usage import FREE

Answer = str | Callable[[Request], str]


class InstantEngine:
    """Answers every request with a fixed text or what a function makes of it; remembers the requests."""

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params = frozenset({"temperature", "max_tokens", "response_format", "stop", "seed"})

    def __init__(self, answer: Answer = "reply", *, usage: Usage | None = None, finish_reason: str = "stop") -> None:
        self.answer = answer
        self.usage = usage or Usage(input_tokens=100, output_tokens=10, total_tokens=110)
        self.finish_reason = finish_reason
        self.requests: list[Request] = []
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        text = self.answer if isinstance(self.answer, str) else self.answer(request)
        return Response(
            id=f"reply-{number}",
            model=request.model,
            message=Message.assistant([TextPart(text)]),
            finish_reason=self.finish_reason,
            usage=self.usage,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def instant_backbone(
    engine: Any = None, *, name: str = "instant", constrained: bool = False, **options: Any
) -> Backbone:
    """A backbone over an engine, by default one that replies "reply"."""
    lm = dspy.LM(name, engine=engine or InstantEngine(), num_retries=0)
    endpoint = Endpoint(lm, name, constrained=constrained, prices=FREE)
    return Backbone(endpoint, BackboneOptions.of(options))


Step = Callable[[dict[str, Any]], tuple[int, dict[str, str], Any]]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        """Print nothing about connections that are closed on purpose."""


class JsonHandler(BaseHTTPRequestHandler):
    """Base of handlers that answer with JSON: `get` answers a GET, `post` a POST with its body."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self) -> None:
        self.get()

    def do_POST(self) -> None:
        self.post(self.rfile.read(int(self.headers["Content-Length"])))

    def get(self) -> None:
        raise NotImplementedError

    def post(self, content: bytes) -> None:
        raise NotImplementedError

    def send(self, payload: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON, or with bytes as they are."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *arguments: Any) -> None:
        pass


class LoopbackServer:
    """Base of servers on loopback, which run while they are entered."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[JsonHandler]:
        raise NotImplementedError


class FakeProvider(LoopbackServer):
    """An OpenAI-compatible server. `script` holds steps that answer the next requests before `text` does.

    A step takes the request's body and returns status, headers and body (bytes go out as they are; an exception closes
    the connection); `failing` makes one. `always` answers every request. It lists `models` to whoever has the `key`, if
    one is set.
    """

    def __init__(self, text: str = "reply", *, delay: float = 0.0) -> None:
        self.text = text
        self.delay = delay
        self.models: list[str] = ["fake-model"]
        self.key: str | None = None
        self.script: list[Step] = []
        self.always: Step | None = None
        self.requests: list[dict[str, Any]] = []
        self.in_flight = 0
        self.peak = 0
        self._lock = threading.Lock()
        super().__init__()

    def reply(self, body: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """The body of a reply; `changes` replace the choice's `finish_reason` and the `usage`."""
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        choice = {"index": 0, "message": {"role": "assistant", "content": self.text}, "finish_reason": "stop"}
        choice["finish_reason"] = changes.get("finish_reason", "stop")
        return {
            "id": "reply",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
            "usage": changes.get("usage", usage),
        }

    def delivered(self, body: dict[str, Any]) -> None:
        """Is told of each request whose reply was sent in full."""

    def _answer(self, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        with self._lock:
            self.requests.append(body)
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            step = self.script.pop(0) if self.script else self.always
        try:
            time.sleep(self.delay)
            return step(body) if step else (200, {}, self.reply(body))
        finally:
            with self._lock:
                self.in_flight -= 1

    def _handler(self) -> type[JsonHandler]:
        provider = self

        class Handler(JsonHandler):
            def post(self, content: bytes) -> None:
                body = json.loads(content)
                self._reply(*provider._answer({**body, "path": self.path, **_key(self.headers)}))
                provider.delivered(body)

            def get(self) -> None:
                models = [{"id": model, "object": "model"} for model in provider.models]
                refused = failing(401, "bad key")({})
                accepted = provider.key in (None, self.headers["Authorization"].removeprefix("Bearer "))
                self._reply(*((200, {}, {"object": "list", "data": models}) if accepted else refused))

            def _reply(self, status: int, headers: dict[str, str], payload: Any) -> None:
                if isinstance(payload, Exception):  # as a server that breaks down
                    raise payload
                self.send(payload, status, headers)

        return Handler


def failing(status: int, message: str = "no", code: str | None = None, **headers: str) -> Step:
    """A step that fails with an OpenAI-style error; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda body: (status, named, {"error": {"message": message, "code": code, "type": code}})


def _key(headers: Any) -> dict[str, str]:
    return {"key": headers.get("Authorization") or headers.get("x-api-key") or ""}


__all__ = ["FakeProvider", "InstantEngine", "JsonHandler", "LoopbackServer", "failing", "instant_backbone"]
