"""Blinded sheets go out, filled ones come in: who won, and how far the judges agree."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from summq.eval.preference import (
    Key,
    Pair,
    criteria_of,
    human_verdicts,
    read_answers,
    read_key,
    write_sheets,
    write_study,
)
from summq.programs.errors import DataError
from summq.signatures import Document

SYSTEMS = {"a": "summq-combo", "b": "direct"}
CRITERIA = criteria_of(["coverage", "coherence"])
Vote = Callable[[int, dict[str, str]], str]


def pairs(number: int = 6) -> list[Pair]:
    return [
        Pair(f"d{n}", Document(text=f"Document {n}."), f"By combo, {n}.", f"By direct, {n}.") for n in range(number)
    ]


def study(folder: Path, judges: int = 3) -> Key:
    write_sheets(folder, pairs(), SYSTEMS, CRITERIA, judges=judges, seed=5)  # type: ignore[arg-type]
    return read_key(folder)


def filled(folder: Path, vote: Vote, judges: int = 3) -> list[Path]:
    """The csv sheets with every criterion filled in by `vote`."""
    files = []
    for sheet in range(1, judges + 1):
        with (folder / f"sheet-{sheet}.csv").open(newline="") as source:
            rows = [{**row, **dict.fromkeys(CRITERIA, vote(sheet, row))} for row in csv.DictReader(source)]
        files.append(folder / f"filled-{sheet}.csv")
        with files[-1].open("w", newline="") as target:
            writer = csv.DictWriter(target, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return files


def for_combo(sheet: int, row: dict[str, str]) -> str:
    return "left" if "combo" in row["left"] else "right"


def test_nothing_on_a_sheet_says_whose_summary_it_is(tmp_path: Path) -> None:
    study(tmp_path)
    for sheet in tmp_path.glob("sheet-*"):
        text = sheet.read_text()
        assert "summq-combo" not in text
        assert '"direct"' not in text
        assert '"d0"' not in text


def test_judges_get_all_pairs_in_orders_and_on_sides_of_their_own(tmp_path: Path) -> None:
    key = study(tmp_path)
    by_sheet = [[place.id for place in key.places if place.sheet == sheet] for sheet in (1, 2, 3)]
    assert all(sorted(ids) == [f"d{n}" for n in range(6)] for ids in by_sheet)
    assert len({tuple(ids) for ids in by_sheet}) == 3
    for sheet in (1, 2, 3):
        assert Counter(place.left for place in key.places if place.sheet == sheet) == {"a": 3, "b": 3}
    assert study(tmp_path) == key


def test_filled_sheets_give_back_who_won(tmp_path: Path) -> None:
    key = study(tmp_path)
    for verdict in human_verdicts(read_answers(filled(tmp_path, for_combo), key), key):
        assert (verdict.wins, verdict.ties, verdict.losses, verdict.unanswered) == (18, 0, 0, 0)
        assert verdict.win_rate.mean == 1.0
        assert verdict.p == pytest.approx(2 / 2**6)
        assert verdict.alpha.mean is None


def test_judges_who_always_say_left_favour_nobody_and_do_not_agree(tmp_path: Path) -> None:
    key = study(tmp_path)
    verdict = human_verdicts(read_answers(filled(tmp_path, lambda sheet, row: "left"), key), key)[0]
    assert verdict.win_rate.mean == 0.5
    assert verdict.alpha.mean is not None
    assert verdict.alpha.mean < 0


def test_a_planted_disagreement_has_its_known_alpha(tmp_path: Path) -> None:
    """Two judges, six pairs; they agree on d0..d2 for combo, on d3 and d4 for direct, and disagree on d5."""
    key = study(tmp_path, judges=2)

    def vote(sheet: int, row: dict[str, str]) -> str:
        number = int(re.findall(r"\d", row["left"])[0])
        combo = number < 3 or (number == 5 and sheet == 1)
        return for_combo(sheet, row) if combo else {"left": "right", "right": "left"}[for_combo(sheet, row)]

    verdict = human_verdicts(read_answers(filled(tmp_path, vote, judges=2), key), key)[0]
    # 7 votes for combo, 5 for direct: expected disagreement 2 * 7 * 5 / 11, observed 2.
    assert verdict.alpha.mean == pytest.approx(1 - 2 / (2 * 7 * 5 / 11))
    assert verdict.alpha.n == 6


def test_what_was_left_empty_is_unanswered_and_no_tie(tmp_path: Path) -> None:
    key = study(tmp_path)
    answers = read_answers(filled(tmp_path, lambda sheet, row: "" if sheet == 1 else " Tie "), key)
    verdict = human_verdicts(answers, key)[0]
    assert (verdict.ties, verdict.unanswered, verdict.win_rate.mean) == (12, 6, 0.5)


def test_the_page_holds_the_items_as_data_that_no_text_can_break_out_of(tmp_path: Path) -> None:
    evil = Pair("d0", Document(text="</script><script>alert(1)</script>"), "<b>bold</b>", "plain")
    (page,) = write_sheets(tmp_path, [evil], SYSTEMS, CRITERIA, judges=1)  # type: ignore[arg-type]
    text = page.read_text()
    assert text.count("<script") == text.count("</script>") == 1
    data = json.loads(re.findall(r"^const data = (.*);$", text, re.MULTILINE)[0])
    assert {data["items"][0]["left"], data["items"][0]["right"]} == {"<b>bold</b>", "plain"}
    assert list(data["documents"].values()) == ["</script><script>alert(1)</script>"]
    assert not re.search(r"(?:src|href)=|https?://", text)


def test_what_the_page_hands_out_is_read_as_well(tmp_path: Path) -> None:
    key = study(tmp_path, judges=1)
    answers = tmp_path / "answers-1.csv"
    lines = [f'"1","{n}","left","tie","no comment"' for n in range(1, 7)]
    answers.write_text("\n".join(['"sheet","item","coverage","coherence","comment"', *lines]) + "\n")
    coverage, coherence = human_verdicts(read_answers([answers], key), key)
    assert coverage.wins + coverage.losses == 6
    assert coherence.ties == 6


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1,1,both,tie", "line 2: coverage is 'both'; it must be left, right, tie or empty"),
        ("9,1,left,tie", "line 2: there is no item 1 on sheet 9"),
        ("one,1,left,tie", "line 2: needs the numbers 'sheet' and 'item'"),
        ("1,1,left,tie\n1,1,left,tie", "line 3: item 1 of sheet 1 is in filled.csv line 2 already"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    key = study(tmp_path)
    file = tmp_path / "filled.csv"
    file.write_text(f"sheet,item,coverage,coherence\n{line}\n")
    with pytest.raises(DataError) as error:
        read_answers([file], key)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_without_a_criterion_and_a_folder_without_a_key_are_one_line(tmp_path: Path) -> None:
    key = study(tmp_path)
    file = tmp_path / "filled.csv"
    file.write_text("sheet,item,coverage\n1,1,left\n")
    with pytest.raises(DataError, match="no column 'coherence'"):
        read_answers([file], key)
    with pytest.raises(DataError, match="name the folder of a study"):
        read_key(tmp_path / "nowhere")


def test_the_study_is_written_down(tmp_path: Path) -> None:
    key = study(tmp_path)
    page = write_study(tmp_path, key, human_verdicts(read_answers(filled(tmp_path, for_combo), key), key))
    assert page.startswith("# summq-combo against direct, judged by people")
    assert "| coverage | 18 | 100 % [100, 100] | 0.031 | 18 | 0 | 0 | 0 | – (6 pairs) |" in page
    assert json.loads((tmp_path / "human.json").read_text())[0]["wins"] == 18


def test_a_summary_that_begins_like_a_formula_is_none_in_a_sheet(tmp_path: Path) -> None:
    hostile = [Pair("d", Document(text="Document."), "=HYPERLINK(1)", "@SUM(1)")]
    write_sheets(tmp_path, hostile, SYSTEMS, CRITERIA, judges=1)  # type: ignore[arg-type]
    (item,) = csv.DictReader((tmp_path / "sheet-1.csv").open())
    assert {item["left"], item["right"]} == {"'=HYPERLINK(1)", "'@SUM(1)"}
