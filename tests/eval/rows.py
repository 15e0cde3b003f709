"""Small data sets and systems for tests of the evaluation."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from summq.eval.data import Dataset, Row
from summq.eval.metrics import Column, Score
from summq.eval.systems import Written
from summq.programs.errors import RunError
from summq.signatures import Document


def row(name: str, references: tuple[str, ...] = ("The keeper counts lamps.",), cluster: str | None = None) -> Row:
    """A row about one keeper."""
    text = f"Keeper {name} counts the lamps of the halls. There are {1000 + len(name)} of them in winter."
    return Row(name, Document(id=name, text=text), references, cluster)


def dataset(*names: str) -> Dataset:
    """Rows called a, b, c, or as given."""
    return Dataset("halls", "test", tuple(row(name) for name in names or ("a", "b", "c")))


@dataclass
class Fixed:
    """A system with a summary for each row; it fails on some, and remembers what it was asked."""

    name: str = "fixed"
    summaries: Mapping[str, str] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    version: str = "1"

    def __post_init__(self) -> None:
        self.identity: Mapping[str, JsonValue] = {"version": self.version}
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def summarize(self, row: Row, words: int) -> Written:
        with self._lock:
            self.asked.append(row.id)
        if row.id in self.failing:
            raise RunError(f"no summary of {row.id}")
        return Written(self.summaries.get(row.id, f"{self.name} on {row.id}"))


class Letters:
    """A metric: how many letters; texts with a question mark are unscored."""

    name = "letters"
    columns = (Column(key="letters", heading="letters", factor=1, better=None, most=None),)

    def score(self, prediction: str, row: Row) -> Score:
        if "?" in prediction:
            return Score({"letters": None}, reason="it asks")
        return Score({"letters": float(len(prediction))}, {"seen": 1})

    def describe(self) -> Mapping[str, str | float]:
        return {"unit": "letter"}
