"""How the fields of a reply are read: out of marked sections, out of a JSON object, or the text as it is.

Whatever a reply holds, reading it ends with its fields or with an `AdapterParseError`. A reply that breaks off is one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import dspy
import json_repair
from dspy.adapters.utils import apply_output_field_defaults, parse_value
from dspy.utils.exceptions import AdapterParseError

from summq.programs.runtime.bodies import whole

COMPLETED = "[[ ## completed ## ]]"
_MARKER = re.compile(r"\[\[ ## (\w+) ## \]\]")
_DENIALS = frozenset({"not", "neither", "nor", "worse", "than", "cannot", "isn", "t"})
"""What makes it doubtful that the one choice which a reply names is meant; "reject: no evidence" is not doubtful."""
_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = re.compile(rf"{_HIGH}(?!{_LOW})|(?<!{_HIGH}){_LOW}")


def read_marked(signature: type[dspy.Signature], reply: str) -> dict[str, Any]:
    """The fields of a reply in sections, which a marker ends."""

    def sections() -> Mapping[str, Any]:
        parts = marked_sections(_mend(reply), list(signature.output_fields))
        if parts is None:
            raise ValueError("the reply ended before the completed marker: it was cut off")
        return parts

    return _fields(signature, reply, sections)


def read_object(signature: type[dspy.Signature], reply: str) -> dict[str, Any]:
    """The fields of a reply that is a JSON object, or holds one; slips in its form are mended."""

    def members() -> Mapping[str, Any]:
        text = _mend(reply)[max(0, reply.find("{")) :]
        if not is_closed(text):
            raise ValueError("the reply ended inside its JSON object: it was cut off")
        value = json_repair.loads(text)
        if not isinstance(value, dict):
            raise ValueError("the reply is no JSON object")
        return value

    return _fields(signature, reply, members)


def read_text(signature: type[dspy.Signature], reply: str) -> dict[str, Any]:
    """The one field of a reply that is a text and nothing else."""
    (name,) = signature.output_fields
    return _fields(signature, reply, lambda: {name: str(whole(reply)).strip()})


def _fields(signature: type[dspy.Signature], reply: str, raw_values: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    try:
        raw = raw_values()
        for name, field in signature.output_fields.items():
            if name in raw:
                fields[name] = _value(name, raw[name], field.annotation)
        fields = apply_output_field_defaults(signature, fields)
        if missing := [name for name in signature.output_fields if name not in fields]:
            raise ValueError(f"the reply lacks {', '.join(missing)}")
    except Exception as error:  # nesting too deep, numbers too long, ...: whatever it is, it is the reply's fault
        raise AdapterParseError(
            adapter_name="DocumentFirstAdapter",
            signature=signature,
            lm_response=reply,
            message=_first_line(error),
            parsed_result=fields,
        ) from error
    return fields


def _value(name: str, raw: Any, annotation: Any) -> Any:
    if annotation is not str:
        try:
            return parse_value(_choice(raw, annotation), annotation)
        except ValueError as error:
            raise ValueError(f"{name} can't be read: {_first_line(error)}") from error
    if not isinstance(raw, str):
        raise ValueError(f"{name} is no text")
    if not raw.strip():
        raise ValueError(f"{name} is empty")
    return raw


def _choice(raw: Any, annotation: Any) -> Any:
    """The one of several words that a reply names and does not deny, whatever is around it; else the reply itself."""
    choices = get_args(annotation)
    if get_origin(annotation) is not Literal or not isinstance(raw, str) or raw in choices:
        return raw
    words = re.findall(r"\w+", raw.lower())
    named = {choice for choice in choices if len(str(choice)) > 1 and str(choice).lower() in words}
    return named.pop() if len(named) == 1 and not _DENIALS.intersection(words) else raw


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:200] if lines else type(error).__name__


@dataclass(frozen=True)
class _Marker:
    name: str
    start: int
    end: int
    rank: int  # 0: alone on its line; 1: words after it; 2: words before it


def marked_sections(text: str, names: Sequence[str]) -> dict[str, str] | None:
    """The text under the marker of each name, None where no marker ends the text.

    Markers that a text quotes are part of it: those amid words, those with words after them beside one alone on its
    line, and, of several that stand alone, those that can't be the writer's when the sections come in order.
    """
    markers = list(filter(None, (_marker(text, match) for match in _MARKER.finditer(text))))
    end = _end(text, markers)
    if end is None:
        return None
    best = {name: min((m.rank for m in markers if m.name == name), default=0) for name in names}
    headers = [m for m in markers if m.end <= end and m.rank == best.get(m.name)]
    chosen = _in_order(headers, names) or {m.name: m for m in reversed(headers)}
    starts = sorted(chosen.values(), key=lambda marker: marker.start)
    ends = [*(marker.start for marker in starts[1:]), end]
    return {m.name: text[m.end : until].strip() for m, until in zip(starts, ends, strict=False)}


def _marker(text: str, match: re.Match[str]) -> _Marker | None:
    line_start = text.rfind("\n", 0, match.start()) + 1
    line_end = text.find("\n", match.end())
    before = text[line_start : match.start()].strip()
    after = text[match.end() : line_end if line_end >= 0 else len(text)].strip()
    if before and after:
        return None
    return _Marker(match[1], match.start(), match.end(), 2 if before else 1 if after else 0)


def _end(text: str, markers: Sequence[_Marker]) -> int | None:
    """Where the reply ends: at the last marker for it that ends a line, or at one after which another turn begins."""
    ends = [marker for marker in markers if f"[[ ## {marker.name} ## ]]" == COMPLETED and marker.rank != 1]
    turns = [marker for marker in ends if _MARKER.match(text[marker.end :].lstrip()[:80])]
    return next((marker.start for marker in [*turns[:1], *ends[::-1]]), None)


def _in_order(headers: Sequence[_Marker], names: Sequence[str]) -> dict[str, _Marker]:
    """The first header of the first name, and the last one before the next of every other; empty if there are none."""
    in_order: dict[str, _Marker] = {}
    limit = float("inf")
    for place, name in reversed(list(enumerate(names))):
        candidates = [header for header in headers if header.name == name and header.start < limit]
        if not candidates:
            return {}
        in_order[name] = candidates[-1 if place else 0]
        limit = in_order[name].start
    return in_order


def is_closed(text: str) -> bool:
    """Whether the object or list with which a JSON text begins comes to its end."""
    depth, quoted, escaped = 0, False, False
    for sign in text:
        if quoted:
            quoted = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            quoted, escaped = True, False
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth <= 0:
                return True
    return False


def _mend(reply: str) -> str:
    """Halves of characters, also those written as escapes, replaced by the mark for what can't be read."""
    text: str = whole(reply)
    return _HALF.sub(r"\\ufffd", text) if "\\u" in text else text


__all__ = ["COMPLETED", "is_closed", "marked_sections", "read_marked", "read_object", "read_text"]
