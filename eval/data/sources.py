"""Where records come from: a source is the stream of a split's records and how to read them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from summq.eval.data.files import READERS, SPLIT_NAMES, SPLITS, is_data_file, read_records
from summq.eval.data.records import USUAL_COLUMNS, Columns, RawRecord
from summq.programs.documents import load_document
from summq.programs.errors import DataError, DocumentError, did_you_mean

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
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    if {"dataset_dict.json", "dataset_info.json"} & {file.name for file in files if file.parent == path}:
        return Source(path.name, canonical_split(split or "test"), _saved(path, split or "test"))
    if not any(is_data_file(file) for file in files):
        documents = [file for file in files if file.parent == path]
        return Source(path.name, "all", _documents(documents), has_references=False)
    files_of_split = _files_of_split(path, files, split)
    records = (record for file in files_of_split for record in read_records(file))
    return Source(path.name, canonical_split(split or "test"), records)


def _of_split(path: Path, split: str | None) -> Iterator[RawRecord]:
    """A single file's records, less those whose own `split` column says that they belong to another split."""
    others = set()
    count = 0
    for record in read_records(path):
        own = record.values.get("split")
        if split is None or own not in SPLIT_NAMES or canonical_split(own) == canonical_split(split):
            count += 1
            yield record
        else:
            others.add(own)
    if others and not count:
        raise DataError(f"{path.name} has no row of split {split!r}; its column 'split' holds {_list(others)}.")


def _files_of_split(folder: Path, files: list[Path], split: str | None) -> list[Path]:
    """The folder's file for the split, or its parts: `test-00000-of-00002.parquet`, also in `data/`, or `test/*`.

    Parts that name no split (`part-00000.parquet`) are all taken where no split is asked for.
    """
    data = [file for file in files if is_data_file(file)]
    aliases = "|".join(map(re.escape, split_aliases(split or "test")))
    name = re.compile(rf"({aliases})([-_.]\d+(-of-\d+)?(-[0-9a-f]+)?)?", re.IGNORECASE)
    matching = [file for file in data if any(name.fullmatch(part) for part in _named_parts(file.relative_to(folder)))]
    if not matching and split is None and all(_PART.fullmatch(_stem(file)) for file in data):
        return data
    if not matching:
        split = split or "test"
        found = f"found {_list(file.name for file in files)}{did_you_mean(split, SPLITS) or '.'}"
        raise DataError(f"{folder} has no file for split {split!r} ({', '.join(READERS)}, + .gz); {found}")
    return matching


_PART = re.compile(r"(?:part|shard|data|chunk)?[-_]?\d+(?:-of-\d+)?(?:-[\w-]*)?", re.IGNORECASE)


def _named_parts(path: Path) -> list[str]:
    """What may name a split: the folders of a file (also `split=test`), and its name without suffixes."""
    return [*(part.rpartition("=")[2] for part in path.parts[:-1]), _stem(path)]


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _saved(folder: Path, split: str) -> Iterator[RawRecord]:
    """The records of a folder that `save_to_disk` of `datasets` wrote."""
    import datasets

    try:
        saved = datasets.load_from_disk(str(folder))
    except (OSError, ValueError, KeyError) as error:
        what = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise DataError(f"{folder} was written by save_to_disk, but can't be loaded: {what}.") from error
    if isinstance(saved, datasets.DatasetDict):
        name = next((alias for alias in split_aliases(split) if alias in saved), None)
        if name is None:
            raise DataError(f"{folder} has no split {split!r}; it has {_list(saved)}.")
        saved = saved[name]
    for number, values in enumerate(saved, start=1):
        yield RawRecord(f"{folder.name} row {number}", values)


def _documents(files: list[Path]) -> Iterator[RawRecord]:
    for file in files:
        try:
            document = load_document(file)
        except DocumentError as error:
            yield RawRecord(file.name, {"id": file.stem}, error=str(error))
        else:
            yield RawRecord(file.name, {"id": file.stem, "title": document.title, "document": document.text})


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


__all__ = ["Source", "canonical_split", "open_path", "split_aliases"]
