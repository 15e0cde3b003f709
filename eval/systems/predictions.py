"""Summaries that were written elsewhere, for instance by fine-tuned models: a file of ids and summaries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from summq.eval.data import Dataset, Row
from summq.eval.data.files import READERS, is_data_file, read_records
from summq.eval.data.records import RawRecord
from summq.eval.systems.base import Identity, Written
from summq.programs.errors import DataError
from summq.signatures import fingerprint

SUMMARY_COLUMNS = ("summary", "prediction", "output")
SHOWN = 3


class Predictions:
    """The summaries of a file, as long as they are.

    Raises:
        DataError: The file has the wrong form, or not exactly one summary for each row.
    """

    def __init__(self, name: str, path: Path, dataset: Dataset) -> None:
        self.name = name
        self._summaries = read_predictions(path)
        _require_ids(path, self._summaries, dataset.ids)
        content = json.dumps(self._summaries, sort_keys=True)
        self.identity: Identity = {"spec": f"predictions:{path.name}", "summaries": fingerprint(content)}

    def summarize(self, row: Row, words: int) -> Written:
        """The summary in the file."""
        return Written(self._summaries[row.id])


def read_predictions(path: Path) -> dict[str, str]:
    """The summaries of a jsonl, csv or parquet file by the ids of their documents.

    Raises:
        DataError: One line that says what is wrong and where.
    """
    if not path.is_file() or not is_data_file(path):
        raise DataError(f"{path} is no file of predictions: name one that ends in {', '.join(READERS)} (+ .gz).")
    summaries: dict[str, str] = {}
    for record in read_records(path):
        row_id, summary = _row_id(record), _summary(record)
        if row_id in summaries:
            raise DataError(f"{record.where}: a second prediction for the id {row_id!r}.")
        summaries[row_id] = summary
    return summaries


def _require_ids(path: Path, ids: Mapping[str, str], wanted: Sequence[str]) -> None:
    known = set(wanted)
    missing = [row_id for row_id in wanted if row_id not in ids]
    extra = [row_id for row_id in ids if row_id not in known]
    problems = [
        f"{what} {len(those)} ({', '.join(those[:SHOWN])}{', ...' if len(those) > SHOWN else ''})"
        for what, those in (("lacks", missing), ("has besides", extra))
        if those
    ]
    if problems:
        raise DataError(f"{path.name} must have one prediction for each row; it {' and '.join(problems)}.")


def _row_id(record: RawRecord) -> str:
    value = record.values.get("id")
    if isinstance(value, str | int) and str(value).strip():
        return str(value).strip()
    raise DataError(f"{record.where}: needs the 'id' of a row. Columns found: {', '.join(record.values)}.")


def _summary(record: RawRecord) -> str:
    column = next((name for name in SUMMARY_COLUMNS if name in record.values), None)
    if column is None:
        wanted = ", ".join(SUMMARY_COLUMNS)
        raise DataError(f"{record.where}: no summary ({wanted}). Columns found: {', '.join(record.values)}.")
    value = record.values[column]
    if not isinstance(value, str):
        raise DataError(f"{record.where}: column {column!r} holds {type(value).__name__}, not text.")
    return value


__all__ = ["Predictions"]
