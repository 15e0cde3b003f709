"""Blinded sheets for people: which of two summaries of a document is better, by each criterion.

Every judge gets all pairs, in an order and with sides of their own. Nothing on a sheet says which system wrote what:
`key.json` does, and stays with whoever runs the study.
"""

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from summq.eval.preference.pairs import Pair
from summq.programs.runtime.files import make_folder, read_model, write_model, write_text
from summq.programs.text.cleaning import as_cell

Side = Literal["a", "b"]
CHOICES = ("left", "right", "tie")
KEY = "key.json"


class Place(BaseModel):
    """One item of one sheet: which document, and which system's summary stands on the left."""

    model_config = ConfigDict(frozen=True)

    sheet: int
    item: int
    id: str
    cluster: str | None
    left: Side


class Key(BaseModel):
    """Which system wrote which summary of which sheet: undoes the blinding."""

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    criteria: list[str]
    places: list[Place]


def write_sheets(
    folder: Path,
    pairs: Sequence[Pair],
    names: Mapping[Side, str],
    criteria: Mapping[str, str],
    *,
    judges: int = 3,
    seed: int = 0,
) -> list[Path]:
    """Write `sheet-N.csv` and `sheet-N.html` for each judge, the documents as text, and `key.json`.

    The csv and the page hold the same items; a judge fills in either. Hands back the pages.
    """
    make_folder(folder / "documents")
    by_id = {pair.id: pair for pair in pairs}
    numbers = {pair.id: number for number, pair in enumerate(pairs, 1)}
    for pair in pairs:
        write_text(folder / "documents" / f"{numbers[pair.id]}.txt", pair.document.text + "\n")
    places = [place for sheet in range(1, judges + 1) for place in _places(sheet, pairs, seed)]
    pages = []
    for sheet in range(1, judges + 1):
        items = [(place, by_id[place.id]) for place in places if place.sheet == sheet]
        shown = [_page_item(place, pair, numbers[pair.id]) for place, pair in items]
        write_text(folder / f"sheet-{sheet}.csv", _csv(shown, criteria))
        documents = {
            item["document"]: by_id[place.id].document.text for item, (place, _) in zip(shown, items, strict=True)
        }
        pages.append(folder / f"sheet-{sheet}.html")
        write_text(pages[-1], page_of(sheet, shown, documents, criteria))
    key = Key(a=names["a"], b=names["b"], criteria=list(criteria), places=places)
    write_model(folder / KEY, key)
    return pages


def read_key(folder: Path) -> Key:
    """The key of a study. Raises `DataError` when it is missing or damaged."""
    return read_model(folder / KEY, Key, "the key of a study", "name the folder of a study")


def _places(sheet: int, pairs: Sequence[Pair], seed: int) -> list[Place]:
    """One judge's items: either system stands on the left in half of them, and for the next judge on the right.

    So that whoever favours a side favours nobody.
    """
    ranks = random.Random(seed).sample(range(len(pairs)), len(pairs))
    sides: dict[str, Side] = {
        pair.id: "a" if (rank + sheet) % 2 else "b" for pair, rank in zip(pairs, ranks, strict=True)
    }
    order = random.Random(f"{seed}/{sheet}").sample(list(pairs), len(pairs))
    return [
        Place(sheet=sheet, item=item, id=pair.id, cluster=pair.cluster, left=sides[pair.id])
        for item, pair in enumerate(order, 1)
    ]


def _page_item(place: Place, pair: Pair, number: int) -> dict[str, str]:
    left, right = (pair.a, pair.b) if place.left == "a" else (pair.b, pair.a)
    return {
        "sheet": str(place.sheet),
        "item": str(place.item),
        "document": f"documents/{number}.txt",
        "left": left,
        "right": right,
    }


def _csv(items: Sequence[Mapping[str, str]], criteria: Mapping[str, str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*items[0], *criteria, "comment"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: as_cell(cell) for name, cell in item.items()} for item in items)
    return text.getvalue()


PLACEHOLDER = "/* SHEET */ null"


def page_of(
    sheet: int, items: Sequence[Mapping[str, str]], documents: Mapping[str, str], criteria: Mapping[str, str]
) -> str:
    """The page of one sheet. Texts go in as data and are shown as text, whatever they contain."""
    data = {"sheet": sheet, "items": items, "documents": documents, "criteria": criteria}
    safe = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return files(__package__).joinpath("page.html").read_text("utf-8").replace(PLACEHOLDER, safe, 1)


__all__ = ["CHOICES", "Key", "Place", "read_key", "write_sheets"]
