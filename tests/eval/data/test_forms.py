"""The forms in which `datasets`, pandas and people leave their data."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from summq.eval.data import load_rows
from summq.programs.errors import DataError
from tests.command import Ran
from tests.conftest import ROOT

ROWS = [{"id": str(n), "document": f"Long {n}.", "summary": f"Short {n}."} for n in range(3)]
CASES = ROOT.parent / "shared" / "cases"
with_cases = pytest.mark.skipif(not CASES.is_dir(), reason="no folder of cases beside the project")


def written(path: Path, content: Any) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


@pytest.mark.parametrize(
    "content",
    [
        ROWS,
        {"data": ROWS},
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        {name: {str(n): row[name] for n, row in enumerate(ROWS)} for name in ROWS[0]},
        "\n".join(json.dumps(row) for row in ROWS),
        {"version": "1", "data": {"test": ROWS}},
        {"train": ROWS[:1], "validation": ROWS[1:2], "test": ROWS[2:]},
        {row["id"]: row for row in ROWS},
        {"columns": list(ROWS[0]), "index": [0, 1, 2], "data": [list(row.values()) for row in ROWS]},
    ],
    ids=["records", "within data", "columns", "columns of pandas", "lines", "nested", "splits", "by id", "split"],
)
def test_json_is_read_in_every_orientation(content: Any, tmp_path: Path) -> None:
    rows = load_rows(written(tmp_path / "rows.json", content))
    assert [(row.id, row.document.text, row.references) for row in rows] == [
        (row["id"], row["document"], (row["summary"],)) for row in ROWS
    ]


def test_tab_separated_values(tmp_path: Path) -> None:
    (row,) = load_rows(written(tmp_path / "rows.tsv", "document\tsummary\nLong, a.\tShort a.\n"))
    assert (row.document.text, row.references) == ("Long, a.", ("Short a.",))


def test_a_split_is_taken_of_a_json_file_that_holds_several(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.json", {"train": ROWS[:1], "validation": ROWS[1:]})
    assert [row.id for row in load_rows(path, "dev")] == ["1", "2"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_as_spreadsheets_write_it(delimiter: str, encoding: str, tmp_path: Path) -> None:
    lines = ("id", "document", "summary"), ("1", '"Länger; a,\tb.\nMore."', "Kurz.")
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(map(delimiter.join, lines)), encoding)
    (row,) = load_rows(str(path))
    assert (row.id, row.document.text, row.references) == ("1", "Länger; a,\tb.\nMore.", ("Kurz.",))


@pytest.mark.parametrize(
    "name", ["data/test-00000-of-00001-abcdef0123.jsonl", "split=test/0.jsonl", "test_0.jsonl", "test/part-0.jsonl"]
)
def test_parts_of_a_split_are_found_by_the_names_that_tools_give(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(ROWS[0]))
    assert [row.id for row in load_rows(str(tmp_path), "test")] == ["0"]


@pytest.mark.parametrize("cell", ["""["One.", "Two."]""", "['One.', 'Two.']"], ids=["JSON", "Python"])
def test_a_list_in_a_cell_is_several_references(cell: str, tmp_path: Path) -> None:
    quoted = cell.replace('"', '""')
    (row,) = load_rows(written(tmp_path / "rows.csv", f'document,summaries\nLong.,"{quoted}"\n'))
    assert row.references == ("One.", "Two.")


def test_a_cell_in_brackets_is_text(tmp_path: Path) -> None:
    (row,) = load_rows(written(tmp_path / "rows.csv", "document,summary\n[Curtain. A quay.],[1]\n"))
    assert (row.document.text, row.references) == ("[Curtain. A quay.]", ("[1]",))


def test_nested_lists_are_paragraphs_of_sentences(tmp_path: Path) -> None:
    record = {"document": [["One.", "Two."], ["Three."]], "summaries": [["A.", "B."], "C."]}
    (row,) = load_rows(written(tmp_path / "rows.json", [record]))
    assert row.document.text == "One. Two.\n\nThree."
    assert row.references == ("A. B.", "C.")


def test_missing_values_are_dropped_and_counted(tmp_path: Path) -> None:
    lines = (
        '{"document": NaN, "summary": "x"}\n{"document": "Long.", "summary": NaN}\n{"document": "L.", "summary": "S."}'
    )
    rows = load_rows(written(tmp_path / "rows.jsonl", lines))
    assert len(rows) == 1
    assert rows.dropped == {"no document": 1, "no summary": 1}


@pytest.mark.parametrize(("given", "expected"), [(1.0, "1"), (7, "7"), (2.5, "2.5"), (True, "True"), (" a ", "a")])
def test_any_scalar_is_an_id(given: Any, expected: str, tmp_path: Path) -> None:
    (row,) = load_rows(written(tmp_path / "rows.json", [{"id": given, "document": "Long.", "summary": "S."}]))
    assert row.id == expected


def test_half_a_character_is_repaired(tmp_path: Path) -> None:
    (row,) = load_rows(written(tmp_path / "rows.json", [{"document": "Half \ud83d.", "summary": "S \ud83d."}]))
    assert (row.document.text, row.references) == ("Half \ufffd.", ("S \ufffd.",))


@pytest.mark.parametrize(
    "name", ["test-{}-of-2.jsonl", "data/test-{}-of-2.jsonl", "test/part-{}.jsonl", "part-{}.jsonl"]
)
def test_parts_of_a_split_are_read_in_order(name: str, tmp_path: Path) -> None:
    for part, row in enumerate(ROWS):
        path = tmp_path / name.format(f"0000{part}")
        path.parent.mkdir(exist_ok=True)
        written(path, row)
    assert [row.id for row in load_rows(str(tmp_path))] == ["0", "1", "2"]


@pytest.mark.slow
def test_what_save_to_disk_wrote_is_read(tmp_path: Path) -> None:
    import datasets

    test = datasets.Dataset.from_list(ROWS)
    test.save_to_disk(str(tmp_path / "one"))
    datasets.DatasetDict({"train": test, "test": test.select([2])}).save_to_disk(str(tmp_path / "two"))
    assert [row.id for row in load_rows(str(tmp_path / "one"))] == ["0", "1", "2"]
    assert [row.id for row in load_rows(str(tmp_path / "two"))] == ["2"]
    assert [row.id for row in load_rows(str(tmp_path / "two"), "train")] == ["0", "1", "2"]
    with pytest.raises(DataError, match="has no split 'dev'; it has test, train"):
        load_rows(str(tmp_path / "two"), "dev")


@pytest.mark.slow
def test_a_document_that_cannot_be_read_is_a_failed_row(summq: Any, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("The pier stands. It is old and it was built in 1901.")
    (folder / "b.bin").write_bytes(bytes(range(256)))
    ran: Ran = summq(
        *(
            "eval",
            "--data",
            folder,
            "--systems",
            "lead",
            "--metrics",
            "surface",
            "--words",
            10,
            "--out",
            tmp_path / "run",
        )
    )
    outcomes = [json.loads(line) for line in (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()]
    assert {outcome["id"]: outcome["error"] is None for outcome in outcomes} == {"a": True, "b": False}
    assert "Traceback" not in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_limit_reads_no_further(suffix: str, tmp_path: Path) -> None:
    text = "word " * 2_000
    lines = [f'{{"document": "{text}", "summary": "S."}}' if suffix == "jsonl" else f"{text},S." for _ in range(10_000)]
    path = written(tmp_path / f"rows.{suffix}", "\n".join([*(["document,summary"] if suffix == "csv" else []), *lines]))
    started = time.perf_counter()
    assert len(load_rows(path, limit=3)) == 3
    assert time.perf_counter() - started < 1


@with_cases
class TestCases:
    def test_study_guides_of_a_chapter_are_its_references(self) -> None:
        rows = load_rows(str(CASES / "data-booksum-csv" / "booksum.csv"))
        assert [len(row.references) for row in rows] == [2]
        assert not any("url" in reference for reference in rows[0].references)

    @pytest.mark.slow
    def test_files_that_were_misread(self) -> None:
        folder = CASES / "data-files-misread"
        assert [row.id for row in load_rows(str(folder / "floatid.jsonl"))] == ["1"]
        assert [len(row.references) for row in load_rows(str(folder / "list.csv"))] == [2]
        assert load_rows(str(folder / "nan.jsonl")).dropped == {"no document": 1}
        with pytest.raises(DataError, match=r"was written by save_to_disk, but can't be loaded"):
            load_rows(str(folder / "saved"))

    @pytest.mark.extra_docs
    def test_a_scan_among_documents_fails_alone(self) -> None:
        rows = load_rows(str(CASES / "data-files-misread" / "folder"))
        assert [bool(row.error) for row in rows] == [False, True]

    def test_half_characters_are_repaired(self) -> None:
        rows = load_rows(str(CASES / "lone-surrogate" / "rows.jsonl"))
        assert any("\ufffd" in row.document.text for row in rows)
