"""Local files and folders become rows; whatever is wrong with them is said in one line."""

import csv
import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from summq.eval.data import load_rows
from summq.eval.data.rows import StoredRows
from summq.programs.errors import ConfigError, DataError

RECORDS = [
    {"id": "a", "document": "Long a.", "summary": "Short a.", "title": "A"},
    {"id": "b", "document": "Long b, with “quotes”\nand lines.", "summary": "Short b.", "title": "B"},
    {"id": "c", "document": "Long c.", "summary": "Short c.", "title": "C"},
]


def write_jsonl(path: Path, records: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def write_csv(path: Path, records: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def write_parquet(path: Path, records: list[dict[str, str]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(records), path)
    return path


def zipped(path: Path) -> Path:
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    return target


@pytest.mark.slow
@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize(
    ("suffix", "write"), [(".jsonl", write_jsonl), (".csv", write_csv), (".parquet", write_parquet)]
)
def test_every_kind_of_file_gives_the_same_rows(
    tmp_path: Path, suffix: str, write: Callable[[Path, Any], Path], compress: bool
) -> None:
    path = write(tmp_path / f"data{suffix}", RECORDS)
    data = load_rows(str(zipped(path) if compress else path))
    assert [(row.id, row.document.text, row.references) for row in data] == [
        (record["id"], record["document"], (record["summary"],)) for record in RECORDS
    ]
    assert data[0].document.title == "A"
    assert data.data_hash == load_rows(str(write_jsonl(tmp_path / "same.jsonl", RECORDS))).data_hash


def test_a_cell_may_be_longer_than_pythons_csv_limit(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "long.csv", [{"document": "word " * 40_000, "summary": "s"}])
    assert len(load_rows(str(path))[0].document.text.split()) == 40_000


def test_columns_of_other_names_are_mapped(tmp_path: Path) -> None:
    record = {"body": ["one", "two"], "gold": ["s1", "", "s2"], "key": 7, "book": 3, "extra": 1}
    names = {"document": "body", "summary": "gold", "id": "key", "cluster": "book"}
    row = load_rows(str(write_jsonl(tmp_path / "d.jsonl", [record])), **names)[0]
    assert (row.id, row.document.text, row.references, row.cluster) == ("7", "one\n\ntwo", ("s1", "s2"), "3")
    assert row.meta["extra"] == 1


def test_summaries_are_preferred_to_the_one_summary(tmp_path: Path) -> None:
    records = [{"document": "d", "summary": "x", "summaries": ["x", "y"]}, {"document": "e", "summary": "z"}]
    data = load_rows(str(write_jsonl(tmp_path / "d.jsonl", records)))
    assert [row.references for row in data] == [("x", "y"), ("z",)]
    assert [row.id for row in data] == ["all-1", "all-2"]


def test_rows_of_one_document_are_merged_on_request(tmp_path: Path) -> None:
    records = [{"id": str(i), "document": "same", "summary": text} for i, text in enumerate(["x", "y", "x"])]
    data = load_rows(str(write_jsonl(tmp_path / "d.jsonl", records)), merge=True)
    assert [row.references for row in data] == [("x", "y")]


def test_empty_rows_are_dropped_and_counted(tmp_path: Path) -> None:
    records = [*RECORDS, {"id": "d", "document": " ", "summary": "s"}, {"id": "e", "document": "d", "summary": None}]
    data = load_rows(str(write_jsonl(tmp_path / "d.jsonl", records)))
    assert len(data) == 3
    assert data.dropped == {"no document": 1, "no summary": 1}


def test_references_can_be_optional(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "d.jsonl", [{"document": "d"}, {"document": "e", "summary": ""}])
    assert [row.references for row in load_rows(str(path), without_references=True)] == [(), ()]


def test_a_seed_shuffles_and_a_limit_takes_the_first_of_the_shuffled(tmp_path: Path) -> None:
    records = [{"id": str(i), "document": f"d{i}", "summary": "s"} for i in range(50)]
    path, reverse = write_jsonl(tmp_path / "d.jsonl", records), write_jsonl(tmp_path / "r.jsonl", records[::-1])
    everything = [row.id for row in load_rows(str(path), shuffle=1)]
    assert everything != [record["id"] for record in records]
    assert [row.id for row in load_rows(str(path), shuffle=1, limit=5)] == everything[:5]
    assert [row.id for row in load_rows(str(reverse), shuffle=1, limit=5)] == everything[:5]
    assert [row.id for row in load_rows(str(path), shuffle=2, limit=5)] != everything[:5]
    assert [row.id for row in load_rows(str(path), limit=2)] == ["0", "1"]


@pytest.mark.parametrize("alias", ["dev", "validation", "val"])
def test_a_folder_has_a_file_for_each_split(tmp_path: Path, alias: str) -> None:
    write_jsonl(tmp_path / "train.jsonl", RECORDS[:1])
    write_jsonl(tmp_path / "valid-00000-of-00002.jsonl", RECORDS[1:2])
    write_jsonl(tmp_path / "valid-00001-of-00002.jsonl", RECORDS[2:])
    data = load_rows(str(tmp_path), alias)
    assert ([row.id for row in data], data.split) == (["b", "c"], "dev")
    with pytest.raises(DataError, match=r"no file for split 'test'.*found train.jsonl, valid-00000-of-00002"):
        load_rows(str(tmp_path))


def test_the_split_column_of_a_single_file_is_respected(tmp_path: Path) -> None:
    records = [RECORDS[0] | {"split": "train"}, RECORDS[1] | {"split": "validation"}]
    path = write_jsonl(tmp_path / "d.jsonl", records)
    assert [row.id for row in load_rows(str(path), "dev")] == ["b"]
    assert len(load_rows(str(path))) == 2
    with pytest.raises(DataError, match="no row of split 'test'; its column 'split' holds train, validation"):
        load_rows(str(path), "test")


def test_a_folder_of_plain_documents_has_no_references(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("The first document. It is short.")
    (tmp_path / "two.md").write_text("# Two\n\nThe second document.")
    (tmp_path / ".hidden").write_text("x")
    data = load_rows(str(tmp_path))
    assert [(row.id, row.references) for row in data] == [("one", ()), ("two", ())]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"document": "d", "summary": "s"}', '{"docu'], "d.jsonl line 2 is not JSON"),
        (['["d", "s"]'], "d.jsonl line 1 must hold a JSON object with named columns, not list"),
        (['{"body": "d", "gold": "s"}'], r"no column for the document \(tried .*\)\. Columns found: body, gold"),
        (['{"document": "d", "gold": "s"}'], r"no column for the summary .*Columns found: document, gold"),
        (
            ['{"document": "d", "summary": "s"}', '{"document": 5, "summary": "s"}'],
            "line 2: column 'document' holds int",
        ),
        (['{"document": "d", "summary": ["s", 5]}'], "line 1: column 'summary' holds int, not text"),
        (['{"id": "1", "document": "d", "summary": "s"}', '{"id": 1, "document": "e", "summary": "s"}'], "the id '1'"),
        (['{"id": null, "document": "d", "summary": "s"}'], "column 'id' must hold a name or a number, not None"),
        (['{"document": "", "summary": "s"}'], r"no row to use in split 'all' \(1 with no document\)"),
        ([], "no record at all"),
    ],
)
def test_a_bad_file_is_explained_in_one_line(tmp_path: Path, lines: list[str], message: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(DataError, match=message) as caught:
        load_rows(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.csv", b'document,summary\nd,"s', "d.csv line 2 is not CSV"),
        ("d.csv", b"document,summary\nd,s,more\n", "d.csv line 2 has not as many cells as the 2 columns"),
        ("d.csv", b"document,summary\nd\n", "d.csv line 2 has not as many cells"),
        ("d.jsonl", b'{"document": "\xff"}', "d.jsonl is not UTF-8"),
        ("d.parquet", b"no parquet", "d.parquet is not a parquet file"),
        ("d.jsonl.gz", b"no gzip", "d.jsonl.gz can't be read"),
        ("d.xlsx", b"x", "d.xlsx is no file of records. Give mensa,"),
    ],
)
def test_a_file_of_the_wrong_kind_is_explained(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        load_rows(str(tmp_path / name))


def test_unknown_names_and_limits_are_refused() -> None:
    with pytest.raises(DataError, match="mesna names no data set and no file"):
        load_rows("mesna")
    with pytest.raises(ConfigError, match="limit must be 1 or more"):
        load_rows("mensa", limit=0)


def test_named_columns_that_are_missing_are_named(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "d.jsonl", RECORDS)
    for column in ("document", "summary", "id", "cluster"):
        with pytest.raises(DataError, match=r"no column 'x'\. Columns found: id, document, summary, title"):
            load_rows(str(path), **{column: "x"})


@pytest.mark.parametrize("options", [{}, {"shuffle": 3}, {"shuffle": 3, "limit": 7}, {"merge": True}])
def test_many_rows_wait_on_the_disk_and_are_the_same(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [{"id": f"r{k}", "document": f"Long {k // 2}.", "summary": f"Short {k}."} for k in range(20)]
    path = str(write_jsonl(tmp_path / "d.jsonl", records))
    within = load_rows(path, **options)
    monkeypatch.setattr("summq.eval.data.rows.IN_MEMORY", 10_000)
    beyond = load_rows(path, **options)
    assert isinstance(beyond.rows, StoredRows)
    assert list(beyond) == list(within.rows)
    assert (beyond.data_hash, beyond.ids) == (within.data_hash, [row.id for row in within])
    assert list(beyond.rows[2:5]) == list(within.rows[2:5])
