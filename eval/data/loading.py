"""Load the rows of a data set: a benchmark, a hub data set, or local files (the paper's Section 4)."""

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

from summq.eval.data.files import READERS, is_data_file
from summq.eval.data.hub import BENCHMARKS, open_hub, parse_hub_spec
from summq.eval.data.records import USUAL_COLUMNS, Columns, RecordReader, merge_by_document
from summq.eval.data.rows import Dataset, Row
from summq.eval.data.sources import Source, open_path
from summq.programs.errors import ConfigError, DataError


def load_rows(
    spec: str,
    split: str | None = None,
    *,
    columns: Columns = USUAL_COLUMNS,
    limit: int | None = None,
    seed: int | None = None,
    streaming: bool = False,
    data_dir: Path | None = None,
    merge: bool = False,
    require_references: bool = True,
) -> Dataset:
    """The rows of one split of the data set that `spec` names.

    Args:
        spec: `mensa`, `booksum` (chapters), `booksum_books`, `govreport`, `hub:OWNER/NAME[:CONFIG][@REVISION]`, or a
            path: a .jsonl, .csv or .parquet file (also .gz), a folder with such a file for each split, or a folder of
            plain documents.
        split: train, dev (or validation, val) or test. Without it: test, or all of a single file.
        columns: which columns hold what, where the usual names don't.
        limit: at most so many rows. Without a seed the first ones, and reading stops there.
        seed: shuffles the rows (by their ids, so that the order in the file does not matter); a limit takes the
            first of the shuffled ones.
        streaming: read a hub data set as it comes, without a copy on the disk.
        data_dir: a folder with a copy of a hub data set's files, read in place of the hub.
        merge: join the rows that share a document into one with several references (always so for `booksum`).
        require_references: drop rows without a summary. Plain documents never have one.

    Raises:
        DataError: one line that says what is wrong and where.
    """
    if limit is not None and limit < 1:
        raise ConfigError(f"limit must be 1 or more, not {limit}.")
    source = _open(spec, split, data_dir, streaming)
    reader = RecordReader(
        _override(source.columns, columns), source.split, source.has_references and require_references
    )
    rows = reader.rows(source.records)
    if merge or source.merge:
        rows = merge_by_document(rows)
    chosen = _choose(_with_unique_ids(source.name, rows), limit, seed)
    if not chosen:
        reasons = ", ".join(f"{count} with {reason}" for reason, count in reader.dropped.items()) or "no record at all"
        raise DataError(f"{source.name}: no row to use in split {source.split!r} ({reasons}).")
    return Dataset(source.name, source.split, tuple(chosen), dict(reader.dropped))


def _open(spec: str, split: str | None, data_dir: Path | None, streaming: bool) -> Source:
    benchmark = parse_hub_spec(spec)
    if benchmark:
        return open_hub(spec, benchmark, split or "test", data_dir, streaming)
    path = Path(spec)
    if path.is_dir() or (path.is_file() and is_data_file(path)):
        return open_path(path, split)
    known = f"{', '.join(BENCHMARKS)}, hub:OWNER/NAME, a folder, or a file ({', '.join(READERS)}, + .gz)"
    what = "is no file of records" if path.is_file() else "names no data set and no file"
    raise DataError(f"{spec} {what}. Give {known}.")


def _override(usual: Columns, named: Columns) -> Columns:
    """The source's own columns, with those that the caller named put in their place."""
    given = {field.name: getattr(named, field.name) for field in fields(Columns) if getattr(named, field.name)}
    return replace(usual, **given)


def _with_unique_ids(name: str, rows: Iterable[Row]) -> Iterator[Row]:
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise DataError(f"{name}: two rows have the id {row.id!r}. Make ids unique, or merge rows of one document.")
        seen.add(row.id)
        yield row


def _choose(rows: Iterable[Row], limit: int | None, seed: int | None) -> list[Row]:
    """The first rows, or with a seed the first of the shuffled ones, with no more than `limit` of them in memory."""
    if seed is None:
        return list(islice(rows, limit))

    def place(row: Row) -> bytes:
        return hashlib.sha256(f"{seed} {row.id}".encode()).digest()

    return sorted(rows, key=place) if limit is None else heapq.nsmallest(limit, rows, key=place)


__all__ = ["load_rows"]
