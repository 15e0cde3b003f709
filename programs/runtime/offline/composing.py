"""Making a text of a wanted length out of sentences: what is taken, and in which order it stands."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from summq.programs.text.markup import EMPHASIS
from summq.programs.text.reading import Reading
from summq.programs.text.sentences import ends_unspaced
from summq.programs.text.standing import main_clause
from summq.programs.text.stems import Sentence, first_words, stems_of
from summq.programs.text.words import count_words

LEAST, FLOOR, CEILING = 0.9, 0.95, 1.05
POOL = 240
SAME = 0.7
CUT = "…"
START = 20  # characters that tell two sentences apart
UNFIT = 0.3  # what a sentence that can't be understood by itself is worth, as a share

_CLAUSE = re.compile(
    r"[;:—]\s*|\s[-–]{1,2}\s|--|,\s+(?=(?:and|but|or|which|who|whose|whom|where|when|while|whereas|because|although|though|"
    r"as|so|if|for|after|before|until|including|according|with|that|in|by|to)\b)|,\s+|[、，；：،؛]\s*",
)
_BULLET = re.compile(r"\A[*•-] (?=\S)")

_ORDINAL = re.compile(
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|firstly|secondly|thirdly|finally|lastly), (?=\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence on its way into a summary. `place` is where it stands in the document."""

    place: int
    text: str
    speaker: str = ""

    @classmethod
    def of(cls, sentence: Sentence) -> "Piece":
        """The whole sentence, on one line, without what marks it up."""
        return cls(sentence.start, plain(sentence.text), sentence.speaker)


Stretch = Sequence[Piece]
"""Sentences that are taken together or not at all: the last one, behind those that it can't be understood without."""


def plain(text: str) -> str:
    """A sentence on one line, without marks of emphasis (*Isolde Brandt*) and lists, nor its number (Second, ...)."""
    text = EMPHASIS.sub(r"\g<text>", _BULLET.sub("", " ".join(text.split())))
    number = _ORDINAL.match(text)
    return text[number.end()].upper() + text[number.end() + 1 :] if number else text


def placed(document: Reading, sentence: Sentence) -> Piece:
    """A sentence of a summary, at the place where the document says it."""
    hit = document.find(sentence.text)
    return replace(Piece.of(sentence), place=hit.sentence.start if hit else 0)


def stretch(text: Reading, sentence: Sentence) -> list[Piece]:
    """The sentence and those that it leans on; itself alone where these don't help."""
    return [Piece.of(one) for one in text.stretch(sentence) or [sentence]]


def whole(reading: Reading) -> str:
    """All sentences of a short text."""
    return render([Piece.of(sentence) for sentence in _sayable(reading)])


def _sayable(reading: Reading) -> list[Sentence]:
    """The sentences without headings; all where there is nothing else."""
    return [sentence for sentence in reading.sentences if not sentence.heading] or reading.sentences


def render(pieces: Iterable[Piece]) -> str:
    """The pieces as one paragraph in the order of the document; a speaker is named where he begins."""
    text = speaker = ""
    for piece in sorted(pieces, key=lambda piece: piece.place):
        label = f"{piece.speaker}: " if piece.speaker and (not text or piece.speaker != speaker) else ""
        gap = "" if not text or ends_unspaced(text) else " "
        text += f"{gap}{label}{piece.text}"
        speaker = piece.speaker
    return text


def pick(reading: Reading, scores: Sequence[float], words: int) -> Iterator[Stretch]:
    """Sentences worth taking, best first: high scores, few words, but not what the ones before have said.

    Yields rather more than `words` words, so that whoever composes can pass over what does not fit.
    """
    covered: set[str] = set()
    ranked = sorted(_sayable(reading), key=lambda s: (-scores[s.index], s.index))[: max(POOL, words // 4)]
    pool = {sentence.index: (sentence, scores[sentence.index] * _fitness(reading, sentence)) for sentence in ranked}
    count = 0
    while pool and count < 2 * words + 100:
        best, _ = max(pool.values(), key=lambda entry: entry[1] * _novelty(entry[0], covered))
        del pool[best.index]
        covered |= best.stems
        count += best.words
        yield stretch(reading, best)


def _fitness(reading: Reading, sentence: Sentence) -> float:
    """1 for a sentence that stands alone, less the more must be said before it."""
    needed = sum(one.words for one in reading.stretch(sentence))
    return (sentence.words / needed) ** 0.5 if needed else UNFIT


def _novelty(sentence: Sentence, covered: set[str]) -> float:
    return 0.55 + 0.45 * len(sentence.stems - covered) / (1 + len(sentence.stems))


def compose(stretches: Iterable[Stretch], words: int) -> str:
    """A text of `words` words within 5 percent, from stretches given by priority; shorter only if there is no more.

    It is of whole sentences. What is said already comes last, if at all; only where no whole sentence fits is one cut.
    """
    selection: list[Piece] = []
    too_long: list[Stretch] = []
    repetitions: list[Stretch] = []
    for pieces in stretches:
        new = _new(pieces, selection)
        if new and _is_covered(pieces[-1], selection):
            repetitions.append(pieces)
        elif _fits(new, selection, words):
            selection += new
        else:
            too_long.append(pieces)
        if _words(selection) >= words:
            break
    for fill, enough in ((_whole, FLOOR), (_shorter, FLOOR), (_cut, LEAST)):
        for pieces in [*too_long, *repetitions]:
            if _words(selection) < enough * words:
                selection += fill(_new(pieces, selection), selection, words)
    return render(selection)


def _new(pieces: Stretch, selection: Stretch) -> Stretch:
    """Those that are not there yet, whole or shortened."""
    there = {(piece.place, piece.text[:START]) for piece in selection}
    return [piece for piece in pieces if (piece.place, piece.text[:START]) not in there]


def _words(pieces: Sequence[Piece]) -> int:
    return count_words(render(pieces))


def _fits(new: Stretch, selection: Stretch, words: int) -> bool:
    return _words([*selection, *new]) <= CEILING * words


def _whole(new: Stretch, selection: Stretch, words: int) -> Stretch:
    """The stretch, if it fits."""
    return new if _fits(new, selection, words) else []


def _shorter(new: Stretch, selection: Stretch, words: int) -> Stretch:
    """The stretch without what only explains it, if that fits."""
    return _whole([replace(piece, text=main_clause(piece.text)) for piece in new], selection, words)


def _cut(new: Stretch, selection: Stretch, words: int) -> Stretch:
    """The beginning of the stretch, as long as there is room; none without room."""
    if not new or _fits(new, selection, words):
        return new
    room = words - _words([*selection, replace(new[0], text="")])
    least = FLOOR * words - words + room
    return [replace(new[0], text=shorten(new[0].text, room, least))] if room >= 1 else []


def _is_covered(piece: Piece, selection: Stretch) -> bool:
    stems = stems_of(piece.text)
    for other in selection:
        others = stems_of(other.text)
        if stems and len(stems & others) >= SAME * min(len(stems), len(others) or 1):
            return True
    return False


def shorten(text: str, most: int, least: float) -> str:
    """The beginning of `text` with at most `most` words: to a clause boundary if that leaves `least`, else cut."""
    ends = [clause.start() for clause in _CLAUSE.finditer(text)]
    fitting = [end for end in ends if least <= count_words(text[:end]) <= most]
    beginning = text[: fitting[-1]] if fitting else first_words(text, most)
    return beginning.rstrip(" ,;:—-、，；：،؛") + CUT


__all__ = ["CEILING", "Stretch", "compose", "pick", "placed", "plain", "stretch", "whole"]
