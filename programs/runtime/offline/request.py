"""What a request asks: the role's fields, its instructions and its inputs, read back from the prompt of an adapter.

Only the layout of DSPy's adapters is relied on (field lists, `[[ ## field ## ]]` blocks, the reminder of the output
fields), never the wording of instructions: optimizers rewrite those.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dspy.lm15 import Request

_OBJECTIVE = "In adhering to this structure, your objective is:"
_INPUTS, _OUTPUTS = "Your input fields are:", "Your output fields are:"
_FIELD = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_DOCUMENT = re.compile(r"<document id=\"(\w+)\">\n(.*)\n</document id=\"\1\">", re.DOTALL)
COMPLETED = "[[ ## completed ## ]]"
_JSON_REMINDER = "Respond with a JSON object in the following order of fields:"


@dataclass(frozen=True)
class Asked:
    """A request as its role understands it: `inputs` are the blocks as text, `document` the fenced document if any."""

    instructions: str
    input_names: Sequence[str]
    output_names: Sequence[str]
    inputs: Mapping[str, str] = field(repr=False)
    document: str | None = field(repr=False)
    as_json: bool


def read_request(request: Request) -> Asked | None:
    """What is asked; None when the prompt was not written by an adapter."""
    turns = [message.text or "" for message in request.messages if message.role == "user"]
    if not turns:
        return None
    last = turns[-1]
    if last.startswith(_INPUTS):  # who reads the document finds everything else in one turn, instructions at its end
        fields, _, objective = last.rpartition(_OBJECTIVE)
        instructions, body = _before_reminder(objective), _behind_form(fields)
    else:
        fields, _, instructions = _text(request.system).partition(_OBJECTIVE)
        body = _before_reminder(last)
    if _INPUTS not in fields:
        return None
    inputs, _, outputs = fields[fields.index(_INPUTS) :].partition(_OUTPUTS)
    names = _FIELD.findall(inputs)
    fenced = _DOCUMENT.fullmatch(turns[0].strip()) if len(turns) > 1 else None
    return Asked(
        instructions="\n".join(line.strip() for line in instructions.splitlines()).strip(),
        input_names=names,
        output_names=_FIELD.findall(outputs.partition("\n\n")[0]),
        inputs=_blocks(body, names),
        document=fenced[2] if fenced else None,
        as_json=_JSON_REMINDER in last[-2000:] or request.config.response_format is not None,
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


def _behind_form(text: str) -> str:
    """The blocks of the inputs, which follow the form of the reply."""
    return text.partition(f"\n{COMPLETED}\n")[2]


def _blocks(body: str, names: Sequence[str]) -> dict[str, str]:
    """The value of each field: from its header to the header of the next field, or to the end."""
    found: dict[str, str] = {}
    starts: list[tuple[str, int, int]] = []
    position = 0
    for name in names:
        match = re.compile(rf"^\[\[ ## {re.escape(name)} ## \]\]\n?", re.MULTILINE).search(body, position)
        if match:
            starts.append((name, match.start(), match.end()))
            position = match.end()
    for (name, _, begin), following in zip(starts, [*(start for _, start, _ in starts[1:]), len(body)], strict=True):
        found[name] = body[begin:following].strip()
    return found


def _before_reminder(text: str) -> str:
    """What stands before the adapter's reminder of the output fields."""
    places = [text.rfind("\n\nRespond with the corresponding output fields"), text.rfind(f"\n\n{_JSON_REMINDER}")]
    return text[: max(places)] if max(places) >= 0 else text


__all__ = ["COMPLETED", "Asked", "only_primes", "read_request", "request_text"]
