"""Data sets of the hub, or copies of them in a local folder, through `datasets`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from summq.eval.data.records import USUAL_COLUMNS, Columns, RawRecord
from summq.eval.data.sources import Source, canonical_split, split_aliases
from summq.programs.errors import DataError


@dataclass(frozen=True)
class Benchmark:
    """A data set on the hub. `merge` where a document has a row for each of its summaries."""

    path: str
    columns: Columns = USUAL_COLUMNS
    config: str | None = None
    revision: str | None = None
    merge: bool = False


BENCHMARKS = {
    # Movie scripts: one string a scene, and a plot from an encyclopedia.
    "mensa": Benchmark("rohitsaxena/MENSA", Columns(document="scenes", summary="summary", id="name")),
    # Chapters: a row for each study guide. The column `summary` holds the raw record: `summary_text` is the text.
    "booksum": Benchmark(
        "kmfoda/booksum",
        Columns(document="chapter", summary="summary_text", id="book_id", cluster="bid"),
        merge=True,
    ),
    # Whole books, with all their summaries in one row.
    "booksum_books": Benchmark(
        "ubaada/booksum-complete-cleaned",
        Columns(document="text", summary="summary", id="bid", cluster="bid"),
        config="books",
    ),
    # Government reports; there is no id column.
    "govreport": Benchmark("ccdv/govreport-summarization", Columns(document="report", summary="summary")),
}
_HUB_SPEC = re.compile(r"hub:(?P<path>[^:@]+)(:(?P<config>[^:@]+))?(@(?P<revision>[^:@]+))?")


def parse_hub_spec(spec: str) -> Benchmark | None:
    """The data set that `mensa` or `hub:OWNER/NAME[:CONFIG][@REVISION]` names; None if the spec is of no such form."""
    match = _HUB_SPEC.fullmatch(spec)
    if match is None:
        return BENCHMARKS.get(spec)
    return Benchmark(match["path"], config=match["config"], revision=match["revision"])


def recognised(source: Source) -> Source:
    """The source, read as the benchmark whose columns its first record has; as it is, if it has those of none."""
    first = next(source.records, None)
    if first is None:
        return source
    source = replace(source, records=chain([first], source.records))
    for benchmark in BENCHMARKS.values():
        names = {name for _, name in benchmark.columns if name}
        if len(names) > 2 and names <= set(first.values):  # a document and a summary are the usual columns of anything
            return replace(source, columns=benchmark.columns, merge=benchmark.merge)
    return source


def open_hub(spec: str, benchmark: Benchmark, split: str, data_dir: Path | None, streaming: bool) -> Source:
    """The split of a hub data set. `data_dir` is a folder with a copy of its files, read in place of the hub."""
    return Source(
        name=spec,
        split=canonical_split(split),
        records=_records(spec, benchmark, split, data_dir, streaming),
        columns=benchmark.columns,
        merge=benchmark.merge,
    )


def _records(
    spec: str, benchmark: Benchmark, split: str, data_dir: Path | None, streaming: bool
) -> Iterator[RawRecord]:
    import datasets

    path = str(data_dir or benchmark.path)
    place: dict[str, Any] = {} if data_dir else {"revision": benchmark.revision}
    try:
        names = datasets.get_dataset_split_names(path, benchmark.config, **place)
        name = _choose_split(spec, names, split)
        rows = datasets.load_dataset(path, benchmark.config, split=name, streaming=streaming, **place)
        for number, values in enumerate(rows, start=1):
            yield RawRecord(f"{spec} {name} row {number}", values)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        raise DataError(_explain(spec, path, error)) from error


def _choose_split(spec: str, names: list[str], split: str) -> str:
    for alias in split_aliases(split):
        if alias in names:
            return alias
    raise DataError(f"{spec} has no split {split!r}; it has {', '.join(names)}.")


def _explain(spec: str, path: str, error: Exception) -> str:
    """One line: what `datasets` said, and the way round it where there is one."""
    message = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    if isinstance(error, ConnectionError):
        return f"{spec}: {message}. Without a network, name a folder with a copy of its files (data_dir)."
    if "scripts are no longer supported" in message:
        return f"{spec}: {message}. Try its converted copy: hub:{path}@refs/convert/parquet."
    cause = f" ({str(error.__cause__).splitlines()[0]})" if error.__cause__ and str(error.__cause__) else ""
    return f"{spec} can't be loaded: {message}{cause}."


__all__ = ["BENCHMARKS", "open_hub", "parse_hub_spec"]
