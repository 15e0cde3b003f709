"""A simulated OpenAI-compatible provider over real HTTP on loopback.

It prefills, decodes, caches prefixes, queues and charges like a hosted model, in simulated seconds that a
`speed` shortens; what it answers comes from SummQ's own `offline` engine, so that a whole protocol runs
through sockets. Every request is logged. By hand: `python benchmarks/provider.py --port 8000`, then
`summq summarize DOC --backbone hosted_vllm/simulated@http://127.0.0.1:8000/v1`.
"""

import argparse
import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from dspy.lm15 import LM15Error, Request, request_from_openai_chat
from prefix_cache import CHARACTERS_PER_TOKEN, PrefixCache, count_tokens

Answer = Callable[[Request], str]


@dataclass(frozen=True)
class Prices:
    """USD per million tokens."""

    input: float = 2.5
    cached_input: float = 0.25
    output: float = 10.0


@dataclass(frozen=True)
class Hardware:
    """How fast, how much at once, how much remembered; tokens per simulated second."""

    prefill_rate: float = 10_000.0
    decode_rate: float = 80.0
    concurrency: int = 16
    cache_tokens: int = 50_000_000
    block_tokens: int = 128


@dataclass(frozen=True)
class LoggedRequest:
    """One request: when it came, got a slot, had its prompt read, was answered; what it read and wrote."""

    model: str
    arrival: float
    start: float
    prefill_end: float
    finish: float
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    prefix_hash: str
    cost: float


@dataclass
class Clock:
    """Simulated seconds since the start; `speed` of them pass in a real one."""

    speed: float = 1.0
    _origin: float = field(default_factory=time.monotonic)

    def now(self) -> float:
        """Simulated seconds since the start."""
        return (time.monotonic() - self._origin) * self.speed

    def sleep_until(self, moment: float) -> None:
        """Wait for a moment of simulated time."""
        time.sleep(max(0.0, moment - self.now()) / self.speed)


class Provider:
    """The server; a context manager. `url` is its API base, `log` what it has answered so far."""

    def __init__(
        self,
        answer: Answer,
        *,
        hardware: Hardware = Hardware(),
        prices: Prices = Prices(),
        speed: float = 1.0,
        port: int = 0,
    ) -> None:
        self.clock = Clock(speed)
        self.log: list[LoggedRequest] = []
        self._answer = answer
        self.hardware = hardware
        self._prices = prices
        self._cache = PrefixCache(capacity_tokens=hardware.cache_tokens, block_tokens=hardware.block_tokens)
        self._slots = threading.Semaphore(hardware.concurrency)
        self._server = _Server(("127.0.0.1", port), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """One chat completion: waits for a slot, reads the prompt, writes the reply, logs all of it."""
        arrival = self.clock.now()
        with self._slots:
            return self._serve(body, arrival)

    def _serve(self, body: Mapping[str, Any], arrival: float) -> dict[str, Any]:
        start = self.clock.now()
        prompt = _render(body)
        blocks = self._cache.blocks(prompt, model=body["model"])
        prompt_tokens = count_tokens(prompt)
        cached = self._cache.cached_tokens(blocks, now=start)
        prefill_end = start + (prompt_tokens - cached) / self.hardware.prefill_rate
        self._cache.insert(blocks, ready_at=prefill_end)

        reply = _Reply.of(self._answer(request_from_openai_chat(body)), limit=_token_limit(body))
        self.clock.sleep_until(prefill_end + reply.tokens / self.hardware.decode_rate)
        request = LoggedRequest(
            model=body["model"],
            arrival=arrival,
            start=start,
            prefill_end=prefill_end,
            finish=self.clock.now(),
            prompt_tokens=prompt_tokens,
            cached_tokens=cached,
            output_tokens=reply.tokens,
            prefix_hash=self._cache.prefix_hash(blocks),
            cost=self._cost(prompt_tokens, cached, reply.tokens),
        )
        self.log.append(request)
        return _completion(request, reply)

    def _cost(self, prompt: int, cached: int, output: int) -> float:
        prices = self._prices
        return ((prompt - cached) * prices.input + cached * prices.cached_input + output * prices.output) / 1e6

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    self._send(200, provider.complete(body))
                except LM15Error as error:
                    self._send(400, {"error": {"message": str(error), "type": "invalid_request_error"}})

            def _send(self, status: int, payload: Mapping[str, Any]) -> None:
                data = json.dumps(payload).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Silent: `Provider.log` is the log."""

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


@dataclass(frozen=True)
class _Reply:
    text: str
    tokens: int
    cut: bool

    @classmethod
    def of(cls, text: str, *, limit: int | None) -> "_Reply":
        tokens = count_tokens(text)
        if limit is None or tokens <= limit:
            return cls(text, tokens, cut=False)
        return cls(text[: limit * CHARACTERS_PER_TOKEN], limit, cut=True)


def offline_answer(*, seed: int = 0, **rates: float) -> Answer:
    """What SummQ's offline engine answers; `rates` are its chances to err (`reviewer=0.3`)."""
    from summq.programs.runtime.offline import OfflineEngine

    engine = OfflineEngine(seed, rates)
    return lambda request: engine.complete(request).message.text or ""


def quarrelling_answer(issues: int, **rates: float) -> Answer:
    """What the offline engine answers, but for reviewers: each raises so many issues that no other reviewer raises."""
    from summq.programs.runtime.offline.request import read_request
    from summq.programs.text.sentences import split_sentences
    from summq.signatures import Issue

    answer = offline_answer(seed=1, **rates)

    def reply(request: Request) -> str:
        asked = read_request(request)
        if asked is None or "found" not in asked.output_names or asked.document is None:
            return answer(request)
        sentences = split_sentences(asked.document)
        drawn = random.Random(f"{asked.instructions}/{sorted(asked.inputs.items())}").sample(sentences, issues)
        fix = "Say in one sentence what the document says about this, and shorten what matters less."
        raised = [
            Issue(kind="omission", target=one, explanation="This matters and is missing.", evidence=one, fix=fix)
            if "summary" in asked.input_names and "quiz" not in asked.input_names
            else Issue(kind="ambiguous", target=str(number), explanation="More than one answer is right.", evidence=one)
            for number, one in enumerate(drawn, 1)
        ]
        written = json.dumps({"issues": [issue.model_dump() for issue in raised]})
        return f"[[ ## found ## ]]\n{written}\n\n[[ ## completed ## ]]"

    return reply


class Remembered:
    """An answer that is worked out once for each request: what is timed is the simulation, not the work behind it.

    `reduced` leaves out of a prompt what makes no difference to the answer.
    """

    def __init__(self, answer: Answer, reduced: Callable[[str], str] = str) -> None:
        self._answer = answer
        self._reduced = reduced
        self._replies: dict[bytes, str] = {}
        self.worked_out = 0

    def __call__(self, request: Request) -> str:
        """The reply to a request."""
        turns = [str(request.system), *(message.text or "" for message in request.messages)]
        key = hashlib.sha256(self._reduced("\n\n".join(turns)).encode()).digest()
        if key not in self._replies:
            self.worked_out += 1
            self._replies[key] = self._answer(request)
        return self._replies[key]


def _render(body: Mapping[str, Any]) -> str:
    """The prompt as a chat template lays it out; schemas go in front, as at OpenAI."""
    schema = json.dumps(body["response_format"]) if body.get("response_format") else ""
    return schema + "".join(f"<|{message['role']}|>{_text(message['content'])}<|end|>" for message in body["messages"])


def _text(content: str | list[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _token_limit(body: Mapping[str, Any]) -> int | None:
    limit: int | None = body.get("max_completion_tokens") or body.get("max_tokens")
    return limit


def _completion(request: LoggedRequest, reply: _Reply) -> dict[str, Any]:
    return {
        "id": "simulated",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": "length" if reply.cut else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": request.prompt_tokens,
            "completion_tokens": request.output_tokens,
            "total_tokens": request.prompt_tokens + request.output_tokens,
            "prompt_tokens_details": {"cached_tokens": request.cached_tokens},
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--speed", type=float, default=1.0)
    arguments = parser.parse_args()
    with Provider(offline_answer(), speed=arguments.speed, port=arguments.port) as provider:
        print(provider.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()

__all__ = ["Answer", "Clock", "Hardware", "LoggedRequest", "Prices", "Provider", "Remembered", "offline_answer"]
