"""How far a judge agrees with people: the share of equal winners, and agreement beyond chance."""

import csv
from pathlib import Path

import pytest

from summq.eval.preference import Judgement, Pair, read_labels, write_sheets
from summq.eval.preference.judge import Winner
from summq.eval.preference.labels import agreement_with
from summq.programs.errors import DataError
from summq.signatures import Document


def judgement(row_id: str, winner: Winner | None, criterion: str = "coverage") -> Judgement:
    return Judgement(
        id=row_id, criterion=criterion, winner=winner, a_first=winner, b_first=winner, words_a=1, words_b=1
    )


def labels_file(folder: Path, *rows: tuple[str, str, str]) -> Path:
    path = folder / "labels.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "criterion", "winner"), *rows])
    return path


def test_the_share_of_equal_winners_counts_ties_and_leaves_out_what_is_unscored(tmp_path: Path) -> None:
    path = labels_file(
        tmp_path,
        ("1", "coverage", "ours"),
        ("2", "coverage", "tie"),
        ("3", "coverage", "b"),
        ("4", "coverage", "theirs"),
        ("1", "style", "ours"),
    )
    judged = [
        judgement("1", "a"),
        judgement("2", "tie"),
        judgement("3", "a"),
        judgement("4", None),
        judgement("5", "a"),
    ]
    (agreement,) = agreement_with(read_labels(path, "ours", "theirs"), judged)
    assert agreement.criterion == "coverage"
    assert agreement.same.mean == pytest.approx(2 / 3)
    assert (agreement.same.n, agreement.same.failed, agreement.alpha.n) == (3, 1, 3)


def test_a_judge_that_says_what_people_say_has_alpha_one(tmp_path: Path) -> None:
    path = labels_file(tmp_path, *((str(n), "coverage", "ab"[n % 2]) for n in range(6)))
    judged = [judgement(str(n), "a" if n % 2 == 0 else "b") for n in range(6)]
    (agreement,) = agreement_with(read_labels(path, "x", "y"), judged)
    assert agreement.alpha.mean == 1


def test_the_most_people_decide_and_a_draw_between_them_is_a_tie(tmp_path: Path) -> None:
    rows = [("1", "c", "a"), ("1", "c", "a"), ("1", "c", "b"), ("2", "c", "a"), ("2", "c", "b")]
    assert read_labels(labels_file(tmp_path, *rows), "x", "y") == {("1", "c"): "a", ("2", "c"): "tie"}


@pytest.mark.parametrize(("a", "b", "winner"), [("ours", "theirs", "a"), ("theirs", "ours", "b")])
def test_filled_sheets_of_a_study_are_labels(tmp_path: Path, a: str, b: str, winner: str) -> None:
    pair = Pair("d", Document(text="Lamps."), "Our text.", "Their text.")
    write_sheets(tmp_path, [pair], {"a": "ours", "b": "theirs"}, {"coverage": "what matters"}, judges=1)
    (row,) = csv.DictReader((tmp_path / "sheet-1.csv").open())
    row["coverage"] = "left" if row["left"] == "Our text." else "right"
    with (tmp_path / "answers-1.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    assert read_labels(tmp_path, a, b) == {("d", "coverage"): winner}
    with pytest.raises(DataError, match="is about ours and theirs"):
        read_labels(tmp_path, "ours", "others")


@pytest.mark.parametrize("row", [("1", "coverage", "perhaps")])
def test_what_is_no_label_is_one_line(tmp_path: Path, row: tuple[str, str, str]) -> None:
    with pytest.raises(DataError, match="winner is 'perhaps'; it must be x, y or tie"):
        read_labels(labels_file(tmp_path, row), "x", "y")
