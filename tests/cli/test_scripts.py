"""Documents in other scripts, summarised and quizzed offline, or refused in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from summq.programs.text.words import can_segment
from tests.command import Ran
from tests.conftest import ROOT

Summq = Callable[..., Ran]
CASES = ROOT.parent / "shared" / "cases"
ONE_QUESTION = ("--preset", "solo", "--questions", "1/1/1")
with_cases = pytest.mark.skipif(not CASES.is_dir(), reason="no folder of cases beside the project")
RUSSIAN = """Комитет города купил старый мост в 1994 году. Инженер компании осмотрел мост зимой.
Рабочие города красили мост каждую весну. Жители требовали закрыть мост после аварии.
Компания обещала городу починить мост до лета. Городской совет проверил отчёт инженера.
"""


def test_a_text_without_sentence_marks_is_refused_in_one_line(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("so we went down to the harbour and then we saw the bridge " * 30)
    ran = summq("summarize", tmp_path / "talk.txt", "--words", 20, "--out", tmp_path / "run", *ONE_QUESTION)
    assert ran.status == 2
    (line,) = [line for line in ran.err.splitlines() if line.startswith("summq: ")]
    assert "offline finds no sentences in this text" in line
    assert "run again" not in line


def test_cyrillic_is_summarised(summq: Summq, tmp_path: Path) -> None:
    (tmp_path / "ru.txt").write_text(RUSSIAN)
    ran = summq("summarize", tmp_path / "ru.txt", "--words", 20, "--out", tmp_path / "run", *ONE_QUESTION)
    assert ran.status == 0
    assert "мост" in (tmp_path / "run" / "summary.md").read_text()


@with_cases
@pytest.mark.parametrize("case", ["offline-scripts/ar.txt", "regex-hang/protein.md"])
def test_cases_are_summarised(summq: Summq, tmp_path: Path, case: str) -> None:
    ran = summq("summarize", CASES / case, "--words", 20, "--out", tmp_path, *ONE_QUESTION)
    assert ran.status == 0, ran.err


@with_cases
@pytest.mark.skipif(not can_segment(), reason="extra `scripts` is not installed")
@pytest.mark.parametrize(("case", "words"), [("words-of-unspaced-scripts/zh.txt", 100), ("regex-hang/zh.txt", 30)])
def test_chinese_cases_are_summarised(summq: Summq, tmp_path: Path, case: str, words: int) -> None:
    ran = summq("summarize", CASES / case, "--words", words, "--out", tmp_path, *ONE_QUESTION)
    assert ran.status == 0, ran.err
