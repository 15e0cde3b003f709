"""Planted outcomes give the means, intervals, tests and tables that they have to give."""

import csv
import io
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from summq.eval.metrics import Column
from summq.eval.report import write_report
from summq.eval.report.latex import latex_table
from summq.eval.report.notes import REASONS_SHOWN, failure_lines
from summq.eval.report.published import ROWS, beside_published, published_rows
from summq.eval.report.results import Results, results_of
from summq.eval.report.sheet import Sheet
from summq.eval.report.tables import csv_table, markdown_report
from summq.eval.run.sweeps import SWEEPS, sweep_axis
from summq.eval.systems import make_systems
from summq.programs.errors import ConfigError, DataError
from summq.signatures import Usage
from tests.eval.rows import dataset
from tests.eval.runs import IDS, OURS, cells, config, outcome, planted


def test_means_differences_and_p_values_are_those_of_the_planted_scores() -> None:
    results = results_of(config("ours", "theirs"), planted())
    assert results.systems["ours"]["rouge1"].mean == pytest.approx(sum(OURS) / 10)
    (pair,) = results.comparisons
    assert (pair.a, pair.b, pair.metric, pair.n) == ("ours", "theirs", "rouge1", 10)
    assert pair.difference == pytest.approx(0.1)
    assert (pair.low, pair.high) == pytest.approx((0.1, 0.1))
    assert pair.p == pytest.approx(2 / 2**10)


def test_p_values_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = [
        value - shift
        for value, shift in zip(OURS, [0.03, -0.01, 0.02, 0.05, 0, 0.01, -0.02, 0.04, 0.02, 0.01], strict=True)
    ]
    run = cells(
        *(outcome("ours", i, v) for i, v in zip(IDS, OURS, strict=True)),
        *(outcome("theirs", i, v) for i, v in zip(IDS, theirs, strict=True)),
    )
    (pair,) = results_of(config("ours", "theirs"), run).comparisons
    exact = stats.permutation_test((OURS, theirs), lambda a, b: (a - b).mean(), permutation_type="samples")
    assert pair.p == pytest.approx(exact.pvalue)


def test_holm_corrects_over_the_systems_of_a_column() -> None:
    run = {**planted(), **cells(*(outcome("same", i, v) for i, v in zip(IDS, OURS, strict=True)))}
    results = results_of(config("ours", "theirs", "same"), run)
    adjusted = {pair.b: pair.p_holm for pair in results.comparisons}
    assert adjusted == {"theirs": pytest.approx(2 * 2 / 2**10), "same": 1.0}


def test_failures_unscored_and_unfinished_are_three_things() -> None:
    run = cells(
        outcome("ours", "d0", 0.5),
        outcome("ours", "d1", None, unscored={"rouge": "no reference"}),
        outcome("ours", "d2", None, summary=None, error="too dark"),
    )
    results = results_of(config("ours"), run)
    assert (results.systems["ours"]["rouge1"].n, results.systems["ours"]["rouge1"].failed) == (1, 2)
    assert (results.systems["ours"]["calls"].n, results.systems["ours"]["calls"].failed) == (2, 1)
    assert (results.failures, results.unfinished) == ({"ours": 1}, 7)


def test_calls_count_cached_replies_and_an_unknown_cost_is_no_zero() -> None:
    unknown = Usage(calls=2, cache_hits=1, cost=None)
    results = results_of(config("ours"), cells(outcome("ours", "d0", 0.5, usage=unknown)))
    assert results.systems["ours"]["calls"].mean == 3
    assert (results.systems["ours"]["cost"].mean, results.systems["ours"]["cost"].failed) == (None, 1)


def test_rows_of_one_source_are_resampled_together() -> None:
    books = {row_id: f"book {n // 2}" for n, row_id in enumerate(IDS)}
    values = [0.4, 0.4, 0.45, 0.45, 0.5, 0.5, 0.55, 0.55, 0.6, 0.6]
    apart = cells(*(outcome("ours", i, v) for i, v in zip(IDS, values, strict=True)))
    together = cells(*(outcome("ours", i, v, cluster=books[i]) for i, v in zip(IDS, values, strict=True)))
    narrow = results_of(config("ours"), apart).systems["ours"]["rouge1"]
    wide = results_of(config("ours"), together).systems["ours"]["rouge1"]
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.low < narrow.low - 0.02


def test_the_page_says_what_a_reader_has_to_know() -> None:
    run = {**planted(), **cells(outcome("theirs", "d9", None, summary=None, error="too dark"))}
    page = markdown_report(
        config("ours", "theirs"),
        results_of(config("ours", "theirs"), run),
        Sheet.of(config("ours", "theirs"), run).remarks,
    )
    assert "| ours | 10 | 51.4 [" in page
    assert "| theirs | 9 | " in page
    assert "## ours minus each other system" in page
    assert "| ROUGE-1 | theirs | 9 | +10.0* | [+10.0, +10.0] | 0.004 | 0.004 | ±0.0 |" in page
    assert "theirs: no summary: too dark (d9)" in page
    assert "rows dropped: 2 with no summary" in page
    assert "rouge: stemmer porter" in page


def test_few_documents_have_no_intervals_and_the_page_promises_none() -> None:
    few = cells(*(outcome("ours", row_id, 0.5, usage=Usage(calls=1, cache_hits=2)) for row_id in IDS[:3]))
    page = markdown_report(config("ours"), results_of(config("ours"), few), Sheet.of(config("ours"), few).remarks)
    assert "Means; no intervals below 5 documents, times 100." in page
    assert "calls of systems: 6 of 9 calls from the cache" in page


def test_the_csv_has_every_number_and_leaves_empty_what_there_is_not() -> None:
    results = results_of(config("ours"), cells(outcome("ours", "d0", None)))
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(csv_table(results)))}
    assert rows["rouge1"] == {
        "system": "ours",
        "metric": "rouge1",
        "mean": "",
        "low": "",
        "high": "",
        "n": "0",
        "failed": "1",
    }
    assert rows["cost"]["mean"] == "0.25"


def test_a_mean_that_stands_on_fewer_documents_says_on_how_many() -> None:
    run = cells(
        outcome("ours", "d0", 0.5, metrics={"rouge1": 0.5, "exam": 0.2}),
        outcome("ours", "d1", 0.5, metrics={"rouge1": 0.5, "exam": None}, unscored={"exam": "no quiz"}),
    )
    page = markdown_report(config("ours"), results_of(config("ours"), run), Sheet.of(config("ours"), run).remarks)
    assert "| ours | 2 | 50.0 | 20.0 (n=1) |" in page


def test_too_few_documents_have_no_p_and_the_page_says_why() -> None:
    run = {key: outcome for key, outcome in planted().items() if key[1] in IDS[:4]}
    page = markdown_report(
        config("ours", "theirs"),
        results_of(config("ours", "theirs"), run),
        Sheet.of(config("ours", "theirs"), run).remarks,
    )
    assert "| ROUGE-1 | theirs | 4 | +10.0 | – | – | – | none |" in page
    assert "Neither interval nor p: 4 of at least 5 independent documents." in page


def test_columns_have_the_scale_and_the_direction_that_their_metric_declares() -> None:
    declared = [Column(key="errors", heading="errors a page", factor=1, digits=2, better="lower", most=None)]
    run = {
        **cells(*(outcome("ours", i, None, metrics={"errors": 1.0}) for i in IDS)),
        **cells(*(outcome("theirs", i, None, metrics={"errors": 3.5}) for i in IDS)),
    }
    settings = config("ours", "theirs", columns=declared)
    results = results_of(settings, run)
    page = markdown_report(settings, results, Sheet.of(settings, run).remarks)
    assert "Higher is better, but for errors a page." in page
    assert "| ours | 10 | 1.00 [1.00, 1.00] |" in page
    assert [(pair.metric, pair.difference) for pair in results.comparisons] == [("errors", -2.5)]
    assert r"errors\\a\\page\,$\downarrow$" in latex_table(settings, results, ["errors"])
    assert r"\textbf{1.00}" in latex_table(settings, results, ["errors"])


def test_intervals_end_where_the_measure_does() -> None:
    run = cells(*(outcome("ours", i, v) for i, v in zip(IDS, [0.0, 0.0, 0.5, 1.0, 1.0], strict=False)))
    estimate = results_of(config("ours"), run).systems["ours"]["rouge1"]
    assert (estimate.low, estimate.high) == (0, 1)


def test_the_latex_table_has_short_names_the_best_bold_and_the_focus_last() -> None:
    run = {**planted(), **cells(*(outcome("a_b:x=1", i, 0.1) for i in IDS))}
    settings = config("ours", "theirs", "a_b:x=1")
    table = latex_table(settings, results_of(settings, run))
    lines = table.splitlines()
    assert r"a\_b x 1 & 10.0$^{\dagger}$ \\" in lines
    assert lines[-4:-2] == [r"ours & \textbf{51.4} \\", r"\bottomrule"]
    assert r"\label{tab:halls-dev}" in table
    assert "paired sign-flip permutation test, Holm correction" in table
    assert table.count(r"\begin") == table.count(r"\end") == 2
    assert r"R-1\,$\uparrow$" in table
    with pytest.raises(ConfigError, match="no column 'bleu': there are rouge1"):
        latex_table(settings, results_of(settings, run), ["bleu"])


def test_the_latex_table_sets_what_people_wrote_apart_and_never_bold() -> None:
    run = {**planted(), **cells(*(outcome("reference", i, 0.9) for i in IDS))}
    settings = config("ours", "theirs", "reference")
    settings = settings.model_copy(update={"systems": settings.systems | {"reference": {"spec": "reference"}}})
    table = latex_table(settings, results_of(settings, run))
    rows = [line.partition(" & ")[0] for line in table.splitlines() if " & " in line or "rule" in line]
    assert rows == [
        r"\toprule",
        "System",
        r"\midrule",
        "theirs",
        r"\midrule",
        "ours",
        r"\midrule",
        "reference",
        r"\bottomrule",
    ]
    assert r"ours & \textbf{51.4} \\" in table
    assert r"reference & 90.0" in table
    assert "Best system in bold." in table


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("options", ["", "[twocolumn]"])
def test_the_latex_table_is_as_wide_as_a_page_however_many_columns_it_has(options: str, tmp_path: Path) -> None:
    names = [*(f"ROUGE-{n}" for n in range(1, 8)), "BERTScore F1", "exam (copied sentences)", "faithful, last third"]
    declared = [Column(key=f"m{n}", heading=name, main=True) for n, name in enumerate(names)]
    systems = ["ours", "summq-combo:summary_generators=5+max_iterations=3@ollama_chat/qwen3:32b"]
    run = cells(*(outcome(s, i, None, metrics={c.key: 0.5 for c in declared}) for s in systems for i in IDS))
    settings = config(*systems, columns=declared)
    table = latex_table(settings, results_of(settings, run))
    (packages,) = re.findall(r"^% (.*)$", table, re.MULTILINE)
    head = rf"\documentclass{options}{{article}}{packages}\begin{{document}}"
    (tmp_path / "paper.tex").write_text(f"{head}\n{table}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "Overfull" not in told
    assert "exam: copied sentences." in table


def test_a_report_is_rebuilt_from_the_folder_alone(tmp_path: Path) -> None:
    settings = config("ours", "theirs", paper="mensa")
    (tmp_path / "config.json").write_text(settings.model_dump_json(by_alias=True))
    (tmp_path / "predictions.jsonl").write_text("".join(o.model_dump_json() + "\n" for o in planted().values()))
    assert write_report(tmp_path) == results_of(settings, planted())
    assert Results.model_validate_json((tmp_path / "metrics.json").read_text()) == write_report(tmp_path)
    assert "published" in (tmp_path / "table.md").read_text()


def test_a_folder_that_is_no_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be read"):
        write_report(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="not the configuration of an evaluation"):
        write_report(tmp_path)


def test_published_rows_are_labelled_and_stand_beside_what_was_measured() -> None:
    run = cells(*(outcome("summq-combo", i, v) for i, v in zip(IDS, OURS, strict=True)))
    lines = beside_published("mensa", results_of(config("summq-combo"), run)).splitlines()
    (published,) = (n for n, line in enumerate(lines) if line.startswith("| SummQ COMBO |"))
    assert lines[published] == "| SummQ COMBO | published | 41.58 | 10.96–11.08 | 18.24 | 62.76 |"
    assert lines[published + 1].startswith("| summq-combo | **measured** | 51.4 [")
    with pytest.raises(ConfigError, match="nothing is published about 'cnn'"):
        published_rows("cnn")


def test_every_published_row_that_names_a_system_names_one_that_can_be_made() -> None:
    specs = {row.system for rows in ROWS.values() for row in rows if row.system}
    assert len(make_systems(sorted(specs), dataset())) == len(specs)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SWEEPS if name != "backbones"])
def test_every_point_of_a_sweep_is_a_system_that_can_be_made(name: str) -> None:
    axis = sweep_axis(name, "summq-solo:debate_rounds=0" if name in ("iterations", "agents") else "summq-combo")
    systems = make_systems([point.system for point in axis.points], dataset())
    assert len({str(system.identity["program"]) for system in systems}) == len(axis.points)


def test_sweeps_have_the_points_of_the_paper() -> None:
    assert [point.x for point in sweep_axis("iterations").points] == [1, 2, 3, 4, 5]
    assert [point.x for point in sweep_axis("agents").points] == [1, 2, 3, 4, 5]
    assert [point.x for point in sweep_axis("questions").points] == [5, 10, 30]
    assert len(sweep_axis("component").points) == 6
    assert [p.system for p in sweep_axis("backbones", "direct", ["a/b", "c/d"]).points] == ["direct@a/b", "direct@c/d"]


def test_a_sweep_that_there_is_not_is_one_line() -> None:
    with pytest.raises(ConfigError, match="unknown sweep 'depth': there are quiz, component"):
        sweep_axis("depth")
    with pytest.raises(ConfigError, match="needs backbones"):
        sweep_axis("backbones")


def test_points_of_a_sweep_stand_beside_the_published_ones() -> None:
    axis = sweep_axis("agents", "summq-combo")
    names = [point.system for point in axis.points]
    run = cells(*(outcome(name, i, v) for name in names for i, v in zip(IDS, OURS, strict=True)))
    lines = beside_published("mensa", results_of(config(*names), run), axis).splitlines()
    beside = {one.split(" | ")[0][2:]: two.split(" | ")[0][2:] for one, two in pairwise(lines) if "**measured" in two}
    assert beside == {"SummQ SOLO": names[0], "SummQ COMBO": names[2], "5 agents": names[4]}
    axis = sweep_axis("backbones", "summq-combo", ["openai/gpt-4.1", "openai/o9"])
    names = [point.system for point in axis.points]
    run = cells(*(outcome(name, i, v) for name in names for i, v in zip(IDS, OURS, strict=True)))
    shown = beside_published("mensa", results_of(config(*names), run), axis)
    assert "summq-combo@openai/gpt-4.1 | **measured**" in shown
    assert "o9" not in shown
    assert "USD 14.45" in shown


def test_a_sweep_over_components_varies_its_base() -> None:
    points = {p.x: p.system for p in sweep_axis("component", "summq-combo:max_iterations=1").points}
    assert all(system.startswith("summq-combo:max_iterations=1") for system in points.values())
    assert points["three quiz reviewers"].endswith("quiz_generators=1+quiz_reviewers=3")


def test_of_many_reasons_the_first_are_listed_and_the_others_counted() -> None:
    ids = [f"d{number}" for number in range(REASONS_SHOWN + 7)]
    run = cells(*(outcome("ours", i, None, summary=None, error=f"reason {i}") for i in ids))
    lines = failure_lines(Sheet.of(config("ours", ids=ids), run).remarks)[1].splitlines()
    assert lines[0] == "- ours: no summary: reason d0 (d0)"
    assert lines[REASONS_SHOWN:] == ["- and 7 more reasons, which predictions.jsonl has"]
