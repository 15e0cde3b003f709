"""What evaluation runs on: rows of a document and its reference summaries, and the data set that holds them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from summq.signatures import Document, fingerprint


@dataclass(frozen=True)
class Row:
    """A document with its reference summaries (none, where nobody wrote any).

    `cluster` names the source that several rows share (chapters of one book): intervals resample clusters, not rows.
    `meta` holds the other columns of the record. `error` says why the document can't be read: the row fails.
    """

    id: str
    document: Document
    references: tuple[str, ...] = ()
    cluster: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False)
    error: str = ""


@dataclass(frozen=True)
class Dataset:
    """The rows of one split, in the order they are to be run, and what was left out of it.

    `dropped` counts the records that hold nothing to work on, by reason; a limit is not a drop.
    """

    name: str
    split: str
    rows: tuple[Row, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def data_hash(self) -> str:
        """Sixteen hex digits that change whenever an id, a document or a reference does, or their order."""
        contents = [json.dumps([row.id, row.document.text, row.references]) for row in self.rows]
        return fingerprint("".join(contents))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]


__all__ = ["Dataset", "Row"]
