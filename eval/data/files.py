"""Records of one local file: jsonl, csv or parquet, each also as .gz."""

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from summq.eval.data.records import RawRecord
from summq.programs.errors import DataError

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
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 text: save it as UTF-8.") from error
    except (OSError, EOFError) as error:
        raise DataError(f"{path.name} can't be read: {error}.") from error


def _read_jsonl(stream: Stream, name: str) -> Iterator[RawRecord]:
    for number, line in enumerate(io.TextIOWrapper(stream, encoding="utf-8-sig"), start=1):
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


def _read_csv(stream: Stream, name: str) -> Iterator[RawRecord]:
    csv.field_size_limit(sys.maxsize)  # a cell holds a whole document; Python's limit is 131,072 characters
    reader = csv.DictReader(io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""), strict=True)
    try:
        for values in reader:
            where = f"{name} line {reader.line_num}"
            if None in values or None in values.values():
                raise DataError(f"{where} has not as many cells as the {len(reader.fieldnames or ())} columns.")
            yield RawRecord(where, values)
    except csv.Error as error:
        raise DataError(f"{name} line {reader.reader.line_num} is not CSV: {error}.") from error


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


READERS = {".jsonl": _read_jsonl, ".csv": _read_csv, ".parquet": _read_parquet}


def _kind(path: Path) -> str:
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()


__all__ = ["READERS", "is_data_file", "read_records"]
