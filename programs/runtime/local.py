"""A language model in this process: a GGUF file through llama.cpp (extra `local`).

Replies to requests with a schema are decoded under it. One server is kept for each model and window; it works on one
request after the other, so that a document is computed once and found in the prompt cache by all that follow.
"""

import importlib.util
import json
import logging
import os
import secrets
import threading
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from dspy.lm15 import (
    ContextLengthError,
    Request,
    Response,
    ServerError,
    UnsupportedFeatureError,
    response_from_openai_chat,
)

from summq.programs.errors import BackboneError
from summq.programs.runtime.models import chosen_model, is_model

logger = logging.getLogger("summq.runtime")

PROVIDER = "local"
DEFAULT_WINDOW = 16_384
MEBIBYTE = 2**20
MOST_FOR_STATES = 4096  # mebibytes
LOOK_AROUND = 0.2  # seconds in which it is seen how busy the machine is


@dataclass(frozen=True)
class _Loaded:
    """A running server, and the context that it gives a request."""

    server: Any
    window: int


_models: dict[tuple[Path, int], _Loaded] = {}
_loading = threading.Lock()


class LlamaEngine:
    """An engine for `dspy.LM` over a GGUF file.

    `name` is the file's name; `identity` adds its size, since replies are cached by it; `window` is the context that
    the server gives a request, at most what the model was trained with.
    """

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params: ClassVar[frozenset[str]] = frozenset(
        {"temperature", "max_tokens", "max_completion_tokens", "top_p", "stop", "seed", "response_format"}
    )

    def __init__(self, path: Path, window: int | None = None) -> None:
        self.path = path
        loaded = _loaded(path, window or DEFAULT_WINDOW)
        self.window = loaded.window
        self._server = loaded.server
        self.name = f"{PROVIDER}:{path.name}"
        self.identity = f"{self.name}#{path.stat().st_size}"
        self._counts: Counter[str] = Counter()
        self._counting = threading.Lock()

    @classmethod
    def load(cls, path: str | None = None, *, window: int | None = None) -> "LlamaEngine":
        """The model at `path`, or one that is here already, which is told; raises `BackboneError` if there is none."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise BackboneError("a local model needs more packages: pip install -e '.[local]'")
        file = Path(path).expanduser() if path else chosen_model()
        if not file.is_file():
            raise BackboneError(f"there is no model file at {file}; name one like local:PATH.gguf")
        if not is_model(file):
            raise BackboneError(f"{file} is no GGUF model file")
        if not path:
            logger.warning("local is %s; name another one with local:PATH.gguf", file)
        return cls(file.resolve(), window)

    def complete(self, request: Request) -> Response:
        """Answer a request.

        Raises:
            ContextLengthError: The prompt exceeds the window.
            ServerError: The model failed on the request.
            UnsupportedFeatureError: The request holds something other than text.
        """
        body = _body(request)
        if body.get("seed") is None:
            body["seed"] = self._times_asked(json.dumps(body))  # another one when the same is asked again
        raw = self._server.handle_chat_completions(body)
        if "error" in raw:
            kind = ContextLengthError if raw["error"].get("type") == "exceed_context_size_error" else ServerError
            raise kind(raw["error"]["message"], provider=PROVIDER)
        return response_from_openai_chat(raw, model=request.model)

    def __deepcopy__(self, memo: dict[int, Any]) -> "LlamaEngine":
        return self

    def _times_asked(self, prompt: str) -> int:
        with self._counting:
            self._counts[prompt] += 1
            return self._counts[prompt] - 1


def _body(request: Request) -> dict[str, Any]:
    if request.tools or any(message.text is None for message in request.messages):
        raise UnsupportedFeatureError("a local model takes text only", provider=PROVIDER, feature="media or tools")
    system = request.system if isinstance(request.system, str) else "".join(p.text for p in request.system or ())
    turns = [{"role": message.role, "content": message.text} for message in request.messages]
    config = request.config
    body = {
        "messages": [{"role": "system", "content": system}, *turns] if system else turns,
        "max_tokens": config.max_tokens,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "stop": list(config.stop) or None,
        "seed": config.seed,
        "grammar": _grammar(config.response_format) if config.response_format else None,
    }
    return {key: value for key, value in body.items() if value is not None}


def _grammar(response_format: dict[str, Any]) -> str:
    """The schema as a grammar: llama.cpp ignores lm15's flat `response_format`, and this forbids endless whitespace."""
    schema = response_format["schema"] if response_format["type"] == "json_schema" else {"type": "object"}
    compact = {**schema, "x-guidance": {"whitespace_flexible": False}}
    return f"%llguidance {{}}\nstart: %json {json.dumps(compact)}"


def _loaded(path: Path, window: int) -> _Loaded:
    with _loading:
        if (path, window) not in _models:
            _models[path, window] = _load(path, window)
        return _models[path, window]


def _load(path: Path, window: int) -> _Loaded:
    import xllamacpp

    key = secrets.token_hex(16)
    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), path, window, key))
    except RuntimeError as error:
        raise BackboneError(f"llama.cpp can't load {path}: is it a whole GGUF model?") from error
    properties = urllib.request.Request(f"{server.listening_address}/props", headers={"Authorization": f"Bearer {key}"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(properties) as reply:
        return _Loaded(server, json.load(reply)["default_generation_settings"]["n_ctx"])


def _parameters(params: Any, path: Path, window: int, key: str) -> Any:
    params.model.path = str(path)
    params.n_ctx = window
    params.n_parallel = 1
    # Threads wait for each other in busy loops: where something else runs, two are slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _idle_cores()
    # Other prompts push the computed state of a document out of the one slot; it is kept in memory meanwhile.
    params.cache_ram_mib = _memory_for_states()
    params.swa_full = True
    params.verbosity = 0
    # A listener on 127.0.0.1 always opens; it is shut with a key that only this process knows.
    params.api_keys = [key]
    params.cors_origins = "http://localhost"
    params.ui = False
    params.endpoint_slots = False
    return params


def _idle_cores() -> int:
    import psutil

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, round(cores * (1 - psutil.cpu_percent(LOOK_AROUND) / 100)))


def _memory_for_states() -> int:
    """Mebibytes: a quarter of what is free, at most `MOST_FOR_STATES`."""
    import psutil

    return int(min(psutil.virtual_memory().available // (4 * MEBIBYTE), MOST_FOR_STATES))


__all__ = ["LlamaEngine"]
