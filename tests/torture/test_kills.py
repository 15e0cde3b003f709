"""A few moments of each series; `make torture` tries many."""

from pathlib import Path

import pytest

from tests.torture.kills import COMMANDS, CountingServer, preload, run_series


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "eval"])
def test_a_killed_command_pays_nothing_twice_and_ends_equal(name: str, tmp_path: Path) -> None:
    preload()
    with CountingServer() as server:
        (outcome,) = run_series(name, 1, seed=1, out=tmp_path / "kills.jsonl", server=server)
    assert outcome["finished"] > 0
    assert outcome["paid_twice"] == 0
    assert outcome["equal"]
    assert not outcome["traceback"]
