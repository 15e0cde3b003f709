"""Load the rows of a data set: a benchmark, a hub data set, or local files (the paper's Section 4)."""

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import Field

from summq.eval.data.files import READERS, is_data_file
from summq.eval.data.hub import BENCHMARKS, open_hub, parse_hub_spec, recognised
from summq.eval.data.records import USUAL_COLUMNS, Columns, RecordReader, merge_by_document
from summq.eval.data.rows import Dataset, Row, StoredRows, kept_rows
from summq.eval.data.sources import Source, open_path
from summq.programs.errors import ConfigError, DataError, did_you_mean


class DataOptions(Columns):
    """How the rows of a data set are read and which of them are taken. Each field is an option of the command line."""

    limit: int | None = Field(
        default=None, description="At most so many rows; without --shuffle the first, and reading stops there."
    )
    shuffle: int | None = Field(
        default=None, title="SEED", description="Shuffle the rows, whatever their order in the file, before the limit."
    )
    streaming: bool = Field(default=False, description="Read a hub data set without a copy on the disk.")
    data_dir: Path | None = Field(
        default=None, title="DIR", description="A copy of a hub data set's files, read in place of the hub."
    )
    merge: bool = Field(
        default=False, description="Join rows that share a document into one with several references, as for booksum."
    )
    without_references: bool = Field(default=False, description="Keep rows without a summary.")

    def request(self, data: str, split: str | None) -> "DataRequest":
        """The same options for one split of one data set."""
        return DataRequest(data=data, split=split, **self.model_dump())


class DataRequest(DataOptions):
    """Which rows of which data set: a value that a run folder can keep.

    `data` is `mensa`, `booksum` (chapters), `booksum_books`, `govreport`, `hub:OWNER/NAME[:CONFIG][@REVISION]`, or a
    path: a jsonl, json, csv, tsv, parquet or arrow file (also .gz), a folder with such a file (or its parts) for each
    split, one that `save_to_disk` wrote, or a folder of plain
    documents. `split` is train, dev (or validation, val) or test; without it test, or all of a single file.
    """

    data: str
    split: str | None = None

    def load(self) -> Dataset:
        """The rows.

        Raises:
            ConfigError: A limit below 1.
            DataError: One line that says what is wrong and where.
        """
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit must be 1 or more, not {self.limit}.")
        source = self._open()
        if source.columns == USUAL_COLUMNS:
            source = recognised(source)
        named = {name: value for name, value in self if value and name in Columns.model_fields}
        columns = source.columns.model_copy(update=named)
        reader = RecordReader(columns, source.split, source.has_references and not self.without_references)
        rows = reader.rows(source.records)
        if self.merge or source.merge:
            rows = merge_by_document(rows)
        selection = _choose(_with_unique_ids(source.name, rows), self.limit, self.shuffle)
        if not selection:
            reasons = [f"{count} with {reason}" for reason, count in reader.dropped.items()] or ["no record at all"]
            raise DataError(f"{source.name}: no row to use in split {source.split!r} ({', '.join(reasons)}).")
        return Dataset(source.name, source.split, selection, dict(reader.dropped))

    @property
    def split_read(self) -> str:
        """The split that is read: `split`; without it test, or `all` where the data has none. Errors as for `load`."""
        return self.split or self._open().split

    def _open(self) -> Source:
        benchmark = parse_hub_spec(self.data)
        if benchmark:
            return open_hub(self.data, benchmark, self.split or "test", self.data_dir, self.streaming)
        path = Path(self.data)
        if path.is_dir() or (path.is_file() and is_data_file(path)):
            return open_path(path, self.split)
        known = f"{', '.join(BENCHMARKS)}, hub:OWNER/NAME, a folder, or a file ({', '.join(READERS)}, + .gz)"
        what = "is no file of records" if path.is_file() else "names no data set and no file"
        raise DataError(f"{self.data} {what}. Give {known}{did_you_mean(self.data, BENCHMARKS) or '.'}")


def load_rows(data: str, split: str | None = None, **options: Any) -> Dataset:
    """The rows that a `DataRequest` with these fields asks for."""
    return DataRequest(data=data, split=split, **options).load()


def _with_unique_ids(name: str, rows: Iterable[Row]) -> Iterator[Row]:
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise DataError(f"{name}: two rows have the id {row.id!r}. Make ids unique, or merge rows of one document.")
        seen.add(row.id)
        yield row


def _choose(rows: Iterable[Row], limit: int | None, seed: int | None) -> Sequence[Row]:
    """The first rows, or with a seed the first of the shuffled ones, with no more than `limit` of them kept."""
    if seed is None:
        return kept_rows(islice(rows, limit))

    def place(row: Row) -> bytes:
        return hashlib.sha256(f"{seed} {row.id}".encode()).digest()

    if limit is not None:
        return kept_rows(heapq.nsmallest(limit, rows, key=place))
    stored = kept_rows(rows)
    if isinstance(stored, StoredRows):
        places = [place(row) for row in stored]
        return stored.ordered(sorted(range(len(stored)), key=places.__getitem__))
    return tuple(sorted(stored, key=place))


__all__ = ["DataOptions", "DataRequest", "load_rows"]
