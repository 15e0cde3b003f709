"""The form of replies: as a model is told it, and as the JSON schema under which constrained backbones decode.

No text is ever cut by a bound: those of strings lie far above what anybody writes, and only stop a model that repeats
itself. What is bounded by the tokens that a reply may have is the number of items in a list.
"""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from summq.signatures import LONGEST

Schema = dict[str, Any]

LONGEST_LIST = 60
TOKENS_PER_TEXT = 25
DEEPEST = 8
_FIXED = {"enum", "const", "pattern", "format"}
_SHOWN_FULL = 4  # lists of so many texts or fewer are shown with all of them


def bounded(schema: Schema, max_tokens: int | None = None) -> Schema:
    """`schema` with a bound for every string inside its objects, and for every list; the input is not changed.

    A reply's own texts are not bounded: one that runs on ends at the limit on tokens, and is then no reply.
    """
    tight = _Bounds(schema, max_tokens).within(schema, DEEPEST)
    free = {name: part for name, part in schema.get("properties", {}).items() if part.get("type") == "string"}
    return {**tight, "properties": {**tight["properties"], **free}} if free else tight


def reply_form(annotation: Any, description: str = "") -> str:
    """How to write a value of this type: a JSON text with `<descriptions>` in place of values, in the order of fields.

    >>> reply_form(list[int])
    '[<number>, ...]'
    """
    schema = TypeAdapter(annotation).json_schema(schema_generator=_InOrder)
    return _form({"description": description, **schema} if description else schema, schema, DEEPEST)


class _InOrder(GenerateJsonSchema):
    """Keeps the order in which fields were declared, which is the order in which a model is to think."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value


@dataclass(frozen=True)
class _Bounds:
    """Bounds parts of `root`; references are replaced by what they stand for, down to a depth."""

    root: Schema
    max_tokens: int | None

    def within(self, schema: Schema, depth: int) -> Schema:
        schema = _resolved(schema, self.root)
        if depth == 0:
            return schema
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                schema = {**schema, choice: [self.within(option, depth - 1) for option in schema[choice]]}
        match schema.get("type"):
            case "object" if schema.get("properties"):
                parts = {name: self.within(part, depth - 1) for name, part in schema["properties"].items()}
                return {**schema, "properties": parts}
            case "array" if isinstance(schema.get("items"), dict):
                items = self.within(schema["items"], depth - 1)
                most = min(schema.get("maxItems", LONGEST_LIST), self._room(items))
                return {**schema, "maxItems": max(most, schema.get("minItems", 1)), "items": items}
            case "string" if not _FIXED & schema.keys():
                return {"maxLength": LONGEST, **schema}
        return schema

    def _room(self, item: Schema) -> int:
        """How many such items a reply has tokens for, if their texts are as long as people's."""
        return LONGEST_LIST if self.max_tokens is None else self.max_tokens // (TOKENS_PER_TEXT * max(1, _texts(item)))


def _texts(schema: Schema) -> int:
    """How many texts a value holds; a list of unknown length is counted as one."""
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return max(map(_texts, options))
    match schema.get("type"):
        case "object":
            return sum(map(_texts, schema.get("properties", {}).values()))
        case "array":
            return int(schema.get("minItems", 1)) * _texts(schema.get("items", {}))
        case "string":
            return 0 if _FIXED & schema.keys() else 1
    return 0


def _form(schema: Schema, root: Schema, depth: int) -> str:
    schema = _resolved(schema, root)
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_form(option, root, depth) for option in options if option.get("type") != "null")
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    match schema.get("type"):
        case "object" if schema.get("properties") and depth:
            parts = [f'"{name}": {_form(part, root, depth - 1)}' for name, part in schema["properties"].items()]
            return f"{{{', '.join(parts)}}}"
        case "array" if depth:
            item = _form(schema.get("items", {}), root, depth - 1)
            number = schema.get("minItems", 0) if schema.get("items", {}).get("type") == "string" else 0
            return f"[{', '.join([item] * number)}]" if 1 < number <= _SHOWN_FULL else f"[{item}, ...]"
        case "string":
            text = schema.get("description", "text")
            return f'"{text}"' if text.startswith("<") else f'"<{text}>"'
        case "integer" | "number":
            return f"<{schema.get('description', 'number')}>"
        case "boolean":
            return "true or false"
    return "<value>"


def _resolved(schema: Schema, root: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    rest = {key: value for key, value in schema.items() if key != "$ref"}
    return _resolved({**root["$defs"][schema["$ref"].rpartition("/")[2]], **rest}, root)


__all__ = ["bounded", "reply_form"]
