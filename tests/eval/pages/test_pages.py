"""Pages of evaluations: every number with its interval and pairs, hostile names and summaries as text, two runs."""

import json
import re
from pathlib import Path

import pytest

from summq.eval.archive import Cells, RunConfig
from summq.eval.pages.compared import changed_settings, compared_page
from summq.eval.pages.run import MOST_SHOWN, eval_page, read_judgements
from summq.eval.report.against import shared_systems
from summq.eval.report.results import Run, results_of
from summq.programs.errors import DataError
from tests.browser import opened
from tests.eval.runs import IDS, cells, config, outcome, planted
from tests.pages import HOSTILE, SHOWN, require_self_contained


@pytest.fixture(autouse=True)
def _without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes seconds; see the tests of plots."""
    monkeypatch.setattr("summq.eval.pages.run.can_plot", lambda: False)


def page_of(settings: RunConfig, run: Cells) -> str:
    return eval_page(run_of(settings, run))


def run_of(settings: RunConfig, run: Cells, name: str = "run") -> Run:
    return Run.of(Path(name), settings, run)


def data_of(page: str) -> dict[str, list[object]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, list[object]] = json.loads(found[1])
    return data


def test_a_mean_has_its_interval_and_a_difference_its_pairs() -> None:
    page = page_of(config("ours", "theirs"), planted())
    require_self_contained(page)
    assert '<td data-value="0.514" class="best">51.4<br><small>[' in page
    assert "10 pairs where a cell says nothing else" in page
    assert "◆ <bdi>ours</bdi>" in page
    assert "matplotlib is not installed" in page


def test_what_has_no_value_is_a_dash_and_what_failed_is_listed() -> None:
    run = cells(outcome("ours", "d0", None, summary=None, error="refused"), outcome("theirs", "d0", 0.4))
    page = page_of(config("ours", "theirs"), run)
    assert '<td data-value="">–</td>' in page
    assert "ours: no summary: refused (d0)" in page
    assert "Unfinished: 18 documents" in page


def test_hostile_names_and_summaries_are_text() -> None:
    settings = config(HOSTILE, "theirs", data=HOSTILE, ids=[HOSTILE])
    run = cells(*(outcome(name, HOSTILE, 0.4, summary=HOSTILE) for name in (HOSTILE, "theirs")))
    page = page_of(settings, run)
    require_self_contained(page)
    assert "<img" not in page
    assert "<script>alert" not in page
    assert SHOWN in page
    assert data_of(page)["ids"] == [HOSTILE.replace("\x1b", "␛").replace("\x00", "␀").replace("\u202e", "[RLO]")]


def test_the_best_is_the_lowest_where_high_is_worse() -> None:
    run = cells(
        outcome("ours", "d0", None, metrics={"not_found": 0.2}),
        outcome("theirs", "d0", None, metrics={"not_found": 0.1}),
    )
    results = results_of(config("ours", "theirs"), run)
    assert results.best(results.quality[0]) == 0.1


def test_two_runs_are_compared_by_what_they_share() -> None:
    before, after = planted(), planted(shift=0.3)
    one = run_of(config("ours", "theirs"), before)
    other = run_of(config("ours", "theirs", backbone="openai/gpt-4o"), after)
    page = compared_page(one, other)
    require_self_contained(page)
    assert shared_systems(one, other) == [("ours", "ours"), ("theirs", "theirs")]
    assert '<span class="bad">−20.0*</span>' in page  # theirs lost 0.2 on every document
    assert changed_settings(one.config, other.config) == {"backbone": ("offline", "openai/gpt-4o")}


def test_runs_without_a_system_of_one_name_are_compared_by_their_focus() -> None:
    one, other = run_of(config("ours"), cells(outcome("ours", "d0", 0.3))), planted()
    assert shared_systems(one, run_of(config("theirs"), other)) == [("ours", "theirs")]


def test_runs_without_a_document_in_common_are_an_error() -> None:
    elsewhere = run_of(config("ours", ids=["e1"]), cells(outcome("ours", "e1", 0.3)), "elsewhere")
    with pytest.raises(DataError, match="no document in common"):
        compared_page(run_of(config("ours"), planted()), elsewhere)


def test_a_damaged_judge_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "judge-1").mkdir()
    (tmp_path / "judge-1/judge.json").write_text("{")
    with pytest.raises(DataError, match="remove it or judge again"):
        read_judgements(tmp_path)


def test_every_document_and_system_is_in_the_data() -> None:
    data = data_of(page_of(config("ours", "theirs"), planted()))
    assert data["ids"] == IDS
    assert len(data["cells"]) == len(IDS)


def test_of_many_documents_the_first_are_on_the_page_which_says_so() -> None:
    ids = [f"d{number}" for number in range(MOST_SHOWN + 1)]
    page = page_of(config("ours", ids=ids), cells(*(outcome("ours", row_id, 0.5) for row_id in ids)))
    assert f"These are the first {MOST_SHOWN} of {MOST_SHOWN + 1} documents; predictions.jsonl has all." in page
    assert data_of(page)["ids"] == ids[:MOST_SHOWN]
    assert "These are the first" not in page_of(config("ours", "theirs"), planted())


@pytest.mark.slow
@pytest.mark.browser
def test_tables_sort_and_filter_and_documents_turn(tmp_path: Path) -> None:
    with opened(page_of(config("ours", "theirs"), planted()), tmp_path) as page:
        first = page.locator("tr.system >> nth=0").locator("th")
        page.click("th:has-text('ROUGE-1') >> nth=0 >> button")
        assert first.inner_text() == "◆ ours"
        page.click("th:has-text('ROUGE-1') >> nth=0 >> button")
        assert first.inner_text() == "theirs"
        page.fill("input[type=search]", "ours")
        assert page.locator("tr.system:visible th").all_inner_texts() == ["◆ ours"] * 2
        page.click("#next")
        assert page.locator("#status").text_content() == "2 summaries of d1"


@pytest.mark.slow
@pytest.mark.browser
def test_hostile_names_do_nothing_in_a_browser(tmp_path: Path) -> None:
    settings = config(HOSTILE, "theirs", data=HOSTILE, ids=[HOSTILE])
    run = cells(*(outcome(name, HOSTILE, 0.4, summary=HOSTILE) for name in (HOSTILE, "theirs")))
    with opened(page_of(settings, run), tmp_path) as page:
        assert page.locator("main img, main script").count() == 0
        assert page.locator("#summaries .text").first.inner_text().startswith("</script><script>alert(1)")


@pytest.mark.slow
@pytest.mark.browser
def test_two_runs_are_compared_in_a_browser(tmp_path: Path) -> None:
    one, other = run_of(config("ours", "theirs"), planted()), run_of(config("ours", "theirs"), planted(shift=0.3))
    with opened(compared_page(one, other), tmp_path) as page:
        page.click("th:has-text('ROUGE-1') >> nth=0 >> button")
        assert page.locator("tr.system >> nth=0").locator("th").inner_text() == "ours"
        page.click("#next")
        assert page.locator("#status").text_content() == "2 summaries of d1"
