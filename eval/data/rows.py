"""What evaluation runs on: rows of a document and its reference summaries, and the data set that holds them."""

import hashlib
import json
import os
import pickle
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, overload

from summq.signatures import Document

IN_MEMORY = 32_000_000
"""Bytes of rows, roughly, beyond which they wait on the disk."""
BESIDE_TEXT = 2000  # bytes of a row in memory without its texts
DIGITS = 16


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


class StoredRows(Sequence[Row]):
    """Rows in a temporary file that is gone with the process (in `TMPDIR`), each read when it is asked for."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._file = tempfile.TemporaryFile(prefix="summq-rows-")  # noqa: SIM115  # open as long as the rows
        ends = array("Q", [0])
        for row in rows:
            ends.append(ends[-1] + self._file.write(pickle.dumps(row, pickle.HIGHEST_PROTOCOL)))
        self._file.flush()
        self._ends = ends
        self._order: Sequence[int] = range(len(ends) - 1)

    def ordered(self, order: Sequence[int]) -> "StoredRows":
        """Those of the rows that `order` names by their numbers, in that order, in the same file."""
        other = StoredRows.__new__(StoredRows)
        other._file, other._ends = self._file, self._ends
        other._order = array("Q", (self._order[place] for place in order))
        return other

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "StoredRows": ...

    def __getitem__(self, index: int | slice) -> "Row | StoredRows":
        if isinstance(index, slice):
            return self.ordered(range(len(self))[index])
        place = self._order[index]
        start, end = self._ends[place], self._ends[place + 1]
        row: Row = pickle.loads(os.pread(self._file.fileno(), end - start, start))
        return row


def kept_rows(rows: Iterable[Row]) -> Sequence[Row]:
    """The rows as a tuple, or, where they take more than `IN_MEMORY`, on the disk."""
    first: list[Row] = []
    size = 0
    rest = iter(rows)
    for row in rest:
        first.append(row)
        size += BESIDE_TEXT + len(row.document.text) + sum(map(len, row.references))
        if size > IN_MEMORY:
            return StoredRows(chain(_emptied(first), rest))
    return tuple(first)


def _emptied(rows: list[Row]) -> Iterator[Row]:
    rows.reverse()
    while rows:
        yield rows.pop()


@dataclass(frozen=True)
class Dataset:
    """The rows of one split, in the order they are to be run, and what was left out of it.

    Many or long rows lie on the disk and are read one by one: go over them rather than collect them. `dropped` counts
    the records that hold nothing to work on, by reason; a limit is not a drop.
    """

    name: str
    split: str
    rows: Sequence[Row]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def data_hash(self) -> str:
        """Sixteen hex digits that change whenever an id, a document or a reference does, or their order."""
        return self._contents[0]

    @property
    def ids(self) -> list[str]:
        """The ids of the rows."""
        return self._contents[1]

    @cached_property
    def _contents(self) -> tuple[str, list[str]]:
        """The hash and the ids, by one reading."""
        hashed, ids = hashlib.sha256(), []
        for row in self.rows:
            hashed.update(json.dumps([row.id, row.document.text, row.references]).encode())
            ids.append(row.id)
        return hashed.hexdigest()[:DIGITS], ids

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]


__all__ = ["Dataset", "Row", "StoredRows", "kept_rows"]
