"""From raw records to rows: which columns hold what, and what a record must look like."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from summq.eval.data.rows import Row, kept_rows
from summq.programs.errors import DataError, did_you_mean
from summq.programs.text.cleaning import without_surrogates
from summq.signatures import Document

DOCUMENT_COLUMNS = ("document", "text", "report", "chapter", "article", "scenes", "script", "transcript")
SUMMARY_COLUMNS = ("summaries", "references", "summary", "reference", "summary_text", "highlights", "abstract")
TITLE_COLUMNS = ("title", "book_title", "name")


class Columns(BaseModel):
    """Which columns of a record hold what. Where none is named, the usual names are tried.

    A document may be a string or a list of strings (scenes). Summaries may be a string, a list of strings, or a list of
    records with a `text`. Without an id column a row is named by its split and number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str | None = Field(default=None, description="The column with the document.")
    summary: str | None = Field(default=None, description="The column with one or several summaries.")
    id: str | None = Field(default=None, description="The column that names a row.")
    cluster: str | None = Field(
        default=None, description="The column that names the source that rows share, as a book."
    )


USUAL_COLUMNS = Columns()


class RawRecord(NamedTuple):
    """One raw record and where it stands, as an error message would say it."""

    where: str
    values: Mapping[str, Any]
    error: str = ""  # why the document of the record can't be read


class RecordReader:
    """Turns records into rows, and counts in `dropped` those without a document or a reference."""

    def __init__(self, columns: Columns, split: str, require_references: bool) -> None:
        self.columns = columns
        self.split = split
        self.require_references = require_references
        self.dropped: Counter[str] = Counter()

    def rows(self, records: Iterable[RawRecord]) -> Iterator[Row]:
        """The usable rows in order. Raises `DataError` for a record of the wrong form."""
        for number, record in enumerate(records, start=1):
            if record.error:
                yield Row(id=_label(record, "id", None) or record.where, document=Document(text=""), error=record.error)
                continue
            document = _text(record, _find_column(record, "document", self.columns.document, DOCUMENT_COLUMNS))
            references = self._references(record)
            if not document.strip():
                self.dropped["no document"] += 1
            elif self.require_references and not references:
                self.dropped["no summary"] += 1
            else:
                yield self._row(number, record, document, references)

    def _row(self, number: int, record: RawRecord, document: str, references: tuple[str, ...]) -> Row:
        row_id = _label(record, "id", self.columns.id) or f"{self.split}-{number}"
        title = next((v for name in TITLE_COLUMNS if not _is_missing(v := record.values.get(name))), "")
        return Row(
            id=row_id,
            document=Document(id=row_id, title=without_surrogates(str(title)), text=document),
            references=references,
            cluster=_label(record, "cluster", self.columns.cluster),
            meta=self._meta(record),
        )

    def _references(self, record: RawRecord) -> tuple[str, ...]:
        """The summaries of the first column that holds any; none if that is allowed."""
        named = self.columns.summary
        present = [name for name in _names(named, SUMMARY_COLUMNS) if name in record.values]
        if not present and (named or self.require_references):
            _find_column(record, "summary", named, SUMMARY_COLUMNS)
        by_column = (_texts(record, name) for name in present)
        return next((texts for texts in by_column if texts), ())

    def _meta(self, record: RawRecord) -> Mapping[str, Any]:
        used = {self.columns.document, self.columns.summary, *DOCUMENT_COLUMNS, *SUMMARY_COLUMNS}
        return {name: value for name, value in record.values.items() if name not in used}


def merge_by_document(rows: Iterable[Row]) -> Iterator[Row]:
    """One row for each document of a cluster, with all the references that were written for it.

    BookSum has a row for each study guide's summary of a chapter; scored row by row a chapter would count several
    times. Two different documents under one id (guides cut some chapters differently) get ids of their own.
    """
    stored = kept_rows(rows)
    groups: dict[tuple[str | None, str], list[int]] = {}
    for place, row in enumerate(stored):
        groups.setdefault((row.cluster, row.document.key), []).append(place)
    seen: Counter[str] = Counter()
    for places in groups.values():
        first, *others = map(stored.__getitem__, places)
        seen[first.id] += 1
        row_id = first.id if seen[first.id] == 1 else f"{first.id}#{seen[first.id]}"
        references = dict.fromkeys(text for row in (first, *others) for text in row.references)
        document = first.document.model_copy(update={"id": row_id})
        yield Row(row_id, document, tuple(references), first.cluster, first.meta)


def _text(record: RawRecord, column: str) -> str:
    """The text of a column; parts are joined by blank lines, parts of parts by spaces; nothing is an empty text."""
    value = record.values[column]
    parts = value if isinstance(value, list) else [value]
    return "\n\n".join(filter(None, (_joined(record, column, part) for part in parts)))


def _joined(record: RawRecord, column: str, value: Any) -> str:
    """A text, or texts within each other (sentences of a paragraph) in one line."""
    if isinstance(value, dict):
        value = value.get("text")
    if isinstance(value, list):
        return " ".join(filter(None, (_joined(record, column, item) for item in value)))
    if _is_missing(value):
        return ""
    if isinstance(value, str):
        return without_surrogates(value)
    raise DataError(f"{record.where}: column {column!r} holds {type(value).__name__}, not text.")


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty: null, or what pandas writes for it (NaN)."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _texts(record: RawRecord, column: str) -> tuple[str, ...]:
    """The texts of a column that holds one or several; empty ones are left out."""
    value = record.values[column]
    texts = (_joined(record, column, item) for item in (value if isinstance(value, list) else [value]))
    return tuple(text for text in texts if text.strip())


def _label(record: RawRecord, role: str, named: str | None) -> str | None:
    """The record's id or cluster as a string; None if no column was named and the usual one is not there."""
    if not named and role not in record.values:
        return None
    value = record.values[_find_column(record, role, named, (role,))]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not _is_missing(value) and not isinstance(value, list | dict) and str(value).strip():
        return without_surrogates(str(value).strip())
    raise DataError(f"{record.where}: column {named or role!r} must hold a name or a number, not {value!r}.")


def _find_column(record: RawRecord, role: str, named: str | None, usual: tuple[str, ...]) -> str:
    """The column that plays `role`. Raises `DataError` with the columns there are when none does."""
    for name in _names(named, usual):
        if name in record.values:
            return name
    wanted = f"{named!r}" if named else f"for the {role} (tried {', '.join(usual)})"
    found = ", ".join(record.values) or "none"
    meant = did_you_mean(named, record.values) if named else ""
    raise DataError(
        f"{record.where}: no column {wanted}. Columns found: {found}; name one with --{role}-column{meant or '.'}"
    )


def _names(named: str | None, usual: tuple[str, ...]) -> tuple[str, ...]:
    return (named,) if named else usual


__all__ = ["USUAL_COLUMNS", "Columns", "RawRecord", "RecordReader", "merge_by_document"]
