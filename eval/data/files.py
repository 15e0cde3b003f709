"""Records of one local file: jsonl, json, csv, tsv, parquet or arrow, each also as .gz."""

import ast
import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from summq.eval.data.records import DOCUMENT_COLUMNS, RawRecord
from summq.programs.documents.encodings import byte_order_mark
from summq.programs.errors import DataError

SPLITS = {"train": ("train",), "dev": ("dev", "validation", "val", "valid"), "test": ("test",)}
SPLIT_NAMES = frozenset(alias for aliases in SPLITS.values() for alias in aliases)
DOCUMENT_NAMES = frozenset(DOCUMENT_COLUMNS)
DELIMITERS = (",", ";", "\t", "|")
Stream = gzip.GzipFile | io.BufferedReader


def is_data_file(path: Path) -> bool:
    """Whether `path` is named like a file of records."""
    return _kind(path) in READERS


def read_records(path: Path) -> Iterator[RawRecord]:
    """The records of a file in order, read as they are asked for.

    Raises `DataError` that names the line for a record that can't be parsed.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            yield from READERS[_kind(path)](stream, path.name)
    except UnicodeError as error:
        raise DataError(f"{path.name} is not UTF-8 text: save it as UTF-8.") from error
    except (OSError, EOFError) as error:
        raise DataError(f"{path.name} can't be read: {error}.") from error


def _decoded(stream: Stream) -> io.TextIOWrapper:
    """The stream as text: UTF-8, or what a byte order mark says (spreadsheets write UTF-16)."""
    return io.TextIOWrapper(stream, encoding=byte_order_mark(stream.peek(4)) or "utf-8", newline="")


def _read_jsonl(stream: Stream, name: str) -> Iterator[RawRecord]:
    for number, line in enumerate(_decoded(stream), start=1):
        where = f"{name} line {number}"
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"{where} is not JSON: {error.msg} at character {error.pos + 1}.") from error
        if not isinstance(values, dict):
            raise DataError(f"{where} must hold a JSON object with named columns, not {type(values).__name__}.")
        yield RawRecord(where, values)


def _read_json(stream: Stream, name: str) -> Iterator[RawRecord]:
    """A list of records, also within an object, by split or by id; columns as lists; else one record a line."""
    data = stream.read()
    try:
        content = json.loads(data.decode(byte_order_mark(data) or "utf-8"))
    except json.JSONDecodeError:
        yield from _read_jsonl(io.BufferedReader(io.BytesIO(data)), name)
        return
    for number, values in enumerate(_records_in(content, name), start=1):
        if not isinstance(values, dict):
            raise DataError(f"{name} row {number} must hold a JSON object with named columns.")
        yield RawRecord(f"{name} row {number}", values)


def _records_in(content: Any, name: str) -> list[Any]:
    if not isinstance(content, dict):
        return content if isinstance(content, list) else [content]
    if not DOCUMENT_NAMES.isdisjoint(content):
        return _from_columns(content, name)
    if isinstance(content.get("columns"), list) and isinstance(content.get("data"), list):  # as pandas writes `split`
        return [dict(zip(content["columns"], row, strict=False)) for row in content["data"]]
    lists = {key: value for key, value in content.items() if _holds_records(value)}
    if lists and all(key.lower() in SPLIT_NAMES for key in lists):
        return [{"split": key, **record} for key, records in lists.items() for record in records]
    if len(lists) == 1:
        return [record for records in lists.values() for record in records]
    inner = {key: value for key, value in content.items() if isinstance(value, dict)}
    if inner and not any(DOCUMENT_NAMES.isdisjoint(value) for value in inner.values()):
        return [{"id": key, **record} for key, record in inner.items()]
    return _records_in(next(iter(inner.values())), name) if len(inner) == 1 else _from_columns(content, name)


def _holds_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _from_columns(columns: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The rows of columns, each a list or (as pandas writes it) an object of cells; one row if there are none."""
    cells = [list(column.values()) if isinstance(column, dict) else column for column in columns.values()]
    if not all(isinstance(column, list) for column in cells):
        return [columns]
    if len({len(column) for column in cells}) > 1:
        raise DataError(f"{name}: its columns are not of one length.")
    return [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)]


def _read_csv(stream: Stream, name: str) -> Iterator[RawRecord]:
    """Cells divided by what divides the first line most often: spreadsheets write `;` or a tab where `,` is decimal."""
    csv.field_size_limit(sys.maxsize)  # a cell holds a whole document; Python's limit is 131,072 characters
    text = _decoded(stream)
    heading = text.readline()
    delimiter = max(DELIMITERS, key=heading.count)
    reader = csv.DictReader(chain([heading], text), strict=True, delimiter=delimiter)
    try:
        for values in reader:
            where = f"{name} line {reader.line_num}"
            if None in values or None in values.values():
                raise DataError(f"{where} has not as many cells as the {len(reader.fieldnames or ())} columns.")
            yield RawRecord(where, {column: _cell(value) for column, value in values.items()})
    except csv.Error as error:
        raise DataError(f"{name} line {reader.reader.line_num} is not CSV: {error}.") from error


def _cell(value: str) -> str | list[Any]:
    """A cell; where it holds a list of texts, as JSON or as Python writes it, the list."""
    if not (value.startswith("[") and value.rstrip().endswith("]")):
        return value
    for parse in (json.loads, ast.literal_eval):
        try:
            items = parse(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(items, list) and items and all(isinstance(item, str | dict) for item in items):
            return items
    return value


def _read_arrow(stream: Stream, name: str) -> Iterator[RawRecord]:
    import pyarrow

    try:
        rows = (row for batch in pyarrow.ipc.open_stream(stream) for row in batch.to_pylist())
        for number, values in enumerate(rows, start=1):
            yield RawRecord(f"{name} row {number}", values)
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{name} is not an arrow stream: {error}") from error


def _read_parquet(stream: Stream, name: str) -> Iterator[RawRecord]:
    import pyarrow
    from pyarrow import parquet

    try:
        batches = parquet.ParquetFile(stream).iter_batches(batch_size=64)
        rows = (row for batch in batches for row in batch.to_pylist())
        for number, values in enumerate(rows, start=1):
            yield RawRecord(f"{name} row {number}", values)
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{name} is not a parquet file: {error}") from error


READERS: dict[str, Callable[[Stream, str], Iterator[RawRecord]]] = {
    ".jsonl": _read_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
}


def _kind(path: Path) -> str:
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()


__all__ = ["READERS", "is_data_file", "read_records"]
