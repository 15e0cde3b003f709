"""Bounds for JSON schemas, so that a reply decoded under one fits the tokens it may have.

A small model writes on for as long as the schema lets it: a string or list without bound then fills all tokens, and the
reply is cut off. Each of them gets a bound here; bounds that a schema has are only tightened.
"""

from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

CHARACTERS_PER_TOKEN = 3  # low on purpose: what fits in characters is to fit in tokens
SHORTEST_STRING = 96  # in lists whose length is free
LONGEST_LIST = 40
ITEMS_TO_EXPECT = 4
AROUND_A_VALUE = 12  # quotes, colon, comma, line break, and a value from a fixed choice
DEEPEST = 8
_FIXED = {"enum", "const", "pattern", "format"}


def bounded(schema: Schema, max_tokens: int) -> Schema:
    """`schema` with bounds under which a reply has about `max_tokens` tokens at most; the input is left as it is."""
    bounds = _Bounds(schema.get("$defs", {}))
    return bounds.within(max_tokens * CHARACTERS_PER_TOKEN, schema, DEEPEST)


@dataclass(frozen=True)
class _Bounds:
    """Shares characters out over the parts of a schema, by how many free strings a part is likely to hold."""

    definitions: Schema

    def within(self, characters: int, schema: Schema, depth: int) -> Schema:
        """`schema` bounded to `characters`; references are replaced by what they stand for, down to `depth`."""
        schema = self._resolved(schema)
        if depth == 0:
            return schema
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                options = [self.within(characters, option, depth - 1) for option in schema[choice]]
                schema = {**schema, choice: options}
        match schema.get("type"):
            case "object" if schema.get("properties"):
                return {**schema, "properties": self._properties(characters, schema["properties"], depth)}
            case "array" if isinstance(schema.get("items"), dict):
                return self._array(characters, schema, depth)
            case "string" if not _FIXED & schema.keys():
                most = min(schema.get("maxLength", characters), characters)
                return {**schema, "maxLength": max(most, schema.get("minLength", 0), 1)}
        return schema

    def _properties(self, characters: int, properties: Schema, depth: int) -> Schema:
        weights = {name: self._strings(part, depth) for name, part in properties.items()}
        free = characters - sum(len(name) + AROUND_A_VALUE for name in properties)
        share = max(0, free) // max(1, sum(weights.values()))
        return {name: self.within(share * weights[name], part, depth - 1) for name, part in properties.items()}

    def _array(self, characters: int, schema: Schema, depth: int) -> Schema:
        room = characters // (SHORTEST_STRING * max(1, self._strings(schema["items"], depth)))
        room = min(max(room, ITEMS_TO_EXPECT), LONGEST_LIST)
        most = max(min(schema.get("maxItems", room), room), schema.get("minItems", 1))
        return {**schema, "maxItems": most, "items": self.within(characters // most, schema["items"], depth - 1)}

    def _strings(self, schema: Schema, depth: int) -> int:
        schema = self._resolved(schema)
        if depth == 0:
            return 1
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return max(self._strings(option, depth - 1) for option in options)
        match schema.get("type"):
            case "object":
                return sum(self._strings(part, depth - 1) for part in schema.get("properties", {}).values())
            case "array":
                return ITEMS_TO_EXPECT * self._strings(schema.get("items", {}), depth - 1)
            case "string":
                return 0 if _FIXED & schema.keys() else 1
        return 0

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" not in schema:
            return schema
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return self._resolved({**self.definitions[schema["$ref"].rpartition("/")[2]], **rest})


__all__ = ["bounded"]
