"""How replies are read: lists item by item, so that a bad item costs one item, and labels out of their words."""

import re
from collections.abc import Collection
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError, model_validator


def _plain(value: Any) -> str:
    """What a model wrote as one line of text: booleans and numbers as words, nothing as the empty string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip()


def _number(value: Any) -> Any:
    """The number in forms such as 3, "3", "Q3" or "3."."""
    match = re.fullmatch(r"\D{0,12}(\d+)\D{0,3}", value) if isinstance(value, str) else None
    return int(match.group(1)) if match else value


LONGEST = 1_900
"""Characters of a text in a reply, far above what anybody writes: one that is as long was cut, or runs in circles.

llama.cpp refuses grammars with bounds of 2,000 and more."""

Text = Annotated[str, BeforeValidator(_plain)]
Number = Annotated[int, BeforeValidator(_number)]


class Listing(BaseModel):
    """A model with one field, a list. A bare list is taken for that field; items that can't be read are dropped.

    A list of which no item can be read is an error.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _readable_items(cls, value: Any) -> Any:
        ((name, field),) = cls.model_fields.items()
        items = value.get(name) if isinstance(value, dict) else value
        if not isinstance(items, list):
            return value
        item_type = TypeAdapter[Any](get_args(field.annotation)[0])
        readable = [read for item in items for read in _read(item_type, item)]
        if items and not readable:
            raise ValueError(f"none of {len(items)} {name} can be read")
        return {name: readable}


def _read(item_type: TypeAdapter[Any], item: Any) -> list[Any]:
    try:
        return [item_type.validate_python(item)]
    except ValidationError:
        return []


def label(index: int) -> str:
    """The label of a candidate or an agent: A to Z, AA, AB, ..."""
    ahead, last = divmod(index, 26)
    return (label(ahead - 1) if ahead else "") + chr(ord("A") + last)


def index_of(name: str) -> int:
    """The index that a label stands for.

    >>> [index_of(label(index)) for index in (0, 25, 26, 701, 702)]
    [0, 25, 26, 701, 702]
    """
    index = 0
    for letter in name:
        index = 26 * index + ord(letter) - ord("A") + 1
    return index - 1


def named_label(reply: str, labels: Collection[str]) -> str | None:
    """The one label that a reply names; None if it names none, or several.

    A label is named where it stands as a word of its own, whatever marks surround it: "B", "(B)", "**B**", "Candidate
    B", "B: because it says more". Capitals count first, so that "B is a good one" names B alone. In a reply without a
    label in capitals, small letters count as well ("b", "candidate b"), but not an "a" or "i" before another word. What
    may be an article at the beginning of a sentence still counts: "A better one is B" names A and B, therefore none.

    Args:
        labels: What candidates are called, in capitals: "A", "AB", "A1".
    """
    named = set(labels).intersection(_words(reply))
    if not named:
        small = {label.lower(): label for label in labels}
        rest = re.sub(r"\b[ai](?=\s+\w)", " ", reply.lower())
        named = {small[word] for word in _words(rest) if word in small}
    return named.pop() if len(named) == 1 else None


def _words(text: str) -> list[str]:
    """Letters and digits between anything else, underscores included (markdown sets words between them)."""
    return re.findall(r"[^\W_]+", text)


__all__ = ["LONGEST", "Listing", "Number", "Text", "index_of", "label", "named_label"]
