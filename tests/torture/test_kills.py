"""A few moments of each series; `make torture` tries many."""

from pathlib import Path

import pytest

from tests.torture.kills import COMMANDS, CountingServer, preload, run_series

KILLS = {"exam": 8}  # most of its time goes by before its few calls


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "combo",
        *(pytest.param(name, marks=pytest.mark.simulation) for name in COMMANDS if name not in ("combo", "eval")),
    ],
)
def test_a_killed_command_pays_nothing_twice_and_ends_equal(name: str, tmp_path: Path) -> None:
    preload()
    with CountingServer() as server:
        outcomes = run_series(name, KILLS.get(name, 2), seed=1, out=tmp_path / "kills.jsonl", server=server)
    assert sum(outcome["finished"] for outcome in outcomes) > 0
    for outcome in outcomes:
        assert outcome["paid_twice"] == 0
        assert outcome["equal"]
        assert not outcome["traceback"]
