"""Shards share a list out: every item is in one of them, by its place alone."""

import pytest

from summq.programs.errors import ConfigError, DataError
from summq.programs.runs.shards import Shard


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_item_is_in_one_shard(count: int) -> None:
    items = list("abcdefgh")
    parts = [Shard(index, count).of(items) for index in range(1, count + 1)]
    assert sorted(item for part in parts for item in part) == items
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert parts[0][0] == "a"


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "a/b", "1/0", "-1/4", "1/4/2", ""])
def test_what_is_no_shard_is_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="write I/N"):
        Shard.parse(text)


def test_a_shard_without_an_item_is_an_error() -> None:
    assert str(Shard.parse("3/4")) == "3/4"
    with pytest.raises(DataError, match="shard 3/4 is empty: there are only 2"):
        Shard.parse("3/4").of(["a", "b"])
