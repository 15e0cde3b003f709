"""What servers do wrong: each fault as a step of `FakeProvider`, and what a user is told when it never ends."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dspy.lm15 import request_from_openai_chat

from summq.programs.runtime.offline import OfflineEngine
from tests.fakes import FakeProvider, Step, failing

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
GIST = "[[ ## gist ## ]]\nlamps"
WHOLE = f"{GIST}\n\n[[ ## completed ## ]]"
HTML = b"<!DOCTYPE html><html><head><title>Gateway says hello</title></head><body>busy</body></html>"


def message(content: Any, finish: str = "stop", **fields: Any) -> dict[str, Any]:
    """A reply in OpenAI's form; `fields` replace those of the body."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
    body = {"id": "r", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": USAGE}
    return {**body, **fields}


def saying(payload: Any, status: int = 200, **headers: str) -> Step:
    """A step that answers every request with the same."""
    return lambda body: (status, {k.replace("_", "-"): v for k, v in headers.items()}, payload)


def hanging(seconds: float) -> Step:
    """A step that answers too late."""

    def step(body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        time.sleep(seconds)
        return 200, {}, message(WHOLE)

    return step


def refusing(text: str) -> dict[str, Any]:
    """A reply that is a refusal, in the field for it."""
    body = message(None)
    body["choices"][0]["message"]["refusal"] = text
    return body


@dataclass(frozen=True)
class Fault:
    """`told` is part of what a user is told when the fault never ends, `requests` how many are sent until then."""

    step: Step
    told: str
    requests: int = 4


FAULTS = {
    # bad replies: asked for again by the role
    "empty": Fault(saying(message("")), "the reply is empty", 3),
    "blank": Fault(saying(message("[[ ## gist ## ]]\n \n\n[[ ## completed ## ]]")), "gist is empty", 3),
    "null": Fault(saying(message(None)), "the reply is empty", 3),
    "no choices": Fault(saying(message("", choices=[])), "the reply is empty", 3),
    "refusal": Fault(saying(refusing("I can't help with that.")), "the model refused: I can't help with that", 3),
    "content filter": Fault(
        saying(message("", "content_filter")), "the provider's content filter stopped the reply", 3
    ),
    "half filtered": Fault(saying(message(WHOLE, "content_filter")), "content filter stopped the reply", 3),
    "cut off": Fault(saying(message(GIST, "length")), "cut off after 10 tokens", 3),
    "false stop": Fault(saying(message(GIST)), "cut off", 3),
    "no marker": Fault(saying(message("I am sorry.")), "UNPARSED", 3),
    "other fields": Fault(saying(message("[[ ## answer ## ]]\n4\n\n[[ ## completed ## ]]")), "UNPARSED", 3),
    "endless": Fault(
        saying(message(f"[[ ## gist ## ]]\n{'lamp ' * 300_000}\n\n[[ ## completed ## ]]")), "characters", 3
    ),
    # what is no reply: sent again
    "5 MB": Fault(saying(message("lamp " * 1_000_000)), "more than 4 MB"),
    "HTML": Fault(saying(HTML, Content_Type="text/html"), "a page of HTML instead of a reply"),
    "empty body": Fault(saying(b""), "nothing instead of a reply"),
    "bad byte": Fault(saying(b'{"choices": "\xff"}'), "bytes that are no text instead of a reply"),
    "broken JSON": Fault(saying(b'{"choices": [{"message": {"content": "half'), "broken JSON instead of a reply"),
    "other JSON": Fault(saying({"hello": "world"}), "JSON that holds no reply"),
    "nested body": Fault(saying(b'{"choices": ' + b"[" * 5000), "broken JSON instead of a reply"),
    "long number in body": Fault(saying(b'{"choices": ' + b"9" * 5000 + b"}"), "broken JSON instead of a reply"),
    "choices are text": Fault(saying({"choices": "none"}), "JSON in another form"),
    "choice is null": Fault(saying({"choices": [None]}), "JSON in another form"),
    "message is a text": Fault(saying({"choices": [{"message": "lamps"}]}), "JSON in another form"),
    "content is a number": Fault(saying(message(7)), "JSON in another form"),
    "closed connection": Fault(lambda body: (200, {}, ConnectionError("closed")), ""),
    # errors of the server
    "500": Fault(failing(500, "internal"), "internal"),
    "500 in HTML": Fault(saying(HTML, 500), "status 500, Internal Server Error: Gateway says hello"),
    "503": Fault(failing(503, "overloaded"), "overloaded"),
    "529": Fault(failing(529, "overloaded"), "overloaded"),
    "429": Fault(failing(429, "slow down", "rate_limit_exceeded"), "slow down"),
    "429 for an hour": Fault(failing(429, "slow down", "rate_limit_exceeded", Retry_After="3600"), "slow down", 2),
    "408": Fault(failing(408, "timed out"), "timed out"),
    # what will not pass
    "401": Fault(failing(401, "bad key", "invalid_api_key"), "bad key", 1),
    "403": Fault(failing(403, "not allowed"), "not allowed", 1),
    "404": Fault(failing(404, "no such model", "model_not_found"), "no such model", 1),
    "no money": Fault(failing(429, "you exceeded your quota", "insufficient_quota"), "exceeded your quota", 1),
    "redirect": Fault(
        saying(b"", 307, Location="http://127.0.0.1:9/stolen"), "redirects to http://127.0.0.1:9/stolen: name that", 1
    ),
    "filtered request": Fault(failing(400, "filtered by the content management policy", "content_filter"), "filter", 3),
}

TOO_LONG = {
    "OpenAI": failing(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    "vLLM": failing(400, "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens"),
    "vLLM, flat": saying(
        {"object": "error", "message": "This model's maximum context length is 8192 tokens.", "code": 400}, 400
    ),
    "SGLang": failing(400, "The input (9001 tokens) is longer than the model's context length (8192 tokens)."),
    "llama.cpp": saying(
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size (8192 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_ctx": 8192,
            }
        },
        400,
    ),
    "TGI": saying(
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9001",
            "error_type": "validation",
        },
        422,
    ),
    "Anthropic": saying(
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "prompt is too long: 9001 tokens > 8192 maximum"},
        },
        400,
    ),
    "Gemini": saying(
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (9001) exceeds the maximum number of tokens allowed (8192).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
        400,
    ),
    "Mistral": failing(400, "Prompt contains 9001 tokens, too large for model with 8192 maximum context length"),
    "xAI": failing(400, "This model's maximum prompt length is 8192 but the request contains 9001 tokens."),
}
"""How servers say that a prompt is longer than their context of 8,192 tokens."""

USAGES = {
    "zero": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "negative": {"prompt_tokens": -5, "completion_tokens": -1, "total_tokens": -6},
    "strings": {"prompt_tokens": "100", "completion_tokens": "10", "total_tokens": "110"},
    "words": {"prompt_tokens": "many", "completion_tokens": "few"},
    "floats": {"prompt_tokens": 100.0, "completion_tokens": 10.5, "total_tokens": 110.5},
    "huge": {"prompt_tokens": 10**30, "completion_tokens": 10},
    "missing": None,
    "a list": [1, 2],
    "objects": {"prompt_tokens": {}, "completion_tokens": {"text": None}, "total_tokens": [110]},
    "halves": {"prompt_tokens": 100},
    "cached above prompt": {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "total_tokens": 110,
        "prompt_tokens_details": {"cached_tokens": 100_000},
    },
    "details in words": {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": "none"},
}
"""Reports of usage that are wrong in themselves, beside a good reply."""


def with_usage(usage: Any) -> Step:
    """A good reply with that report."""
    return saying(message(WHOLE, usage=usage))


def written(content: str) -> Step:
    """A good reply whose content is written into the JSON as it stands, escapes included."""
    return saying(json.dumps(message("CONTENT")).replace("CONTENT", content).encode())


LASTING = ("401", "403", "404", "no money", "redirect")
"""Faults that end a run, since every further call would fail as well."""


class FaultServer(FakeProvider):
    """A provider that the offline reader answers for, and that does something wrong at a share of all requests. Seeded.

    Args:
        rate: The share of requests at which a fault happens, drawn from all that may pass, half characters, endless
            nesting and endless numbers in good replies, and requests left unanswered for `hang` seconds.
    """

    def __init__(self, rate: float = 0.2, *, seed: int = 0, hang: float = 0.0) -> None:
        super().__init__()
        self.engine = OfflineEngine()
        self.faults: Counter[str] = Counter()
        self.always = self._faulty
        self._rate = rate
        self._dice = random.Random(seed)
        self._steps: dict[str, Step] = {name: f.step for name, f in FAULTS.items() if name not in LASTING}
        self._steps |= {f"usage: {name}": self._with(usage) for name, usage in USAGES.items()}
        self._steps |= {
            "half a character": self._with(edit=lambda text: text.replace(". ", r". \ud83d \ude00 ")),
            "nesting": self._with(edit=lambda text: text.replace("]]\n", "]]\n" + "[" * 3000, 1)),
            "endless number": self._with(edit=lambda text: text.replace("]]\n", "]]\n" + "9" * 5000, 1)),
        }
        if hang:
            self._steps["no answer"] = hanging(hang)

    def answer(self, body: dict[str, Any]) -> str:
        """What the offline reader replies."""
        sent = {key: value for key, value in body.items() if key in ("model", "messages", "response_format")}
        return self.engine.complete(request_from_openai_chat(sent)).message.text or ""

    def _with(self, usage: Any = None, *, edit: Callable[[str], str] = str) -> Step:
        def step(body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
            text = json.dumps(edit(self.answer(body))).replace(r"\\ud83d", r"\ud83d").replace(r"\\ude00", r"\ude00")
            counts = scaled(usage, body) if usage else usage
            return (
                200,
                {},
                json.dumps(message("", usage=counts)).replace('"content": ""', f'"content": {text}').encode(),
            )

        return step

    def _faulty(self, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        with self._lock:
            name = self._dice.choice(sorted(self._steps)) if self._dice.random() < self._rate else ""
            self.faults[name] += bool(name)
        return self._steps[name](body) if name else (200, {}, message(self.answer(body), usage=scaled(USAGE, body)))


def scaled(usage: Any, body: dict[str, Any]) -> Any:
    """A report of usage in which 100 tokens read are as many as the prompt has."""
    read = sum(len(turn["content"]) for turn in body["messages"]) // 4
    if not isinstance(usage, dict) or usage.get("prompt_tokens") not in (100, "100"):
        return usage
    return {**usage, "prompt_tokens": type(usage["prompt_tokens"])(read)}


__all__ = [
    "FAULTS",
    "LASTING",
    "TOO_LONG",
    "USAGES",
    "WHOLE",
    "Fault",
    "FaultServer",
    "hanging",
    "message",
    "saying",
    "with_usage",
    "written",
]
