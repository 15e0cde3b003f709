"""Values as text that people and models read with ease, and the way back.

Lists become numbered items. An item that is a model begins with its kind in parentheses and its first field; its other
fields follow, a line each, those without a value left out:

    1. (multiple_choice) Who designed the wall?
       A. Pieter Adema
       B. Johanna Vries
       evidence: The engineer Pieter Adema designed a wall of concrete blocks.

Everything below the first line of an item is indented, so that no text can be taken for the next item.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin

from dspy.adapters.utils import serialize_for_json
from pydantic import BaseModel, TypeAdapter

from summq.signatures import Listing

NONE = "none"
INDENT = "   "
LABELS = ("number", "id")  # fields that take the place of an item's number
UNSHOWN = ("reviewer",)  # of an issue, whose id tells it
_ITEM = re.compile(r"^(\S+?)\.(?: |$)", re.MULTILINE)
_KIND = re.compile(r"\(([^()]*)\) ?")
_OPTION = re.compile(r"([A-Z])\. (.*)")


def readable(value: Any) -> str:
    """The text of a value: of what signatures exchange as above, of anything else as DSPy writes it."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case None:
            return NONE
        case Listing():
            return readable(_items(value))
        case BaseModel():
            return _flat(value)
        case Mapping():
            return _listed(value.items())
        case list() | tuple():
            return _listed((_label(item, number), item) for number, item in enumerate(value, 1))
    return str(serialize_for_json(value))


def understood(text: str, annotation: Any) -> Any:
    """The value of this type that `readable` made the text of.

    Raises:
        ValueError: The text is of no such value (pydantic's ValidationError is one).
    """
    if annotation is str:
        return text
    return TypeAdapter(annotation).validate_python(_plain(text, annotation))


def _listed(items: Iterable[tuple[Any, Any]]) -> str:
    shown = [_item(str(label), value) for label, value in items]
    return ("\n\n" if any("\n\n" in item for item in shown) else "\n").join(shown) or NONE


def _item(label: str, value: Any) -> str:
    if isinstance(value, Listing):
        return f"{label}.\n{INDENT}{_indented(readable(value))}"
    return f"{label}. {_indented(readable(value))}"


def _flat(model: BaseModel) -> str:
    """The lines of one model: by its template if it has one, else as the module says."""
    template = getattr(model, "template", None)
    if template:
        return str(template.format(**{name: _line(getattr(model, name)) for name in _names(template)}))
    fields = {name: value for name, value in model if name not in (*LABELS, *UNSHOWN)}
    kind = f"({_line(fields.pop('kind')).replace('(', '').replace(')', '')}) " if "kind" in fields else ""
    first, *others = fields
    lines = [f"{kind}{_line(fields[first])}".rstrip()]
    for name in others:
        value = fields[name]
        if isinstance(value, list | tuple):
            lines += [f"{chr(ord('A') + place)}. {_line(option)}" for place, option in enumerate(value)]
        elif type(model).model_fields[name].is_required() or value not in (None, ""):
            lines.append(f"{_spaced(name)}: {_line(value)}".rstrip())
    return "\n".join(lines)


def _plain(text: str, annotation: Any) -> Any:
    """What pydantic makes a value of this type of."""
    if _is_model(annotation):
        if not issubclass(annotation, Listing):
            return _fields(text, annotation)
        ((name, field),) = annotation.model_fields.items()
        return {name: _plain(text, field.annotation)}
    if get_origin(annotation) is dict:
        return {label: _plain(body, get_args(annotation)[1]) for label, body in _split(text)}
    if get_origin(annotation) is list:
        (inner,) = get_args(annotation)
        return [_labelled(_plain(body, inner), label, inner) for label, body in _split(text)]
    return text


def _fields(text: str, model: type[BaseModel]) -> dict[str, Any]:
    template = getattr(model, "template", None)
    if template:
        names = _names(template)
        match = re.fullmatch(re.sub(r"\\{\w+\\}", "(.*?)", re.escape(template)), text)
        return dict(zip(names, match.groups(), strict=True)) if match else {}
    names = [name for name in model.model_fields if name not in LABELS]
    fields: dict[str, Any] = {}
    head, *lines = text.split("\n")
    if "kind" in names:
        names.remove("kind")
        kind = _KIND.match(head)
        fields["kind"], head = (kind[1], head[kind.end() :]) if kind else ("", head)
    fields[names[0]] = head
    options = next((n for n in names[1:] if get_origin(model.model_fields[n].annotation) in (list, tuple)), None)
    for line in map(str.strip, lines):
        option = _OPTION.fullmatch(line) if options else None
        name, _, value = line.partition(":")
        if option and options:
            fields.setdefault(options, []).append(option[2])
        elif name.replace(" ", "_") in names:
            fields[name.replace(" ", "_")] = value.strip()
    return fields


def _names(template: str) -> list[str]:
    """The fields and properties of a model that its template shows."""
    return re.findall(r"{(\w+)}", template)


def _split(text: str) -> Iterator[tuple[str, str]]:
    """The items of a list: their labels, and their texts without the indentation."""
    starts = list(_ITEM.finditer(text))
    ends = [*(match.start() for match in starts), len(text)][1:]
    for start, end in zip(starts, ends, strict=bool(starts)):
        body = text[start.end() : end].strip("\n")
        yield start[1], re.sub(rf"^{INDENT}", "", body, flags=re.MULTILINE)


def _labelled(item: Any, label: str, model: Any) -> Any:
    names = [name for name in LABELS if _is_model(model) and name in model.model_fields]
    return {**item, names[0]: label} if names else item


def _label(item: Any, number: int) -> Any:
    return next((getattr(item, name) for name in LABELS if hasattr(item, name)), number)


def _items(listing: Listing) -> Sequence[Any]:
    (name,) = type(listing).model_fields
    items: Sequence[Any] = getattr(listing, name)
    return items


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _indented(text: str) -> str:
    return re.sub(r"\n(?=[^\n])", f"\n{INDENT}", text)


def _line(value: Any) -> str:
    return " ".join(readable(value).split())


def _spaced(name: str) -> str:
    return name.replace("_", " ")


__all__ = ["readable", "understood"]
