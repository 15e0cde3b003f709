"""Shards: one of several equal parts of a list, for batch systems that start a command once for each part."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from summq.programs.errors import ConfigError, DataError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Shard:
    """Every `count`-th item from the `index`-th on (from 1): a matter of its place alone."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """The shard that `2/4` names. Raises ConfigError where it names none."""
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise ConfigError(f"--shard {text}: write I/N, for instance 2/4, where I goes from 1 to N")
        return cls(int(match[1]), int(match[2]))

    def places(self, number: int) -> range:
        """The places, from 0, of the shard's items among so many."""
        return range(self.index - 1, number, self.count)

    def of(self, items: Sequence[Item]) -> list[Item]:
        """The items of the shard. Raises DataError when it has none."""
        if len(items) < self.index:
            raise DataError(f"shard {self} is empty: there are only {len(items)} to share out")
        return [items[place] for place in self.places(len(items))]

    def __str__(self) -> str:
        """`2/4`."""
        return f"{self.index}/{self.count}"


WHOLE = Shard(1, 1)

__all__ = ["WHOLE", "Shard"]
