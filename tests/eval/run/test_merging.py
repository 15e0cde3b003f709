"""Shards that are merged equal one run over all rows, byte for byte; what does not belong together is refused."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from summq.eval.report import write_report
from summq.eval.run.merging import is_shard, merge_shards
from summq.eval.run.plan import EvalPlan
from summq.eval.run.runner import evaluate
from summq.programs.errors import ConfigError, DataError
from summq.programs.runs.shards import Shard
from tests.eval.rows import Fixed, Letters, dataset

IDS = "abcdefghij"
FILES = ("config.json", "predictions.jsonl", "metrics.json", "table.md", "table.csv", "table.tex")


@pytest.fixture(autouse=True)
def _standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds on the clock are never twice the same; everything else is."""
    monkeypatch.setattr("summq.eval.run.cells.time", SimpleNamespace(monotonic=lambda: 0.0))


def plan(shard: str = "1/1", *, ids: str = IDS, failing: str = "ch") -> EvalPlan:
    summaries = {row_id: f"{row_id * (place + 3)} lamps" for place, row_id in enumerate(IDS)}
    systems = [Fixed("one", summaries=summaries, failing=frozenset(failing)), Fixed("other", summaries={"b": "what?"})]
    return EvalPlan(dataset(*ids), systems, [Letters()], words=5, shard=Shard.parse(shard))


def shards(folder: Path, count: int, **changes: str) -> list[Path]:
    folders = [folder / f"shard-{index}" for index in range(1, count + 1)]
    for index, shard in enumerate(folders, 1):
        evaluate(plan(f"{index}/{count}", **changes), shard)
    return folders


@pytest.mark.parametrize("count", [1, 4, 7])
def test_shards_merged_equal_one_run_byte_for_byte(count: int, tmp_path: Path) -> None:
    if count > 1:
        parts = shards(tmp_path, count)
        assert all(map(is_shard, parts))
        merge_shards(parts[::-1], tmp_path / "merged")
        write_report(tmp_path / "merged")
    else:
        evaluate(plan("1/1"), tmp_path / "merged")
    evaluate(plan(), tmp_path / "whole")
    for name in FILES:
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_a_shard_says_that_it_is_one_and_resumes_as_one(tmp_path: Path) -> None:
    evaluate(plan("2/4"), tmp_path)
    assert "Shard 2/4 of the rows" in (tmp_path / "table.md").read_text()
    again = plan("2/4")
    evaluate(again, tmp_path)
    assert [system.asked for system in again.systems if isinstance(system, Fixed)] == [[], []]  # b, f and j are done
    with pytest.raises(ConfigError, match="another shard"):
        evaluate(plan("3/4"), tmp_path)


def test_rows_that_a_shard_lacks_are_run_where_the_merged_evaluation_goes_on(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    predictions = parts[1] / "predictions.jsonl"
    predictions.write_bytes(b"".join(predictions.read_bytes().splitlines(keepends=True)[:-2]))
    merge_shards(parts, tmp_path / "merged")
    assert write_report(tmp_path / "merged").unfinished == 2
    again = plan(failing="")
    evaluate(again, tmp_path / "merged")
    one, other = (system.asked for system in again.systems if isinstance(system, Fixed))
    assert (sorted(one), other) == (["c", "h", "j"], ["j"])


def test_quizzes_of_all_shards_are_there(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    for part in parts:
        (part / "quizzes").mkdir()
        (part / "quizzes" / f"{part.name}.json").write_text("{}")
    merge_shards(parts, tmp_path / "merged")
    assert {path.name for path in (tmp_path / "merged/quizzes").iterdir()} == {"shard-1.json", "shard-2.json"}


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    parts = shards(tmp_path, 3)
    merged = tmp_path / "merged"
    with pytest.raises(DataError, match="of 3 shards 2 is missing"):
        merge_shards([parts[0], parts[2]], merged)
    with pytest.raises(DataError, match="named twice"):
        merge_shards([*parts, parts[0]], merged)
    evaluate(plan(), tmp_path / "whole")
    with pytest.raises(DataError, match="whole holds no shard"):
        merge_shards([*parts, tmp_path / "whole"], merged)
    with pytest.raises(ConfigError, match="whole holds an evaluation already"):
        merge_shards(parts, tmp_path / "whole")
    evaluate(plan("2/3", ids="abc"), tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="differ in data_hash"):
        merge_shards([parts[0], tmp_path / "elsewhere", parts[2]], merged)
    evaluate(plan("2/4"), tmp_path / "of-four")
    with pytest.raises(ConfigError, match="differ in number of shards"):
        merge_shards([parts[0], tmp_path / "of-four", parts[2]], merged)
    evaluate(replace(plan("2/3"), seed=5), tmp_path / "seeded")
    with pytest.raises(ConfigError, match="differ in seed"):
        merge_shards([parts[0], tmp_path / "seeded", parts[2]], merged)
    assert not merged.exists()
