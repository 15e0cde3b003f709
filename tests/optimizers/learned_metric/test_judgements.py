"""Judgements of people are read from a file, and what is wrong with a file is one line."""

import json
from pathlib import Path

import pytest

from summq.optimizers.learned_metric.judgements import read_judgements
from summq.programs.errors import DataError

LINE = {"doc_id": "a", "question": "What?", "system": "human", "summary": "It rains.", "scores": {"overall": 80}}


def write(folder: Path, *lines: object) -> Path:
    path = folder / "judged.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def test_answers_to_one_question_stand_together(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text(json.dumps({"id": "a", "document": "It rained all day."}))
    other = {**LINE, "system": "bart", "score": 20, "references": ["Rain."]}
    one, two = read_judgements(write(tmp_path, LINE, other, {**LINE, "question": "Why?"}))
    assert one.scores == (80, 20)
    assert [candidate.human for candidate in one.candidates.candidates] == [True, False]
    assert one.candidates.row.document.text == "It rained all day."
    assert one.candidates.row.id == two.candidates.row.id


@pytest.mark.parametrize("line", [{**LINE, "doc_id": "b"}, {"document": "x"}, {**LINE, "document": "x", "scores": {}}])
def test_what_a_line_lacks_is_said_with_its_number(tmp_path: Path, line: object) -> None:
    with pytest.raises(DataError, match="line 1") as caught:
        read_judgements(write(tmp_path, line))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl"):
        read_judgements(tmp_path / "nowhere.jsonl")
