"""A sheet as one self-contained page: it works without a network, keeps its answers, and hands them out as csv."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

PLACEHOLDER = "/* SHEET */ null"


def page_of(
    sheet: int, items: Sequence[Mapping[str, str]], documents: Mapping[str, str], criteria: Mapping[str, str]
) -> str:
    """The page of one sheet. Texts go in as data and are shown as text, whatever they contain."""
    data = {"sheet": sheet, "items": items, "documents": documents, "criteria": criteria}
    safe = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return files(__package__).joinpath("page.html").read_text("utf-8").replace(PLACEHOLDER, safe, 1)


__all__ = ["page_of"]
