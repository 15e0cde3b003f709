"""A run keeps what is done, says what failed, and continues where it was cut off."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from dspy.lm15 import AuthError, RateLimitError

from summq.eval.archive import read_outcomes
from summq.eval.data import Dataset, Row
from summq.eval.metrics import Column, Score
from summq.eval.run.plan import EvalPlan
from summq.eval.run.progress import EvalProgress
from summq.eval.run.runner import evaluate
from summq.eval.systems import make_systems
from summq.eval.systems.people import Reference
from summq.programs.errors import BackboneError, BudgetSpent, ConfigError, DataError, DocumentError
from tests.eval.rows import Fixed, Letters, dataset, row
from tests.planted import planted


def plan(*systems: Fixed, data: Dataset | None = None) -> EvalPlan:
    return EvalPlan(data or dataset(), systems or (Fixed(),), [Letters()])


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]


def test_every_document_is_a_line_with_the_documented_fields(tmp_path: Path) -> None:
    evaluate(plan(), tmp_path)
    assert {line["id"] for line in lines(tmp_path)} == {"a", "b", "c"}
    for line in lines(tmp_path):
        assert line.keys() >= {"id", "system", "summary", "metrics", "usage", "error"}
        assert line["metrics"] == {"letters": len("fixed on a")}
    assert {"config.json", "metrics.json", "table.md", "table.csv", "table.tex"} <= {p.name for p in tmp_path.iterdir()}


def test_metrics_json_has_the_documented_shape(tmp_path: Path) -> None:
    evaluate(plan(Fixed("one"), Fixed("other")), tmp_path)
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics["systems"]["one"]["letters"].keys() >= {"mean", "low", "high", "n", "failed"}


def test_what_is_finished_is_not_run_again(tmp_path: Path) -> None:
    evaluate(plan(), tmp_path)
    table = (tmp_path / "table.md").read_text()
    again = Fixed()
    evaluate(plan(again), tmp_path)
    assert again.asked == []
    assert (tmp_path / "table.md").read_text() == table


class Vowels(Letters):
    """Another metric of the same kind."""

    name = "vowels"
    columns = (Column(key="vowels", heading="vowels", factor=1, better=None, most=None),)

    def score(self, prediction: str, row: Row) -> Score:
        return Score({"vowels": float(sum(letter in "aeiou" for letter in prediction))})


def test_further_metrics_score_what_is_there_and_keep_what_was_scored(tmp_path: Path) -> None:
    evaluate(plan(), tmp_path)
    again = Fixed()
    results = evaluate(replace(plan(again), metrics=[Vowels()]), tmp_path)
    assert again.asked == []
    assert results.systems["fixed"]["vowels"].mean == pytest.approx(10 / 3)  # "fixed on a" has 4, the others 3
    assert {key: results.systems["fixed"][key].n for key in ("letters", "vowels")} == {"letters": 3, "vowels": 3}
    assert len({line["id"] for line in lines(tmp_path)}) == 3


class Choosy(Letters):
    """A metric that can't be had of one of the documents."""

    def score(self, prediction: str, row: Row) -> Score:
        if row.id == "b":
            raise DocumentError("no sentences in this text")
        return super().score(prediction, row)


def test_a_document_of_which_a_metric_cant_be_had_is_unscored_and_the_others_go_on(tmp_path: Path) -> None:
    results = evaluate(replace(plan(), metrics=[Choosy()]), tmp_path)
    assert (results.systems["fixed"]["letters"].n, results.systems["fixed"]["letters"].failed) == (2, 1)
    assert "letters unscored: no sentences in this text (b)" in (tmp_path / "table.md").read_text()


def test_a_metric_with_other_settings_is_refused(tmp_path: Path) -> None:
    class Otherwise(Letters):
        def describe(self) -> dict[str, str | float]:
            return {"unit": "word"}

    evaluate(plan(), tmp_path)
    with pytest.raises(ConfigError, match="another metric letters"):
        evaluate(replace(plan(), metrics=[Otherwise()]), tmp_path)


def test_a_failure_is_a_row_with_its_reason_and_is_tried_again(tmp_path: Path) -> None:
    results = evaluate(plan(Fixed(failing=frozenset("b"))), tmp_path)
    assert (results.systems["fixed"]["letters"].n, results.systems["fixed"]["letters"].failed) == (2, 1)
    assert "fixed: no summary: no summary of b (b)" in (tmp_path / "table.md").read_text()
    again = Fixed()
    results = evaluate(plan(again), tmp_path)
    assert again.asked == ["b"]
    assert results.systems["fixed"]["letters"].n == 3
    assert [(line["id"], line["error"]) for line in lines(tmp_path)] == [("a", None), ("b", None), ("c", None)]


def test_unscored_is_neither_zero_nor_a_failed_summary(tmp_path: Path) -> None:
    results = evaluate(plan(Fixed(summaries={"a": "what?"})), tmp_path)
    assert results.systems["fixed"]["letters"].n == 2
    assert results.systems["fixed"]["letters"].mean == len("fixed on b")
    assert results.failures == {"fixed": 0}
    assert "fixed: letters unscored: it asks (a)" in (tmp_path / "table.md").read_text()


def test_further_systems_are_added_and_a_changed_one_is_refused(tmp_path: Path) -> None:
    evaluate(plan(Fixed("one")), tmp_path)
    results = evaluate(plan(Fixed("other")), tmp_path)
    assert list(results.systems) == ["one", "other"]
    with pytest.raises(ConfigError, match="another system one"):
        evaluate(plan(Fixed("one", version="2")), tmp_path)
    with pytest.raises(ConfigError, match="another data_hash"):
        evaluate(
            plan(Fixed("one"), data=Dataset("halls", "test", (*dataset("a", "b").rows, row("c", ("New.",))))), tmp_path
        )


def test_a_line_that_was_cut_off_is_run_again_and_one_that_is_corrupt_is_an_error(tmp_path: Path) -> None:
    evaluate(plan(), tmp_path)
    table = (tmp_path / "table.md").read_text()
    path = tmp_path / "predictions.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    again = Fixed()
    evaluate(plan(again), tmp_path)
    assert len(again.asked) == 1
    assert (tmp_path / "table.md").read_text() == table
    path.write_text("corrupt\n" + path.read_text())
    with pytest.raises(DataError, match=r"predictions.jsonl line 1 is no outcome"):
        evaluate(plan(), tmp_path)


def test_lines_stand_in_the_order_of_rows_whatever_was_done_first(tmp_path: Path) -> None:
    data = dataset("a", "b", "c", "d")
    evaluate(plan(Fixed("one", failing=frozenset("ab")), data=data), tmp_path)
    evaluate(plan(Fixed("one"), Fixed("other"), data=data), tmp_path)
    assert [f"{line['id']} {line['system']}" for line in lines(tmp_path)] == [
        f"{row_id} {system}" for row_id in "abcd" for system in ("one", "other")
    ]


def test_no_text_of_an_earlier_run_is_kept_in_memory(tmp_path: Path) -> None:
    evaluate(plan(), tmp_path)
    outcomes = read_outcomes(tmp_path / "predictions.jsonl")
    assert b"fixed on b" in outcomes.line("fixed", "b")
    assert "fixed on" not in repr(vars(outcomes))
    assert outcomes["fixed", "b"].summary == "fixed on b"
    assert (("fixed", "b") in outcomes, ("fixed", "x") in outcomes, len(outcomes)) == (True, False, 3)


def test_rows_are_read_when_their_turn_comes(tmp_path: Path) -> None:
    class Rows(tuple[Row, ...]):
        """Rows that remember which of them were read."""

        def __getitem__(self, index: int) -> Row:  # type: ignore[override]
            read.append(index)
            return super().__getitem__(index)

    read: list[int] = []
    data = dataset(*"abcdefgh")
    evaluate(plan(data=data), tmp_path)
    (tmp_path / "predictions.jsonl").write_bytes(
        b"".join((tmp_path / "predictions.jsonl").read_bytes().splitlines(keepends=True)[:6])
    )
    evaluate(plan(data=replace(data, rows=Rows(data.rows))), tmp_path)
    assert read == [*range(8), 6, 7]  # all once for their lengths, before anything is run


def test_the_listener_hears_of_every_document_and_what_is_left(tmp_path: Path) -> None:
    heard: list[EvalProgress] = []
    evaluate(plan(Fixed("one", failing=frozenset("c")), Fixed("other")), tmp_path, heard.append)
    assert [progress.done for progress in heard] == list(range(7))
    assert (heard[0].seconds_left, heard[-1].seconds_left, heard[-1].failed, heard[-1].cost_left) == (None, 0.0, 1, 0.0)


def test_a_program_is_metered_apart_from_the_metrics_and_from_other_systems(tmp_path: Path) -> None:
    data = dataset("a", "b")
    with planted({"summarizer": {"summary": "Lamps."}}, cache=True) as engine:
        systems = make_systems(["direct", "again=direct"], data)
        results = evaluate(EvalPlan(data, systems, [Letters()], words=40), tmp_path)
    assert engine.calls == {"summarizer": 4}
    for name in ("direct", "again"):
        assert results.systems[name]["calls"].mean == 1
        assert results.systems[name]["input_tokens"].mean == pytest.approx(
            results.systems["direct"]["input_tokens"].mean
        )


def test_replies_from_the_cache_count_as_calls_when_a_run_is_continued(tmp_path: Path) -> None:
    data = dataset("a")
    with planted({"summarizer": {"summary": "Lamps."}}, cache=True) as engine:
        systems = make_systems(["direct"], data)
        evaluate(EvalPlan(data, systems, [Letters()], words=40), tmp_path / "killed")
        again = evaluate(EvalPlan(data, systems, [Letters()], words=40), tmp_path / "again")
    assert engine.calls == {"summarizer": 1}
    assert again.systems["direct"]["calls"].mean == 1


def test_a_rejected_key_ends_the_run_and_a_passing_failure_is_a_row(tmp_path: Path) -> None:
    data = dataset("a", "b")
    with planted({"summarizer": AuthError("bad key")}), pytest.raises(BackboneError, match="bad key"):
        evaluate(EvalPlan(data, make_systems(["direct"], data), [Letters()]), tmp_path / "key")
    with planted({"summarizer": [RateLimitError("slow down"), {"summary": "Lamps."}]}, concurrency=1):
        results = evaluate(EvalPlan(data, make_systems(["direct"], data), [Letters()]), tmp_path / "busy")
    assert (results.failures, results.systems["direct"]["letters"].n) == ({"direct": 1}, 1)


def test_a_spent_budget_keeps_what_is_done_and_says_what_is_not(tmp_path: Path) -> None:
    data = dataset("a", "b", "c", "d")
    with planted({"summarizer": {"summary": "Lamps."}}, max_calls=2, concurrency=1), pytest.raises(BudgetSpent):
        evaluate(EvalPlan(data, make_systems(["direct"], data), [Letters()]), tmp_path)
    assert len(lines(tmp_path)) == 2
    assert "Unfinished: 2 documents" in (tmp_path / "table.md").read_text()


def test_others_are_compared_with_what_writes_where_none_is_named() -> None:
    data = dataset()
    systems = make_systems(["lead", "direct", "tail"], data)
    assert EvalPlan(data, systems, [Letters()]).config().focus == "direct"
    assert EvalPlan(data, systems[::2], [Letters()]).config().focus == "lead"


def test_plans_that_make_no_sense_are_refused() -> None:
    data = dataset()
    with pytest.raises(ConfigError, match="no system is named"):
        EvalPlan(data, [], [Letters()])
    with pytest.raises(ConfigError, match="none of the systems"):
        EvalPlan(data, [Fixed()], [Letters()], focus="flexible")
    with pytest.raises(ConfigError, match="--references first"):
        EvalPlan(data, make_systems(["second-human"], data), [Letters()])
    with pytest.raises(DataError, match="'bare' has no reference to take the length from"):
        EvalPlan(Dataset("halls", "test", (row("bare", ()),)), [Fixed()], [Letters()], words=None)


def test_the_length_is_that_of_the_first_reference_where_wanted(tmp_path: Path) -> None:
    data = Dataset("halls", "test", (row("a", ("One two three.",)), row("b", ("One two three four five.",))))
    evaluate(EvalPlan(data, make_systems(["lead:unit=words"], data), [Letters()], words=None), tmp_path)
    assert {line["id"]: len(str(line["summary"]).split()) for line in lines(tmp_path)} == {"a": 3, "b": 5}


def test_only_the_first_reference_counts_where_wanted() -> None:
    one: Row = row("a", ("First.", "Second."))
    data = Dataset("halls", "test", (one,))
    first = EvalPlan(data, [Fixed()], [Letters()], references="first")
    assert first.scored(one, Fixed()) == replace(one, references=("First.",))
    assert EvalPlan(data, [Fixed()], [Letters()]).scored(one, Fixed()) is one
    assert first.scored(one, Reference("reference")).references == ("Second.",)


SLOW = """
import sys, time
from pathlib import Path
from summq.eval.run.plan import EvalPlan
from summq.eval.run.runner import evaluate
from tests.eval.rows import Fixed, Letters, dataset

class Slow(Fixed):
    def summarize(self, row, words):
        time.sleep(0.3)
        return super().summarize(row, words)

evaluate(EvalPlan(dataset(*"abcdefgh"), [Slow()], [Letters()]), Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_killed_in_the_middle_and_restarted_no_finished_document_is_run_again(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(killed)], cwd=root)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not (killed / "predictions.jsonl").exists() or len(lines(killed)) < 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {str(line["id"]) for line in lines(killed)}
    assert 3 <= len(finished) < 8
    again, data = Fixed(), dataset(*"abcdefgh")
    evaluate(plan(again, data=data), killed)
    assert sorted(again.asked) == sorted(set("abcdefgh") - finished)
    evaluate(plan(Fixed(), data=data), whole)
    assert without_time(killed / "table.csv") == without_time(whole / "table.csv")


def without_time(table: Path) -> list[str]:
    return [line for line in table.read_text().splitlines() if ",seconds," not in line]
