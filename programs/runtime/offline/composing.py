"""Making a text of a wanted length out of sentences: what is taken, what is cut, in which order it stands."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from summq.programs.text.reading import Reading
from summq.programs.text.sentences import ends_unspaced
from summq.programs.text.stems import Sentence, first_words, stems_of, word_count

FLOOR, CEILING = 0.95, 1.05
POOL = 240
SAME = 0.7
NEAR = 6  # characters between two parts of a sentence that belong together
CUT = "…"
SHORTEST_CLAUSE = 5

_CLAUSE = re.compile(
    r"[;:—]\s*|\s[-–]{1,2}\s|--|,\s+(?=(?:and|but|or|which|who|whose|whom|where|when|while|whereas|because|although|though|"
    r"as|so|if|for|after|before|until|including|according|with|that|in|by|to)\b)|,\s+|[、，；：،؛]\s*",
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or part of one, on its way into a summary. `place` is where it stands in the document."""

    place: int
    text: str
    speaker: str = ""

    def follows(self, other: "Piece") -> bool:
        """Whether this part of a sentence comes right after the other one."""
        between = self.place - other.place - len(other.text)
        return self.text.startswith(CUT) and other.text.endswith(CUT) and abs(between) <= NEAR

    @classmethod
    def of(cls, sentence: Sentence) -> "Piece":
        """The whole sentence, on one line."""
        return cls(sentence.start, " ".join(sentence.text.split()), sentence.speaker)


def placed(document: Reading, sentence: Sentence) -> Piece:
    """A sentence of a summary, at the place where the document says it."""
    hit = document.find(sentence.text)
    return replace(Piece.of(sentence), place=hit.sentence.start if hit else 0)


def whole(reading: Reading) -> str:
    """All sentences of a short text."""
    return render([Piece.of(sentence) for sentence in _sayable(reading)])


def _sayable(reading: Reading) -> list[Sentence]:
    """The sentences without headings; all where there is nothing else."""
    return [sentence for sentence in reading.sentences if not sentence.heading] or reading.sentences


def render(pieces: Iterable[Piece]) -> str:
    """The pieces as one paragraph in the order of the document; a speaker is named where he begins."""
    shown = ""
    last: Piece | None = None
    for piece in sorted(pieces, key=lambda piece: piece.place):
        if last and piece.follows(last):
            shown = shown.removesuffix(CUT)
        label = f"{piece.speaker}: " if piece.speaker and (last is None or piece.speaker != last.speaker) else ""
        gap = "" if not shown or ends_unspaced(shown) else " "
        shown += f"{gap}{label}{piece.text}"
        last = piece
    return shown


def pick(reading: Reading, scores: Sequence[float], words: int) -> Iterator[Piece]:
    """Sentences worth taking, best first: high scores, but not what the ones before have said.

    Yields rather more than `words` words, so that whoever composes can pass over what does not fit.
    """
    told: set[str] = set()
    pool = sorted(_sayable(reading), key=lambda s: (-scores[s.index], s.index))[: max(POOL, words // 4)]
    taken = 0
    while pool and taken < 2 * words + 100:
        best = max(pool, key=lambda s: scores[s.index] * _novelty(s, told))
        pool.remove(best)
        told |= best.stems
        taken += best.words
        yield Piece.of(best)


def _novelty(sentence: Sentence, told: set[str]) -> float:
    return 0.55 + 0.45 * len(sentence.stems - told) / (1 + len(sentence.stems))


def compose(pieces: Iterable[Piece], words: int) -> str:
    """A text of `words` words within 5 percent, from pieces given by priority; shorter only if there is no more.

    What is said already comes last, if at all; the last piece is cut, at a clause if possible, to fit.
    """
    chosen: list[Piece] = []
    too_long: list[Piece] = []
    repeated: list[Piece] = []
    for piece in pieces:
        if _said(piece, chosen):
            repeated.append(piece)
        elif _words([*chosen, piece]) <= CEILING * words:
            chosen.append(piece)
        else:
            too_long.append(piece)
        if _words(chosen) >= words:
            break
    for piece in [*too_long, *repeated]:
        if _words(chosen) < FLOOR * words:
            chosen += _made_to_fit(piece, chosen, words)
    return render(chosen)


def _words(pieces: Sequence[Piece]) -> int:
    return word_count(render(pieces))


def _made_to_fit(piece: Piece, chosen: Sequence[Piece], words: int) -> list[Piece]:
    """The piece, cut if need be, so that with it the chosen ones have no more than `words` words; none without room."""
    if _words([*chosen, piece]) <= CEILING * words:
        return [piece]
    room = words - _words([*chosen, replace(piece, text="")])
    least = FLOOR * words - words + room
    return [replace(piece, text=shortened(piece.text, room, least))] if room >= 1 else []


def _said(piece: Piece, chosen: Sequence[Piece]) -> bool:
    stems = stems_of(piece.text)
    for other in chosen:
        others = stems_of(other.text)
        if stems and len(stems & others) >= SAME * min(len(stems), len(others) or 1):
            return True
    return False


def shortened(text: str, most: int, least: float) -> str:
    """The beginning of `text` with at most `most` words: to a clause boundary if that leaves `least`, else cut."""
    ends = [clause.start() for clause in _CLAUSE.finditer(text)]
    fitting = [end for end in ends if least <= word_count(text[:end]) <= most]
    kept = text[: fitting[-1]] if fitting else first_words(text, most)
    return kept.rstrip(" ,;:—-、，；：،؛") + CUT


def clauses(text: str) -> list[str]:
    """The clauses of a sentence, verbatim, none shorter than a handful of words."""
    bounds = [0]
    for match in _CLAUSE.finditer(text):
        if word_count(text[bounds[-1] : match.start()]) >= SHORTEST_CLAUSE <= word_count(text[match.end() :]):
            bounds.append(match.end())
    return [
        text[start:end].rstrip(" ,;:—-、，；：،؛") for start, end in zip(bounds, [*bounds[1:], len(text)], strict=True)
    ]


__all__ = ["CEILING", "CUT", "Piece", "clauses", "compose", "pick", "placed", "render", "shortened", "whole"]
