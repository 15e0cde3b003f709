"""Lists as models reply with them: every item is validated on its own, so that a bad item costs one item, not all."""

import re
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


Text = Annotated[str, BeforeValidator(_plain)]
Number = Annotated[int, BeforeValidator(_number)]


class Listing(BaseModel):
    """A model with one field, a list. A bare list is taken for that field; items that can't be read are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _readable_items(cls, value: Any) -> Any:
        ((name, field),) = cls.model_fields.items()
        items = value.get(name) if isinstance(value, dict) else value
        if not isinstance(items, list):
            return value
        item_type = TypeAdapter[Any](get_args(field.annotation)[0])
        return {name: [read for item in items for read in _read(item_type, item)]}


def _read(item_type: TypeAdapter[Any], item: Any) -> list[Any]:
    try:
        return [item_type.validate_python(item)]
    except ValidationError:
        return []


__all__ = ["Listing", "Number", "Text"]
