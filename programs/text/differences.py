"""What changed between two texts, word by word."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

ISLAND = 3
"""So few words between two changes that stayed are shown as part of one change, which reads better."""
DROWNED = 4
"""So are words that stayed between changes that are both so many times as long."""


@dataclass(frozen=True)
class Piece:
    """Words that both texts have (`removed` and `added` differ at most in white space), or that replace others."""

    removed: str
    added: str
    changed: bool


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces in order: all that was removed makes up `before`, all that was added makes up `after`."""
    old, new = (re.findall(r"\S+\s*|^\s+", text) for text in (before, after))
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    pieces = [
        Piece("".join(old[i:j]), "".join(new[k:m]), kind != "equal") for kind, i, j, k, m in matcher.get_opcodes()
    ]
    return list(_joined(_without_islands(pieces)))


def _without_islands(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces, what stayed between two changes counted as changed where it is short."""
    last = len(pieces) - 1
    for place, piece in enumerate(pieces):
        around = [_length(pieces[place - 1]), _length(pieces[place + 1])] if 0 < place < last else [0]
        is_island = min(around) > 0 and (_length(piece) < ISLAND or DROWNED * _length(piece) <= min(around))
        yield Piece(piece.removed, piece.added, piece.changed or is_island)


def _length(piece: Piece) -> int:
    return max(len(piece.removed.split()), len(piece.added.split()))


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, changes that follow one another in one."""
    pending: Piece | None = None
    for piece in pieces:
        if pending and pending.changed and piece.changed:
            pending = Piece(pending.removed + piece.removed, pending.added + piece.added, True)
        else:
            if pending:
                yield pending
            pending = piece
    if pending:
        yield pending


__all__ = ["Piece", "word_diff"]
