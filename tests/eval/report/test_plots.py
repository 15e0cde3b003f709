"""Plots: what is drawn, what is left out, and names that fit."""

from pathlib import Path

import pytest

from summq.eval.archive import Point, SweepAxis
from summq.eval.report.names import short_names
from summq.eval.report.plots import draw_figures, write_plots
from summq.eval.report.results import Run
from summq.eval.run.sweeps import SWEEPS, sweep_axis
from summq.signatures import Usage
from tests.eval.runs import cells, config, outcome, planted

AGENTS = "summary_generators=5+summary_reviewers=5+quiz_generators=5+quiz_reviewers=5"


def test_names_say_the_options_in_short() -> None:
    named = {
        "direct": "direct",
        "summq-combo:max_iterations=2": "summq-combo iter 2",
        f"summq-combo:{AGENTS}": "summq-combo agents 5",
        "summq-solo:summary_reviewers=3": "summq-solo s-rev 3",
        "summq-combo:quiz_stream=false": "summq-combo no quiz",
        "summq-combo@hosted_vllm/qwen3:32b": "summq-combo @qwen3:32b",
    }
    assert short_names(named) == named


@pytest.mark.parametrize("sweep", [name for name in SWEEPS if name != "backbones"])
def test_names_of_a_sweep_are_short_and_no_two_alike(sweep: str) -> None:
    names = short_names([point.system for point in sweep_axis(sweep).points])
    assert len(set(names.values())) == len(names)
    assert max(map(len, names.values())) <= 25


def test_names_that_would_be_the_same_get_a_number() -> None:
    long = "x" * 60
    assert [name[-3:] for name in short_names([f"{long}a", f"{long}b"]).values()] == [" #1", " #2"]


@pytest.mark.slow
@pytest.mark.extra_plots
def test_what_is_0_everywhere_is_not_drawn() -> None:
    free = cells(*(outcome(name, "d0", 0.0, usage=Usage(cost=0.0)) for name in ("ours", "theirs")))
    settings = config("ours", "theirs", sweep=SweepAxis(name="x", label="x", points=[Point(x=1, system="ours")]))
    assert draw_figures(Run.of(Path(), settings, free)) == {}


@pytest.mark.slow
@pytest.mark.extra_plots
def test_quality_is_drawn_against_calls_where_the_cost_is_unknown() -> None:
    unknown = cells(*(outcome(name, "d0", 0.3, usage=Usage(calls=3, cost=None)) for name in ("ours", "theirs")))
    settings = config("ours", "theirs")
    figure = draw_figures(Run.of(Path(), settings, unknown))["tradeoff"]
    assert figure.axes[0].get_xlabel() == "calls for a document"


@pytest.mark.slow
@pytest.mark.extra_plots
def test_scores_and_sweeps_are_drawn_as_png_and_svg(tmp_path: Path) -> None:
    axis = SweepAxis(
        name="iterations", label="iterations at most", points=[Point(x=1, system="ours"), Point(x=2, system="theirs")]
    )
    settings = config("ours", "theirs", sweep=axis)
    (tmp_path / "config.json").write_text(settings.model_dump_json(by_alias=True))
    (tmp_path / "predictions.jsonl").write_text("".join(o.model_dump_json() + "\n" for o in planted().values()))
    written = write_plots(Run.read(tmp_path))
    assert {path.name for path in written} == {
        f"{name}.{kind}" for name in ("scores", "tradeoff", "sweep") for kind in ("png", "svg")
    }
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "sweep.svg").read_text()
