"""The benchmarks load from files with the hub's columns, through the same code that reads the hub."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from summq.eval.data import load_rows
from summq.programs.errors import DataError

BOOKS_CARD = """---
configs:
- config_name: books
  data_files:
  - {split: validation, path: books/val.jsonl}
  - {split: test, path: books/test.jsonl}
- config_name: chapters
  data_files:
  - {split: test, path: chapters/test.jsonl}
---
"""

pytestmark = pytest.mark.slow  # imports `datasets`


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what `datasets` caches out of the user's folder."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def write_jsonl(path: Path, *records: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize("streaming", [False, True])
def test_mensa_joins_the_scenes(tmp_path: Path, streaming: bool) -> None:
    for name in ("train", "validation", "test"):
        write_jsonl(tmp_path / f"{name}.jsonl", {"name": name, "scenes": ["A", "B"], "labels": [0, 1], "summary": "S"})
    data = load_rows("mensa", "dev", data_dir=tmp_path, streaming=streaming)
    assert [(r.id, r.document.text, r.references) for r in data] == [("validation", "A\n\nB", ("S",))]
    assert data[0].meta["labels"] == [0, 1]


def booksum(folder: Path, split: str, rows: list[tuple[str, str, str, str]]) -> None:
    with (folder / f"{split}.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["bid", "book_id", "source", "chapter", "summary_text", "summary"])
        writer.writerows([(bid, book_id, "guide", text, short, '{"raw": 1}') for bid, book_id, text, short in rows])


def test_booksum_has_one_row_a_chapter_with_all_its_summaries(tmp_path: Path) -> None:
    rows = [
        ("1232", "The Prince.chapter x", "Chapter ten", "Guide one."),
        ("1232", "The Prince.chapter 10", "Chapter ten", "Guide two."),
        ("1232", "The Prince.chapter 11", "Chapter eleven", "Guide one."),
        ("1232", "The Prince.chapter 11", "Chapter eleven, cut otherwise", "Guide two."),
        ("1232", "The Prince.chapter 12", "", "No text."),
        ("1232", "The Prince.chapter 13", "Chapter thirteen", ""),
    ]
    for split in ("train", "dev", "test"):
        booksum(tmp_path, split, rows)
    data = load_rows("booksum", "validation", data_dir=tmp_path)
    assert [(row.id, row.references) for row in data] == [
        ("The Prince.chapter x", ("Guide one.", "Guide two.")),
        ("The Prince.chapter 11", ("Guide one.",)),
        ("The Prince.chapter 11#2", ("Guide two.",)),
    ]
    assert {row.cluster for row in data} == {"1232"}
    assert data.dropped == {"no document": 1, "no summary": 1}


@pytest.mark.parametrize("streaming", [False, True])
def test_whole_books_have_a_list_of_summaries(tmp_path: Path, streaming: bool) -> None:
    summaries = [{"source": "a", "text": "S1", "analysis": None}, {"source": "b", "text": "S2", "analysis": "x"}]
    book = {"bid": 7, "book_title": "T", "text": "A whole book", "summary": summaries}
    (tmp_path / "README.md").write_text(BOOKS_CARD)
    for name in ("books/val", "books/test", "chapters/test"):
        write_jsonl(tmp_path / f"{name}.jsonl", book)
    (row,) = load_rows("booksum_books", data_dir=tmp_path, streaming=streaming)
    assert (row.id, row.cluster, row.references, row.document.title) == ("7", "7", ("S1", "S2"), "T")
    with pytest.raises(DataError, match="'train'; it has validation, test"):
        load_rows("booksum_books", "train", data_dir=tmp_path)
    with pytest.raises(DataError, match="Available"):
        load_rows("hub:x/y:nope", data_dir=tmp_path)


def test_govreport_is_parquet_and_has_no_id(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "document").mkdir()
    table = pyarrow.Table.from_pylist([{"report": f"Report {n}", "summary": f"Summary {n}"} for n in (1, 2, 3)])
    parquet.write_table(table, tmp_path / "document" / "test-00000-of-00001.parquet")
    data = load_rows("govreport", data_dir=tmp_path, limit=2)
    assert [(row.id, row.references) for row in data] == [("test-1", ("Summary 1",)), ("test-2", ("Summary 2",))]


def test_any_hub_data_set_takes_a_column_mapping(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "test.jsonl", {"article": "Text", "highlights": "Short", "key": "k"})
    (row,) = load_rows("hub:owner/name", data_dir=tmp_path, id="key")
    assert (row.id, row.document.text, row.references) == ("k", "Text", ("Short",))
    with pytest.raises(DataError, match=r"hub:owner/name test row 1: no column 'body'. Columns found: article, highl"):
        load_rows("hub:owner/name", data_dir=tmp_path, document="body")


def test_what_the_hub_library_says_comes_back_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    def no_network(*args: object, **kwargs: object) -> None:
        raise ConnectionError("Couldn't reach 'rohitsaxena/MENSA' on the Hub\nmore")

    (tmp_path / "test.jsonl").write_text('{"scenes": ["a"], "summary": "s", "name": "m"}\n{broken\n')
    with pytest.raises(DataError, match="mensa can't be loaded: ") as caught:
        load_rows("mensa", data_dir=tmp_path)
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="mensa can't be loaded: Couldn't find any data file"):
        load_rows("mensa", data_dir=tmp_path / "absent")
    monkeypatch.setattr(datasets, "get_dataset_split_names", no_network)
    with pytest.raises(DataError, match="Without a network, name a folder"):
        load_rows("mensa")
