"""Planted errors: a summary made worse in a known way.

What reviewers have to find, what voters and the learned metric have to rank below the text it was made from, and the
controls that need no human.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from summq.programs.text.facts import Fact
from summq.programs.text.reading import Reading, read

DamageKind = Literal["swapped_entity", "changed_number", "negation", "dropped_sentence", "repetition", "truncation"]
DAMAGES: tuple[DamageKind, ...] = get_args(DamageKind)
PLANTABLE: tuple[DamageKind, ...] = DAMAGES[:-1]
"""The errors that sit in single sentences, so that a reviewer can point at them."""


@dataclass(frozen=True)
class Planted:
    """One error: the sentence before and after; `after` is empty where the sentence was dropped."""

    kind: DamageKind
    before: str
    after: str


@dataclass(frozen=True)
class Damaged:
    """A text with errors, and which ones."""

    text: str
    planted: tuple[Planted, ...]


def damage(text: str, kind: DamageKind, rng: random.Random, most: int | None = None) -> Damaged | None:
    """`text` with one kind of error in every sentence that can hold it, or in `most` of them.

    A truncation drops the second half of the sentences; dropped sentences are every other one of those that may go.
    None when the text offers no place for it (no name, no number, a single sentence). The same seed gives the same.
    """
    if kind == "truncation":
        return _truncated(text)
    reading = read(text)
    edits = _edits(reading, kind, rng)
    places = sorted(rng.sample(sorted(edits), min(most, len(edits)))) if most is not None else sorted(edits)
    if not places:
        return None
    planted = {place: Planted(kind, reading.sentences[place].text, edits[place]) for place in places}
    return Damaged(_rewritten(reading, planted), tuple(planted.values()))


def change_facts(text: str, rng: random.Random) -> str | None:
    """`text` with every name exchanged for another of its names and every figure changed; None if it has neither.

    It reads as before, all of its names are the document's, and nothing that it says is true.
    """
    reading = read(text)
    swap = _swapped_name(reading, rng)
    edits = {}
    for sentence in reading.sentences:
        edited = sentence.text
        for fact in reversed(reading.facts[sentence.index]):
            new = swap(fact) if fact.kind == "name" else _other_number(fact.text, rng)
            edited = edited[: fact.start] + new + edited[fact.end :]
        if edited != sentence.text:
            edits[sentence.index] = Planted("swapped_entity", sentence.text, edited)
    return _rewritten(reading, edits) if edits else None


def _edits(reading: Reading, kind: DamageKind, rng: random.Random) -> dict[int, str]:
    """What each sentence that can hold the error becomes."""
    if kind == "dropped_sentence":
        return {s.index: "" for s in reading.sentences[1::2]}
    if kind == "repetition":
        return {s.index: f"{s.text} {s.text}" for s in reading.sentences if s.prose}
    edit: Callable[[int], str] = {
        "swapped_entity": _swapping(reading, rng),
        "changed_number": lambda place: _renumbered(reading, place, rng),
        "negation": lambda place: _negated(reading.sentences[place].text),
    }[kind]
    edited = {s.index: edit(s.index) for s in reading.sentences}
    return {place: text for place, text in edited.items() if text != reading.sentences[place].text}


def _rewritten(reading: Reading, planted: Mapping[int, Planted]) -> str:
    text = reading.text
    for place in sorted(planted, reverse=True):
        sentence = reading.sentences[place]
        text = text[: sentence.start] + planted[place].after + text[sentence.end :]
    return re.sub(r"[^\S\n]{2,}", " ", text).strip()


def _truncated(text: str) -> Damaged | None:
    sentences = read(text).sentences
    half = len(sentences) // 2
    if half == 0:
        return None
    return Damaged(
        text[: sentences[half].start].rstrip(), tuple(Planted("truncation", s.text, "") for s in sentences[half:])
    )


def _swapping(reading: Reading, rng: random.Random) -> Callable[[int], str]:
    swap = _swapped_name(reading, rng)
    return lambda place: _replaced(reading, place, "name", swap)


def _swapped_name(reading: Reading, rng: random.Random) -> Callable[[Fact], str]:
    """Every name becomes another name of the text, the same one wherever it stands; names that share a word are one."""
    names = reading.facts_by_kind.get("name", [])
    partner: dict[str, str] = {}
    for name in names:
        strangers = [other for other in names if not set(_words(name)) & set(_words(other))]
        if strangers:
            partner[name.lower()] = rng.choice(strangers)
    return lambda fact: partner.get(fact.key, fact.text)


def _renumbered(reading: Reading, place: int, rng: random.Random) -> str:
    text = reading.sentences[place].text
    for kind in ("money", "percent", "number", "date"):
        changed = _replaced(reading, place, kind, lambda fact: _other_number(fact.text, rng))
        if changed != text:
            return changed
    return text


def _replaced(reading: Reading, place: int, kind: str, new: Callable[[Fact], str]) -> str:
    """A sentence with its facts of one kind replaced."""
    text = reading.sentences[place].text
    for fact in reversed(reading.facts[place]):
        if fact.kind == kind:
            text = text[: fact.start] + new(fact) + text[fact.end :]
    return text


NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty", "hundred")


def _other_number(text: str, rng: random.Random) -> str:
    """The same wording with another number: the first figures, or the first number word, are changed."""
    figures = re.search(r"\d+", text)
    if figures:
        digits = figures.group()
        other = str(rng.choice([d for d in range(1, 10) if str(d) != digits[-1]]))
        return text[: figures.start()] + digits[:-1] + other + text[figures.end() :]
    word = re.search(rf"\b({'|'.join(NUMBER_WORDS)})\b", text, re.IGNORECASE)
    if word is None:
        return text
    other = rng.choice([w for w in NUMBER_WORDS if w != word.group().lower()])
    return text[: word.start()] + other + text[word.end() :]


_AUXILIARY = re.compile(r"\b(is|was|are|were|has|had|can|could|will|would|should|must|may|might|did|does|do)\b(?! not)")
_DENIED = re.compile(r"\b(is|was|are|were|has|had|could|would|should|must|may|might|did|does|do) not\b")


def _negated(sentence: str) -> str:
    """The sentence denied, or a denial made an assertion; unchanged where no auxiliary verb offers itself."""
    if _DENIED.search(sentence):
        return _DENIED.sub(r"\1", sentence, count=1)
    return _AUXILIARY.sub(r"\1 not", sentence, count=1)


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", name.lower())


__all__ = ["DAMAGES", "PLANTABLE", "DamageKind", "Planted", "change_facts", "damage"]
