"""Where records come from: a source is the stream of a split's records and how to read them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from summq.eval.data.files import READERS, is_data_file, read_records
from summq.eval.data.records import USUAL_COLUMNS, Columns, RawRecord
from summq.programs.documents import load_document
from summq.programs.errors import DataError

SPLITS = {"train": ("train",), "dev": ("dev", "validation", "val", "valid"), "test": ("test",)}
_CANONICAL = {alias: name for name, aliases in SPLITS.items() for alias in aliases}


def canonical_split(name: str) -> str:
    """`dev` for validation, val and valid; any other name as it is."""
    return _CANONICAL.get(name.lower(), name)


def split_aliases(name: str) -> tuple[str, ...]:
    """Every name under which a data set may hold this split."""
    return SPLITS.get(canonical_split(name), (name,))


@dataclass(frozen=True)
class Source:
    """The records of one split.

    `merge` joins rows that share a document; `has_references` is False for plain documents, which nobody summarised.
    """

    name: str
    split: str
    records: Iterator[RawRecord]
    columns: Columns = USUAL_COLUMNS
    merge: bool = False
    has_references: bool = True


def open_path(path: Path, split: str | None) -> Source:
    """A file of records, a folder with a file for each split, or a folder of plain documents."""
    if not path.is_dir():
        return Source(path.name, canonical_split(split or "all"), _of_split(path, split))
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    if not any(is_data_file(file) for file in files):
        return Source(path.name, "all", _documents(files), has_references=False)
    chosen = _files_of_split(path, files, split or "test")
    records = (record for file in chosen for record in read_records(file))
    return Source(path.name, canonical_split(split or "test"), records)


def _of_split(path: Path, split: str | None) -> Iterator[RawRecord]:
    """A single file's records, less those whose own `split` column says that they belong to another split."""
    others = set()
    kept = 0
    for record in read_records(path):
        own = record.values.get("split")
        if split is None or own not in _KNOWN or canonical_split(own) == canonical_split(split):
            kept += 1
            yield record
        else:
            others.add(own)
    if others and not kept:
        raise DataError(f"{path.name} has no row of split {split!r}; its column 'split' holds {_list(others)}.")


def _files_of_split(folder: Path, files: list[Path], split: str) -> list[Path]:
    """The folder's file for the split, or its parts (`test-00000-of-00002.parquet`)."""
    name = re.compile(rf"({'|'.join(map(re.escape, split_aliases(split)))})(-\d+-of-\d+)?", re.IGNORECASE)
    chosen = [file for file in files if is_data_file(file) and name.fullmatch(file.name.split(".")[0])]
    if not chosen:
        names = _list(file.name for file in files)
        raise DataError(f"{folder} has no file for split {split!r} ({', '.join(READERS)}, + .gz); found {names}.")
    return chosen


def _documents(files: list[Path]) -> Iterator[RawRecord]:
    for file in files:
        document = load_document(file)
        yield RawRecord(file.name, {"id": file.stem, "title": document.title, "document": document.text})


_KNOWN = frozenset(alias for aliases in SPLITS.values() for alias in aliases)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


__all__ = ["Source", "canonical_split", "open_path", "split_aliases"]
