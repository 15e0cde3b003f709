"""Words, stems and sentences of a text, with the speaker of each sentence in transcripts and plays."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from summq.programs.text.sentences import Span, sentence_spans
from summq.programs.text.words import UNSPACED, count_words, letters_of, segments, share_unspaced

_COMMON = """
    a about above after again against all also am an and any are as at be because been before being below between
    both but by can cannot could did do does doing don't down during each either else ever few for from further had
    has have having he her here hers herself him himself his how however i i'm i'll i've if in into is isn't it it's
    its itself just let like may me might more most much must my myself neither no nor not now of off on once only
    or other our ours out over own per said same say says shall she should since so some such than that that's the
    thee their theirs them then there there's these they thine this those thou though through thus thy to too under
    until up upon us very was we well were what when where whether which while who whom whose why will with within
    without would yes yet you you're your yours yourself okay yeah um uh oh mm hmm mmhmm gonna got really think know
    actually kind sort
"""
STOPWORDS = frozenset(_COMMON.split())
LONGEST_LABEL = 8
MOSTLY = 0.5
LINES_LABELLED = 0.4
SENTENCES_LABELLED = 0.25

_SPACED = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{UNSPACED}]]"
_WORD = regex.compile(
    rf"(?P<run>[{UNSPACED}][{UNSPACED}\p{{M}}ー]*+)|{_SPACED}++(?:[-'’.,/&]{_SPACED}++)*+", regex.VERSION1
)
_CAPITALISED = r"(?!\p{Ll})\p{L}[\w'’.-]*+"  # or a word of a script without capitals
_LABEL = regex.compile(
    rf"(?<![\w'’.-])(?P<name>{_CAPITALISED}(?: {_CAPITALISED}){{0,7}}) ?(?:\([^\n]{{0,120}}?\))?: (?=\S)"
)
_CHUNK = regex.compile(rf"[{UNSPACED}]\p{{M}}*[^\w\s]*|[^\s{UNSPACED}]+", regex.VERSION1)
_SENTENCE_ENDS = ".!?…。！？؟।;॥۔։။។።"
_HEADING = re.compile(r"\A#{1,6} |\n[=-]{3,}\Z|\A[\W_]+\Z")
_CODE = re.compile(r"[{}]|/\*|\*/|=>|\);|;[ \t]*+\n|\A// | \| ")  # of a program, or a row of a table
_TITLES = re.compile(r"^(?:(?:Right|Hon|Mr|Mrs|Ms|Dr)\b\.? )+(?=\w)")
_ENDING_LIST = "ingly edly ations ation ings ing ies ied ers er est ed es ly s e"
_ENDINGS = tuple(_ENDING_LIST.split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in its text.

    `text` is verbatim, without the label of its speaker; `turn` is where the speaker's turn begins, label included.
    `prose` tells sentences from headings, stage directions and table rows.
    """

    index: int
    start: int
    text: str
    speaker: str
    turn: int
    opens: bool
    prose: bool
    words: int
    stems: frozenset[str]

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text)

    @property
    def heading(self) -> bool:
        """Whether it is a heading of Markdown, or a line that divides."""
        return _HEADING.search(self.text) is not None


class Word(NamedTuple):
    """A word, and where it stands in its text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text)


def words(text: str) -> list[Word]:
    """The words of a text: letters and digits, with what joins them (U.S, 30,000, don't)."""
    matches: list[Word] = []
    for match in _WORD.finditer(text):
        if match["run"]:
            matches += (Word(word, match.start() + start) for word, start in segments(match[0]))
        else:
            matches.append(Word(match[0], match.start()))
    return matches


def first_words(text: str, number: int) -> str:
    """The first words of a text, as `count_words` counts them: no more, and none that is cut in two."""
    whole, counted = 0, 0
    for chunk in _CHUNK.finditer(text):
        counted += count_words(chunk[0])
        if counted > number:
            break
        whole = chunk.end()
    return text[:whole].strip()


def length_of(text: str) -> int:
    """Words as a reader counts them, in any script."""
    return len(words(text)) if not text.isascii() and letters_of(text) else len(text.split())


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A crude stem, enough to match forms of one word."""
    word = word.lower().replace("’", "'")
    word = word.removesuffix("'s").removesuffix("'")
    if word[:1].isdigit():
        return word.replace(",", "")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content_stems(text: str) -> list[str]:
    """The stems of the words that carry meaning, in order."""
    lowered = (word.text.lower().replace("’", "'") for word in words(text))
    return [stem(word) for word in lowered if word not in STOPWORDS and (len(word) > 1 or word.isdigit())]


@lru_cache(maxsize=20_000)
def stems_of(text: str) -> frozenset[str]:
    """The different stems of the words that carry meaning."""
    return frozenset(content_stems(text))


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order."""
    spans = list(sentence_spans(text))
    speakers = _speakers(text, spans)
    result: list[Sentence] = []
    speaker, turn, before = "", 0, 0
    for span in spans:
        opens = "\n\n" in text[before : span.start] or before == 0
        before = span.end
        label = _LABEL.match(text, span.start, span.end)
        start = span.start
        if label and label["name"].strip() in speakers:
            speaker, turn, start = _TITLES.sub("", label["name"].strip()), span.start, label.end()
            opens = True
        elif opens:
            speaker, turn = "", span.start
        if start < span.end:
            result.append(_sentence(text, Span(start, span.end), len(result), speaker, turn, opens))
    return result


def _sentence(text: str, span: Span, index: int, speaker: str, turn: int, opens: bool) -> Sentence:
    body = text[span.start : span.end]
    return Sentence(
        index=index,
        start=span.start,
        text=body,
        speaker=speaker,
        turn=turn,
        opens=opens,
        prose=_is_prose(body),
        words=count_words(body),
        stems=stems_of(body),
    )


def _is_prose(body: str) -> bool:
    """Whether it reads as a sentence: it ends like one, has lower-case words, and is no code and no table."""
    ending = body.rstrip("\"'”’)]»")
    return (
        bool(ending)
        and (ending[-1] in _SENTENCE_ENDS or share_unspaced(body) > MOSTLY)
        and not body.startswith(("[", "|", "(", "# ", "##", "Source", "Note: ", "Notes: "))
        and _CODE.search(body) is None
        and length_of(body) >= 4
        and any(word.islower() or _is_caseless(word) for word in body.split())
    )


def _is_caseless(word: str) -> bool:
    """Whether a word is of a script without capitals."""
    return not word.isascii() and any(c.isalpha() for c in word) and word.lower() == word.upper()


def _speakers(text: str, spans: list[Span]) -> frozenset[str]:
    """The labels of speakers: `NAME: ` at the beginning of many lines or sentences, as transcripts have them."""
    lines = [line for line in text.splitlines() if line.strip()]
    places, share = (lines, LINES_LABELLED)
    if len(lines) == 1:
        places, share = [text[span.start : span.end] for span in spans], SENTENCES_LABELLED
    labels = [label for place in places for label in _labels(place)]
    return frozenset(labels) if len(labels) >= share * len(places) else frozenset()


def _labels(line: str) -> Iterator[str]:
    match = _LABEL.match(line)
    if match and len(match["name"].split()) <= LONGEST_LABEL:
        yield match["name"].strip()


__all__ = [
    "MOSTLY",
    "STOPWORDS",
    "Sentence",
    "Word",
    "content_stems",
    "first_words",
    "length_of",
    "sentences",
    "stem",
    "stems_of",
    "words",
]
