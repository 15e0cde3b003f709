"""Rows that need no system: what people wrote, about the wrong document and about the right one."""

from collections.abc import Iterator

from summq.eval.data import Dataset, Row
from summq.eval.systems.base import Identity, Written
from summq.programs.errors import DataError
from summq.programs.text.stems import first_words

REFERENCE, SECOND_HUMAN, REFERENCE_OF_ANOTHER = "reference", "second-human", "reference-of-another"
PEOPLE = frozenset({REFERENCE, SECOND_HUMAN, REFERENCE_OF_ANOTHER})
"""Specs of what people wrote, which stands beside systems and is none."""


class ReferenceOfAnother:
    """A human summary of the wrong document, that of the next row of another source, cut to length.

    How far a system is above it says how much of a score is about the document at all.
    """

    def __init__(self, name: str, dataset: Dataset) -> None:
        self.name = name
        self.identity: Identity = {"spec": REFERENCE_OF_ANOTHER}
        self._dataset = dataset
        self._wrong = dict(_with_another(dataset))

    def summarize(self, row: Row, words: int) -> Written:
        """The reference of another document, cut to length."""
        if row.id not in self._wrong:
            raise DataError("there is no other document with a reference")
        return _first_words(self._dataset[self._wrong[row.id]].references[0], words)


class Reference:
    """The first reference as it stands, measured against the others.

    What its exam says about a summary that people wrote, it is worth about any other.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity: Identity = {"spec": REFERENCE}

    def summarize(self, row: Row, words: int) -> Written:
        """The first reference, whole."""
        if not row.references:
            raise DataError("there is no reference")
        return Written(row.references[0])


class SecondHuman:
    """What a second person wrote about the same document, cut to length: to be scored against the first reference."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity: Identity = {"spec": SECOND_HUMAN}

    def summarize(self, row: Row, words: int) -> Written:
        """The second reference, cut to length."""
        if len(row.references) < 2:
            raise DataError("there is no second reference")
        return _first_words(row.references[1], words)


def _with_another(dataset: Dataset) -> Iterator[tuple[str, int]]:
    """For each row with a reference the place of the next such row of another source; after the last comes the first.

    Rows are passed twice, backwards: a row of the second half is met again, when all that come after it are known.
    """
    rows = [(row.id, row.cluster or row.id, place) for place, row in enumerate(dataset) if row.references]
    after: tuple[str, int] | None = None  # source and place of the row that comes next
    beyond: tuple[str, int] | None = None  # the first after it of another source
    for row_id, source, place in [*rows, *rows][::-1]:
        other = after if after and after[0] != source else beyond
        if other is not None:
            yield row_id, other[1]
        if after and after[0] != source:
            beyond = after
        after = (source, place)


def _first_words(text: str, words: int) -> Written:
    return Written(first_words(text, words))


__all__ = ["Reference", "ReferenceOfAnother", "SecondHuman"]
