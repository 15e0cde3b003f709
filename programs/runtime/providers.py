"""Where the requests of a backbone go: from a spec to an LM that makes one attempt, and what is known about it.

Models of providers that DSPy speaks to itself go there directly, other providers' through LiteLLM. A server under an
address of its own is declared to DSPy, so that JSON schemas are really sent to it.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import dspy
from dspy import lm15
from dspy.clients.engines.lm15_engine import LM15Engine
from dspy.clients.model_metadata import model_info
from dspy.lm15 import NotConfiguredError, ProviderDefinition, Resolution, RouterConfig, UnknownModelError

from summq.programs.errors import BackboneError, closest
from summq.programs.runtime.clients import Client, Transport, direct_client, litellm_client
from summq.programs.runtime.prefix import Caching
from summq.programs.runtime.redaction import redacted
from summq.programs.runtime.retries import within_deadline
from summq.programs.runtime.specs import Spec, none_such
from summq.programs.runtime.usage import FREE, Prices

_keyless: ContextVar[bool] = ContextVar("keyless", default=False)


@contextmanager
def without_keys() -> Iterator[None]:
    """Let backbones be connected whose keys are missing: for a forecast, which makes no call."""
    token = _keyless.set(True)
    try:
        yield
    finally:
        _keyless.reset(token)


CACHING: dict[str, Caching] = {"openai": "key", "azure": "key", "anthropic": "marks"}
SCHEMA_SERVER = "hosted_vllm"  # vLLM, SGLang, llama.cpp: they decode under a JSON schema that doesn't enter the prompt
DECLARED = "schema-server"
LOCAL_REPLY = 2048
SMOKE_TEST_REPLY = 512  # of the packaged model, which writes on until it is stopped
TOY = 200_000_000  # bytes of a model that serves to try the plumbing
REMOTE_DEADLINE = 300.0
MARGIN = 10.0  # seconds by which the client waits longer, so that the deadline comes first
AMBIENT_CREDENTIALS = {"azure", "bedrock", "sagemaker", "vertex_ai"}  # may come from the machine's role


@dataclass(frozen=True)
class Endpoint:
    """An LM that makes one attempt, and what is known about the model behind it.

    `name` is how the model is called in usage; replies are cached under `identity` if what is behind the name can
    change. `prices` is None where DSPy's estimate has to do, `listed` what it goes by, if anything;
    `max_tokens` and `deadline` (seconds) are the limits of a reply unless others are given; a model in this process has
    no deadline, since calls wait for their turn inside it. `client` sends requests that leave this process, and
    `priced_as` is the provider and the model whose prices apply, `price_share` the share of them that is paid.
    """

    lm: dspy.LM
    name: str
    identity: str = ""
    caching: Caching = "none"
    constrained: bool = False
    context_window: int | None = None
    prices: Prices | None = None
    listed: Prices | None = None
    max_tokens: int | None = None
    deadline: float | None = None
    client: Client | None = None
    priced_as: tuple[str, str] | None = None
    price_share: float = 1.0

    @property
    def remote(self) -> bool:
        """Whether requests leave this process."""
        return self.client is not None

    @property
    def sender(self) -> Client:
        """What sends requests."""
        sender: Client = self.client or self.lm.engine
        return sender


@dataclass(frozen=True)
class Connection:
    """Where the OpenAI client finds a backbone; None is the provider's own address."""

    name: str
    key: str
    address: str | None


BATCH_SHARE = 0.5
"""Of the price, for calls in batches."""


def batch_connection(spec: Spec) -> Connection:
    """The connection for batches of calls. Raises BackboneError where the provider has none, or its key is missing."""
    if spec.provider != "openai":
        raise BackboneError(f"{redacted(spec.text)} has no batch endpoint: --batch takes openai/MODEL, also with @URL")
    address = _address(spec)
    key = os.environ.get("OPENAI_API_KEY") or ("none" if address else "")
    if not key:
        raise BackboneError(f"{spec.text} is not configured: set OPENAI_API_KEY")
    return Connection(redacted(spec.text), key, address)


def endpoint_for(
    spec: Spec, *, window: int | None, deadline: float | None, batches: Transport | None = None
) -> Endpoint:
    """The endpoint that a spec names; `window` and `deadline` are what was asked for, if anything.

    Args:
        batches: Answers in place of the provider, at the price of batches.

    Raises:
        BackboneError: A provider, package, file or key is unknown or missing.
    """
    # Prices and windows come with DSPy; without this it tries to download them, which stalls without a network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    if spec.kind == "offline":
        return _offline(spec)
    if spec.kind == "local":
        return _local(spec, window)
    deadline = deadline or REMOTE_DEADLINE
    return _direct(spec, deadline, batches) or _through_litellm(spec, deadline)


def _offline(spec: Spec) -> Endpoint:
    from summq.programs import text
    from summq.programs.runtime import offline

    rates = dict(spec.settings)
    engine = offline.OfflineEngine(seed=int(rates.pop("seed", 0)), rates=rates)
    lm = dspy.LM("offline", engine=engine, num_retries=0)
    rules = sorted(path for package in (offline, text) for path in Path(package.__path__[0]).glob("*.py"))
    code = hashlib.sha256(b"".join(path.read_bytes() for path in rules))
    identity = f"{spec.text}#{code.hexdigest()[:12]}"  # another version of the rules gives other replies
    return Endpoint(lm, spec.text, identity, prices=FREE)


def _local(spec: Spec, window: int | None) -> Endpoint:
    from summq.programs.runtime.local import LlamaEngine

    # In a thread of its own: while native code loads a model, the main thread could not take a signal.
    engine = within_deadline(None, lambda: LlamaEngine.load(spec.path, window=window))
    lm = dspy.LM(engine.name, engine=engine, num_retries=0)
    return Endpoint(
        lm,
        engine.name,
        engine.identity,
        constrained=True,
        context_window=engine.window,
        prices=FREE,
        max_tokens=min(LOCAL_REPLY if engine.path.stat().st_size > TOY else SMOKE_TEST_REPLY, engine.window // 4),
    )


def _direct(spec: Spec, deadline: float, batches: Transport | None) -> Endpoint | None:
    router = LM15Engine(RouterConfig())
    try:
        route = router.resolve(f"{spec.provider}/{spec.model}")
    except UnknownModelError:
        return None
    address = _address(spec)
    if address and "@" in address.partition("://")[2].partition("/")[0]:
        raise BackboneError(
            f"{redacted(spec.text)}: put the key in {spec.provider.upper()}_API_KEY, not in the address"
        )
    served = spec.provider == SCHEMA_SERVER
    declared = [_schema_server()] if served else []
    key = _key(spec, router, route, address)
    provider = DECLARED if served else route.provider
    connection = {"api_key": key, "api_base": address}
    lm = dspy.LM(
        f"{DECLARED if served else spec.provider}/{spec.model}",
        engine="lm15",
        num_retries=0,
        **{name: value for name, value in connection.items() if value is not None},
    )
    known = {} if served else model_info(route.provider, route.model)
    return Endpoint(
        lm,
        redacted(spec.text),
        caching=CACHING.get(spec.provider, "automatic"),
        constrained=served,
        context_window=known.get("max_input_tokens"),
        listed=Prices.listed(known),
        deadline=deadline,
        client=direct_client(
            provider, key=key, address=address, timeout=deadline + MARGIN, declared=declared, transport=batches
        ),
        price_share=BATCH_SHARE if batches else 1.0,
        priced_as=None if served else (route.provider, route.model),
    )


def _through_litellm(spec: Spec, deadline: float) -> Endpoint:
    import litellm

    if spec.provider not in litellm.provider_list:
        close = closest(spec.provider, [str(provider.value) for provider in litellm.types.utils.LlmProviders])
        meant = f"local:{spec.text}" if spec.text.endswith(".gguf") else f"{close}/{spec.model}" if close else ""
        raise none_such(f"no provider is called {spec.provider!r} (in {spec.text!r})", meant)
    model = f"{spec.provider}/{spec.model}"
    missing = litellm.validate_environment(model)["missing_keys"]
    if missing and not spec.url and spec.provider not in AMBIENT_CREDENTIALS and not _keyless.get():
        raise BackboneError(f"{spec.text} needs {' and '.join(missing)} in the environment")
    lm = dspy.LM(model, engine="litellm", api_base=spec.url, num_retries=0)
    known = model_info(spec.provider, spec.model)
    return Endpoint(
        lm,
        redacted(spec.text),
        caching="automatic",
        context_window=known.get("max_input_tokens"),
        listed=Prices.listed(known),
        deadline=deadline,
        client=litellm_client(address=spec.url, timeout=deadline + MARGIN),
        priced_as=(spec.provider, spec.model),
    )


def _key(spec: Spec, router: LM15Engine, route: Resolution, address: str | None) -> str | None:
    """None where DSPy finds the credentials itself."""
    if key := os.environ.get(f"{spec.provider.upper()}_API_KEY"):
        return key
    try:
        router.router.lm(f"{route.provider}:{route.model}")
    except NotConfiguredError as error:
        if address is not None or _keyless.get():  # a server of one's own may need no key
            return "none"
        remedy = f"set {' or '.join(error.env_keys)}" if error.env_keys else error.credential_hint
        raise BackboneError(f"{spec.text} is not configured: {remedy}") from error
    return None


def _address(spec: Spec) -> str | None:
    """The server's address in the spec or the environment; None for the provider's own."""
    prefix = spec.provider.removesuffix("_chat").upper()
    address = spec.url or os.environ.get(f"{prefix}_API_BASE") or os.environ.get(f"{prefix}_BASE_URL")
    if address is None or not spec.provider.startswith("ollama"):
        return address
    return address.rstrip("/").removesuffix("/v1") + "/v1"  # usually given without, and spoken to under it


def _schema_server() -> ProviderDefinition:
    """Tell DSPy that servers of this kind take JSON schemas: for models that it doesn't know it would send none."""
    access = lm15.AccessPolicy(
        provider=DECLARED,
        supports=lm15.EndpointSupport(complete=True, stream=True, models=True),
        auth_modes=("bearer",),
        base_url="http://localhost:8000/v1",
    )
    definition = ProviderDefinition.chat(access, compat=lm15.OpenAIChatCompat.preset("vllm"), placeholder_key="EMPTY")
    lm15.register_provider(definition, supports=lm15.ModelSupport(response_schema=True))
    return definition


__all__ = ["Endpoint", "endpoint_for", "without_keys"]
