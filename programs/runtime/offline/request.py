"""What a request asks: the role's fields, its instructions and its inputs, read back from the prompt of an adapter.

Only the layout is relied on, ours (headings, inputs between tags, the form of the reply) or that of DSPy's adapters
(field lists, `[[ ## field ## ]]` blocks, the reminder of the output fields); never the wording of instructions, which
optimizers rewrite.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dspy.lm15 import Request

from summq.programs.runtime.adapter import GIVEN, OWN, REPLY

_BLOCK = re.compile(r"^[^\n]*:\s<(\w+)>(.*?)</\1>$", re.DOTALL | re.MULTILINE)
_HEADER = re.compile(r"^\[\[ ## (\w+) ## \]\]$", re.MULTILINE)
_OBJECTIVE = "In adhering to this structure, your objective is:"
_INPUTS, _OUTPUTS = "Your input fields are:", "Your output fields are:"
_FIELD = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_DOCUMENT = re.compile(r"<document id=\"(\w+)\">\n(.*)\n</document id=\"\1\">", re.DOTALL)
_JSON_REMINDER = "Respond with a JSON object in the following order of fields:"


@dataclass(frozen=True)
class Asked:
    """A request as its role understands it: `inputs` are the blocks as text, `document` the fenced document if any.

    No `output_names` means that the reply is to be one text and nothing else; `readable` that inputs are written as
    `readable` writes them, not as JSON.
    """

    instructions: str
    input_names: Sequence[str]
    output_names: Sequence[str]
    inputs: Mapping[str, str] = field(repr=False)
    document: str | None = field(repr=False)
    as_json: bool
    readable: bool = False


def read_request(request: Request) -> Asked | None:
    """What is asked; None when the prompt was not written by an adapter."""
    turns = [message.text or "" for message in request.messages if message.role == "user"]
    if not turns:
        return None
    last = turns[-1]
    fenced = _DOCUMENT.fullmatch(turns[0].strip()) if len(turns) > 1 else None
    document = fenced[2] if fenced else None
    if f"\n{REPLY}\n" in last:
        return _ours(last, document, request.config.response_format)
    return _stock(_text(request.system), last, document, as_json=request.config.response_format is not None)


def _ours(turn: str, document: str | None, schema: Mapping[str, Any] | None) -> Asked:
    """The request of SummQ's adapter: the task, the inputs and the form of the reply under headings."""
    before, _, form = turn.rpartition(f"\n{REPLY}\n")
    before, own = _own(before)
    task, _, blocks = before.partition(f"\n{GIVEN}\n")
    inputs = {name: text.strip() for name, text in _BLOCK.findall(blocks)}
    fields = _HEADER.findall(form) if schema is None else schema.get("schema", {}).get("properties", ())
    return Asked(
        instructions="\n\n".join(filter(None, (task.partition("\n")[2].strip(), own))),
        input_names=list(inputs),
        output_names=[name for name in fields if name != "completed"],
        inputs=inputs,
        document=document,
        as_json=schema is not None,
        readable=True,
    )


def _own(text: str) -> tuple[str, str]:
    """The text up to what sets an agent apart, and that; it stands behind the inputs."""
    before, _, own = text.rpartition(f"\n{OWN}\n")
    return (before, own.strip()) if before and "</" not in own else (text, "")


def _stock(system: str, turn: str, document: str | None, *, as_json: bool) -> Asked | None:
    """The request of one of DSPy's adapters."""
    fields, _, instructions = system.partition(_OBJECTIVE)
    if _INPUTS not in fields:
        return None
    inputs, _, outputs = fields[fields.index(_INPUTS) :].partition(_OUTPUTS)
    names = _FIELD.findall(inputs)
    return Asked(
        instructions="\n".join(line.strip() for line in instructions.splitlines()).strip(),
        input_names=names,
        output_names=_FIELD.findall(outputs.partition("\n\n")[0]),
        inputs=_blocks(_before_reminder(turn), names),
        document=document,
        as_json=as_json or _JSON_REMINDER in turn[-2000:],
    )


def only_primes(request: Request) -> bool:
    """Whether the request only lets a server read the document: nothing but its turn, one word wanted."""
    return len(request.messages) == 1 and request.config.max_tokens == 1


def request_text(request: Request) -> str:
    """All that the request says, for counting and hashing."""
    return "\n\n".join([_text(request.system), *(message.text or "" for message in request.messages)])


def _text(system: object) -> str:
    if system is None or isinstance(system, str):
        return system or ""
    return "".join(part.text for part in system)  # type: ignore[attr-defined]


def _blocks(body: str, names: Sequence[str]) -> dict[str, str]:
    """The value of each field: from its header to the header of the next field, or to the end."""
    values: dict[str, str] = {}
    starts: list[tuple[str, int, int]] = []
    position = 0
    for name in names:
        match = re.compile(rf"^\[\[ ## {re.escape(name)} ## \]\]\n?", re.MULTILINE).search(body, position)
        if match:
            starts.append((name, match.start(), match.end()))
            position = match.end()
    for (name, _, begin), following in zip(starts, [*(start for _, start, _ in starts[1:]), len(body)], strict=True):
        values[name] = body[begin:following].strip()
    return values


def _before_reminder(text: str) -> str:
    """What stands before the adapter's reminder of the output fields."""
    places = [text.rfind("\n\nRespond with the corresponding output fields"), text.rfind(f"\n\n{_JSON_REMINDER}")]
    return text[: max(places)] if max(places) >= 0 else text


__all__ = ["Asked", "only_primes", "read_request", "request_text"]
