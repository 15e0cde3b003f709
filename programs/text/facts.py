"""The facts that a sentence states: names, dates, sums, shares, numbers, quoted phrases."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from summq.programs.text.stems import STOPWORDS, Sentence, words

FactKind = Literal["date", "money", "percent", "number", "quote", "name", "term"]

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:1[0-9]|20)\d\d"
_FIGURE = r"\d+(?:,\d{3}){0,6}(?:\.\d+)?"
_SCALE = r"(?:\s(?:hundred|thousand|million|billion|trillion))?"
_SMALL = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    "nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen"
)
_GREAT = "(?:hundred|thousand|million|billion|dozen)"
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million)|(?<=billion)) and "  # one hundred and twenty, but not two and three
_DATES = (
    rf"\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,\s\d{{4}})?\b",
    rf"\b\d{{1,2}}\s{_MONTH}(?:\s\d{{4}})?",
    rf"\b{_MONTH}\s\d{{4}}\b",
    r"\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?|\d{1,2}月\d{1,2}日",
    rf"\b(?:FY|fiscal years?\s)?{_YEAR}(?:[-–](?:1[0-9]|20)?\d\d)?\b",
)
_NUMBERS = (
    r"(?<![\d.,])\d{1,20}(?:[.,]\d{1,20})?(?=[\u3040-\u30ff\u3400-\u9fff])",
    rf"(?<![\w.,/:-]){_FIGURE}(?![\w/]|:\d)(?![-–]\w){_SCALE}",
    rf"\b(?:one (?={_GREAT}\b))?(?:{_SMALL})(?:(?:[ -]|{_AND})(?:{_SMALL})|(?:-|{_AND})one){{0,8}}\b"
    r"(?: and a (?:half|quarter)\b)?(?![-–]\w)",
)
_PATTERNS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    ("date", re.compile("|".join(_DATES))),
    ("money", re.compile(rf"[$£€]\s?{_FIGURE}{_SCALE}")),
    ("percent", re.compile(rf"\b{_FIGURE}\s?(?:%|percent\b|per\scent\b)")),
    ("number", re.compile("|".join(_NUMBERS), re.IGNORECASE)),
    ("quote", re.compile(r"(?<=[\"“])[^\"“”.,;:!?—-]{3,40}(?=[\"”])")),
)
_CAPITAL = r"[\p{Lu}\p{Lt}][\w'’&-]*"
_NAME = regex.compile(rf"{_CAPITAL}(?:(?:\s(?:of|the|de|von|for)){{0,2}}\s{_CAPITAL}|\.\s{_CAPITAL}(?=\s|[,.;]))*")
_TITLES = (
    "section act title table figure chapter part note chair speaker madam sir lord lady mr mrs miss ms dr hon prime"
)
_NO_NAMES = frozenset(_TITLES.split())


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact within a sentence: `start` counts from the beginning of the sentence."""

    kind: FactKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset behind its last character, within the sentence."""
        return self.start + len(self.text)

    @property
    def key(self) -> str:
        """What makes two facts the same: their words, however cased and spaced."""
        return " ".join(self.text.lower().split())


@dataclass(frozen=True)
class Names:
    """Which words a text uses as names, and which it also writes without a capital."""

    known: frozenset[str]
    common: frozenset[str]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> "Names":
        """Known are words with a capital where nothing but a name demands it, and seldom without."""
        capital: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        for sentence in sentences:
            spelled = [match[0] for match in words(sentence.text)]
            lower.update(word for word in spelled if word[0].islower())
            capital.update(word for word in spelled[1:] if word[0].isupper() and _bare(word) not in STOPWORDS)
            capital.update(match[0] for match in words(sentence.speaker))
        least = 2 if any(sentence.speaker for sentence in sentences) else 1  # verse begins its lines with capitals
        known = (word for word, n in capital.items() if n >= least and n > 2 * lower[word.lower()])
        return cls(frozenset(known), frozenset(lower))

    def knows(self, word: str) -> bool:
        """Whether a word is a name by itself, not only part of titles."""
        return word in self.known and word.lower() not in _NO_NAMES


def facts_of(sentence: str, names: Names) -> tuple[Fact, ...]:
    """The facts of a sentence from left to right; none overlaps another."""
    facts: list[Fact] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            _add_if_free(facts, Fact(kind, match[0].strip(), match.start()))
    for fact in _names(sentence, names):
        _add_if_free(facts, fact)
    return tuple(sorted(facts, key=lambda fact: fact.start))


def _bare(word: str) -> str:
    """The word before an apostrophe: I'd is no name."""
    return re.split("['’]", word.lower())[0]


def _add_if_free(facts: list[Fact], fact: Fact) -> None:
    if all(fact.end <= other.start or fact.start >= other.end for other in facts):
        facts.append(fact)


def _names(sentence: str, names: Names) -> Iterator[Fact]:
    """Runs of capitalised words with a known name among them, without what only opens the sentence or is a title."""
    for run in _NAME.finditer(sentence):
        parts = words(run[0])
        if not any(names.knows(_singular(part[0])) for part in parts):
            continue
        if _bare(parts[0][0]) in STOPWORDS or (run.start() == 0 and parts[0][0].lower() in names.common):
            parts = parts[1:]
        if parts:
            first, last = parts[0].start, parts[-1].end
            text = _singular(run[0][first:last])
            if len(text) > 2:
                yield Fact("name", text, run.start() + first)


def _singular(name: str) -> str:
    return name.removesuffix("'s").removesuffix("’s")


__all__ = ["Fact", "Names", "facts_of"]
