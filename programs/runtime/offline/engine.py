"""The offline engine: request in, reply out, by rules over the text of the request alone."""

import json
from typing import Any, ClassVar

from dspy.lm15 import InvalidRequestError, Message, Request, Response, TextPart, UnsupportedFeatureError, Usage
from pydantic import BaseModel, TypeAdapter, ValidationError

from summq.programs.runtime.offline.request import Asked, only_primes, read_request, request_text
from summq.programs.runtime.offline.roles import Rule, rule_for
from summq.programs.runtime.offline.task import Dice, Rates, Task
from summq.programs.runtime.parsing import COMPLETED
from summq.programs.runtime.readable import understood
from summq.programs.runtime.replies import THIS_TEXT
from summq.programs.text.reading import why_illegible
from summq.signatures import Document, Quiz

CHARACTERS_PER_TOKEN = 4


class OfflineEngine:
    """An extractive reader behind DSPy's engine interface. It needs no key, no network and no model.

    It sees nothing but the messages; the same request gives the same reply, in whatever order and thread it comes.

    Args:
        seed: Of the errors that `rates` ask for.
        rates: How often agents of a kind err (see `Rates`); none by default.
    """

    supports_response_schema = False
    supports_function_calling = False
    supports_reasoning = False
    supported_params: ClassVar[frozenset[str]] = frozenset(
        {"temperature", "max_tokens", "max_completion_tokens", "top_p", "stop", "seed", "response_format"}
    )

    def __init__(self, seed: int = 0, rates: dict[str, float] | None = None) -> None:
        self.seed = seed
        self.rates = Rates.of(rates or {})

    def complete(self, request: Request) -> Response:
        """Answer a request.

        Raises:
            UnsupportedFeatureError: When it is no request of a role that rules can answer.
        """
        said = request_text(request)
        reply = "read" if only_primes(request) else self._reply(request, said)
        usage = Usage(input_tokens=_tokens(said), output_tokens=_tokens(reply))
        message = Message.assistant([TextPart(reply)])
        return Response(id="offline", model=request.model, message=message, finish_reason="stop", usage=usage)

    def _reply(self, request: Request, said: str) -> str:
        asked = read_request(request)
        rule = rule_for(asked) if asked else None
        if asked is None or rule is None:
            raise UnsupportedFeatureError(_unknown(asked), provider="offline", feature="free text")
        task = Task(asked.instructions, _typed_inputs(asked, rule), self.rates, Dice.of(self.seed, said))
        if asked.document is not None and (reason := why_illegible(asked.document)):
            raise UnsupportedFeatureError(f"offline {reason}", provider="offline", feature=THIS_TEXT)
        outputs = rule.answer(task)
        if not asked.output_names:
            return str(*outputs.values())
        fields = {name: outputs.get(name, "By rule, from the text.") for name in asked.output_names}
        return _as_json(fields) if asked.as_json else _as_chat(fields)

    def dump_state(self) -> dict[str, Any]:
        """What `load_state` needs to make an equal engine."""
        return {"seed": self.seed, "rates": vars(self.rates)}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> "OfflineEngine":
        """The engine that `dump_state` described."""
        return cls(**state)

    def __deepcopy__(self, memo: dict[int, Any]) -> "OfflineEngine":
        return self


def _unknown(asked: Asked | None) -> str:
    what = f"{', '.join(asked.input_names)} -> {', '.join(asked.output_names)}" if asked else "a prompt without fields"
    return (
        f"offline answers SummQ's own roles by rule and can't do this ({what}): "
        "name a real backbone for it, for example openai/gpt-4o-mini"
    )


def _typed_inputs(asked: Asked, rule: Rule) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for name, field in rule.signature.input_fields.items():
        if field.annotation is Document and name not in asked.input_names and asked.document is None:
            continue
        if name not in asked.inputs and (field.annotation is not Document or asked.document is None):
            raise InvalidRequestError(f"offline: the request has no value for {name!r}", provider="offline")
        if field.annotation is Document:
            inputs[name] = _document(asked, name)
        else:
            inputs[name] = _typed(name, asked.inputs[name], field.annotation, readable=asked.readable)
    return inputs


def _document(asked: Asked, name: str) -> Document:
    if asked.document is not None:
        return Document(text=asked.document)
    given = asked.inputs[name]
    try:
        return Document.model_validate_json(given)
    except ValidationError:
        return Document(text=given)


def _typed(name: str, value: str, annotation: Any, *, readable: bool) -> Any:
    if annotation is str:
        return value
    try:
        return understood(value, annotation) if readable else TypeAdapter(annotation).validate_json(value)
    except ValidationError as error:
        reason = str(error.errors()[0]["msg"])
        raise InvalidRequestError(f"offline: can't read the input {name!r}: {reason}", provider="offline") from error


def _as_chat(fields: dict[str, Any]) -> str:
    """The chat layout. A text that quotes a header of this layout must not look like one."""
    blocks = [f"[[ ## {name} ## ]]\n{_as_text(value).replace('[[ ##', '[[##')}" for name, value in fields.items()]
    return "\n\n".join([*blocks, COMPLETED])


def _as_json(fields: dict[str, Any]) -> str:
    return json.dumps({name: _plain(value) for name, value in fields.items()}, ensure_ascii=False)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Quiz):
        return value.as_written()
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value


def _tokens(text: str) -> int:
    return max(1, len(text) // CHARACTERS_PER_TOKEN)


__all__ = ["OfflineEngine"]
