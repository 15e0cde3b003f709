"""The page of a study: which trials are on the front, which is chosen, and why others have no value."""

from pathlib import Path

import optuna
import pytest

from summq.optimizers.tuning.page import kept_choice, study_page, write_study
from summq.optimizers.tuning.plots import importances
from summq.optimizers.tuning.study import ERROR
from tests.browser import opened
from tests.pages import HOSTILE, SHOWN, require_self_contained


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> optuna.Study:
    """Three finished trials, of which 0 and 2 are the front, and one that failed. Nothing is drawn."""
    monkeypatch.setattr("summq.optimizers.tuning.page.study_figures", lambda study, objectives: {})
    made = optuna.create_study(study_name=HOSTILE, directions=["maximize", "minimize"])
    made.set_user_attr("objectives", ["quality", "calls"])
    distribution = optuna.distributions.IntDistribution(1, 5)
    for values in ([0.30, 8.0], [0.29, 20.0], [0.40, 30.0]):
        made.add_trial(
            optuna.trial.create_trial(
                values=values, params={"agents": int(values[1]) // 8}, distributions={"agents": distribution}
            )
        )
    made.add_trial(optuna.trial.create_trial(state=optuna.trial.TrialState.FAIL, user_attrs={ERROR: HOSTILE}))
    return made


def test_front_choice_and_failures_are_told_apart(study: optuna.Study) -> None:
    page = study_page(study, {}, chosen=0)
    require_self_contained(page)
    rows = [row.partition("</th>")[0].rpartition(">")[2] for row in page.split('<th scope="row" data-value=')[1:]]
    assert rows == ["0 ● ◆", "1", "2 ●", "3"]
    assert f"fail: <bdi>{SHOWN}</bdi>" in page
    assert "<img" not in page


def test_without_a_choice_the_page_names_the_cheapest_of_the_best(study: optuna.Study, tmp_path: Path) -> None:
    write_study(study, tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<b>trial 2</b> <span>is the cheapest of the best on these rows</span>" in page


def test_a_study_without_a_finished_trial_has_a_page(study: optuna.Study) -> None:
    empty = optuna.create_study(study_name="new")
    empty.set_user_attr("objectives", ["quality"])
    assert "No trial is finished yet." in study_page(empty, {})


def test_equal_trials_say_nothing_about_importance() -> None:
    equal = optuna.create_study(directions=["maximize"])
    for agents in (1, 2, 3, 4):
        equal.add_trial(
            optuna.trial.create_trial(
                values=[0.5],
                params={"agents": agents},
                distributions={"agents": optuna.distributions.IntDistribution(1, 5)},
            )
        )
    assert importances(equal) == {}


def test_what_was_chosen_is_known_from_the_folder(study: optuna.Study, tmp_path: Path) -> None:
    assert kept_choice(study, tmp_path) is None
    (tmp_path / "chosen.toml").write_text("# trial 2 of the study summq\nmax_iterations = 1\n")
    assert kept_choice(study, tmp_path) == 2


@pytest.mark.slow
@pytest.mark.browser
def test_trials_sort_in_a_browser_and_errors_stay_text(study: optuna.Study, tmp_path: Path) -> None:
    with opened(study_page(study, {}), tmp_path) as page:
        numbers = page.locator("#trials + .scroll tbody th")
        page.click("th:has-text('quality') >> button")
        assert [text.split()[0] for text in numbers.all_inner_texts()] == ["2", "0", "1", "3"]
        page.click("th:has-text('quality') >> button")
        assert [text.split()[0] for text in numbers.all_inner_texts()] == ["1", "0", "2", "3"]
        assert page.locator("main img, main script").count() == 0
        assert "<script>alert(1)" in page.locator("td bdi").inner_text()


@pytest.mark.slow
@pytest.mark.browser
def test_pictures_stand_side_by_side_where_there_is_room(
    study: optuna.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='700' height='450'/%3E"
    monkeypatch.setattr("summq.optimizers.tuning.page.picture", lambda figure: picture)
    with opened(study_page(study, {"pareto": None, "history": None}), tmp_path) as page:
        left, right = (page.locator("figure").nth(place).bounding_box() for place in (0, 1))
        assert left["y"] == right["y"]
        assert left["width"] + right["width"] > 1100
