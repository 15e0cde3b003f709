"""Rows that need no system: what people wrote, about the wrong document and about the right one."""

from collections.abc import Iterator

from summq.eval.data import Dataset, Row
from summq.eval.systems.base import Identity, Written
from summq.programs.errors import DataError


class ReferenceOfAnother:
    """A human summary of the wrong document, that of the next row of another source, cut to length.

    How far a system is above it says how much of a score is about the document at all.
    """

    def __init__(self, name: str, dataset: Dataset) -> None:
        self.name = name
        self.identity: Identity = {"spec": "reference-of-another"}
        self._wrong = dict(_with_another(dataset))

    def summarize(self, row: Row, words: int) -> Written:
        """The reference of another document, cut to length."""
        if row.id not in self._wrong:
            raise DataError("there is no other document with a reference")
        return _first_words(self._wrong[row.id], words)


class Reference:
    """The first reference as it stands, measured against the others.

    What its exam says about a summary that people wrote, it is worth about any other.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity: Identity = {"spec": "reference"}

    def summarize(self, row: Row, words: int) -> Written:
        """The first reference, whole."""
        if not row.references:
            raise DataError("there is no reference")
        return Written(row.references[0])


class SecondHuman:
    """What a second person wrote about the same document, cut to length: to be scored against the first reference."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity: Identity = {"spec": "second-human"}

    def summarize(self, row: Row, words: int) -> Written:
        """The second reference, cut to length."""
        if len(row.references) < 2:
            raise DataError("there is no second reference")
        return _first_words(row.references[1], words)


def _with_another(dataset: Dataset) -> Iterator[tuple[str, str]]:
    rows = [row for row in dataset if row.references]
    for place, row in enumerate(rows):
        others = [*rows[place + 1 :], *rows[:place]]
        other = next((o for o in others if (o.cluster or o.id) != (row.cluster or row.id)), None)
        if other is not None:
            yield row.id, other.references[0]


def _first_words(text: str, words: int) -> Written:
    return Written(" ".join(text.split()[:words]))


__all__ = ["Reference", "ReferenceOfAnother", "SecondHuman"]
