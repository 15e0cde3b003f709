"""A text as the offline engine has read it: sentences, facts, salience, index; kept for the next call."""

import math
import re
import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from summq.programs.text.facts import Fact, Names, facts_of
from summq.programs.text.salience import salience, topicality
from summq.programs.text.standing import leans
from summq.programs.text.stems import MOSTLY, Sentence, Word, sentences, stems_of, words
from summq.programs.text.words import can_segment, letters_of, share_unspaced

KEPT_READINGS = 64
WEIGHT_OF_SINGLE = 0.3
REACH = 2  # sentences before one that are read with it
FAMILIAR = 3  # sentences; what more of them name needs no introduction
_TAKEN_UP = re.compile(
    r"The (?P<noun>[a-z]+) (?:was|were|is|are|had|has|did|said|came|read|does|would|will|could|must)\b"
)
TERM = re.compile(r"(?<![\w’'-])[a-z]{5,}+(?![\w’'-])")
SHORTEST_TERM, SHORTEST_UNSPACED_TERM = 5, 2  # letters


def plain_words(text: str) -> Iterator[Word]:
    """The words of a text that are no names: without capitals, and not short; in other scripts those of letters."""
    for match in TERM.finditer(text):
        yield Word(match[0], match.start())
    for word in words(text) if not text.isascii() else ():
        least = SHORTEST_UNSPACED_TERM if letters_of(word.text[:1]) else SHORTEST_TERM
        letters = sum(map(str.isalpha, word.text))
        if not _is_latin(word.text) and letters >= least and word.text == word.text.lower():
            yield word


def ending(word: str) -> str:
    """The last two letters; nothing for scripts without capitals, where they tell nothing."""
    return word[-2:] if word.upper() != word.lower() else ""


def _is_latin(word: str) -> bool:
    return any(letter < "\u0370" for letter in word if letter.isalpha())


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence that bears on what was looked up, and the share of it that the sentence holds (0 to 1)."""

    sentence: Sentence
    share: float


class Reading:
    """A text, analysed lazily. It depends on nothing but the text."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def sentences(self) -> list[Sentence]:
        """All sentences in order."""
        return sentences(self.text)

    @cached_property
    def names(self) -> Names:
        """Which words are names in this text."""
        return Names.of(self.sentences)

    @cached_property
    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence."""
        return [facts_of(sentence.text, self.names) for sentence in self.sentences]

    @cached_property
    def facts_by_kind(self) -> dict[str, list[str]]:
        """The different facts of each kind, those that are mentioned most often first."""
        texts: dict[str, str] = {}
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence, facts in zip(self.sentences, self.facts, strict=True):
            for fact in facts if sentence.prose else ():
                texts.setdefault(fact.key, " ".join(fact.text.split()))
                counts[fact.kind][fact.key] += 1
        return {kind: [texts[key] for key, _ in numbers.most_common()] for kind, numbers in counts.items()}

    @cached_property
    def speakers(self) -> list[str]:
        """Who speaks, the most talkative first."""
        return [name for name, _ in Counter(s.speaker for s in self.sentences if s.speaker).most_common()]

    @cached_property
    def postings(self) -> dict[str, list[int]]:
        """The sentences in which each stem occurs."""
        places: dict[str, list[int]] = defaultdict(list)
        for sentence in self.sentences:
            for stem in sentence.stems:
                places[stem].append(sentence.index)
        return dict(places)

    @cached_property
    def terms(self) -> dict[str, list[str]]:
        """Plain words that occur more than once, the most frequent first, by their last two letters.

        The same ending is a likeness of the part of speech.
        """
        counts = Counter(word.text for s in self.sentences if s.prose for word in plain_words(s.text))
        by_ending: dict[str, list[str]] = defaultdict(list)
        for word, count in counts.most_common():
            if count > 1 and stems_of(word):
                by_ending[ending(word)].append(word)
        return dict(by_ending)

    @cached_property
    def salience(self) -> list[float]:
        """How much each sentence matters, 0 or more."""
        return salience(self.sentences, self._weights, self._leaning)

    def stretch(self, sentence: Sentence) -> list[Sentence]:
        """The sentence, behind those that it leans on; none where even these can't be understood by themselves."""
        needed = [sentence]
        while self._leaning[needed[0].index]:
            if needed[0].opens or len(needed) > REACH:
                return []
            needed.insert(0, self.sentences[needed[0].index - 1])
        return needed if all(one.prose for one in needed) else []

    @cached_property
    def _leaning(self) -> list[bool]:
        """Which sentences can't be understood without the one before."""
        return [leans(sentence.text, self.names) or self._takes_up(sentence) for sentence in self.sentences]

    def _takes_up(self, sentence: Sentence) -> bool:
        """Whether it begins, within a paragraph, with a thing that hardly any other sentence names: The request was."""
        match = None if sentence.opens else _TAKEN_UP.match(sentence.text)
        stems = stems_of(match["noun"]) if match else ()
        return any(len(self.postings[stem]) < FAMILIAR for stem in stems)

    def topicality(self, stems: Collection[str]) -> float:
        """How much a few words of the text are about what the text is about, whatever their form and place."""
        return topicality(stems, self._weights)

    @cached_property
    def _weights(self) -> dict[str, float]:
        """What recurs carries the topic."""
        return {stem: WEIGHT_OF_SINGLE + math.log(len(places)) for stem, places in self.postings.items()}

    @cached_property
    def flat(self) -> str:
        """The text with every run of white space as one space."""
        return " ".join(self.text.split())

    @cached_property
    def words(self) -> int:
        """How many words the sentences have together."""
        return sum(sentence.words for sentence in self.sentences)

    def part_of(self, sentence: Sentence, parts: int) -> int:
        """In which of so many equal parts of the text a sentence begins, from 1."""
        return min(parts, 1 + sentence.start * parts // max(1, len(self.text)))

    def rarity(self, stem: str) -> float:
        """How much a stem tells: more, the fewer sentences hold it."""
        return 1 + math.log((1 + len(self.sentences)) / (1 + len(self.postings.get(stem, ()))))

    def look_up(self, stems: Iterable[str], limit: int = 3) -> list[Hit]:
        """The sentences that hold most of the stems (weighted by rarity), best first; ties go to the earlier one."""
        weights = {stem: self.rarity(stem) for stem in set(stems)}
        total = math.fsum(weights.values())
        shares: dict[int, float] = defaultdict(float)
        for stem, weight in sorted(weights.items()):
            for index in self.postings.get(stem, ()):
                shares[index] += weight
        best = sorted(shares, key=lambda index: (-shares[index], index))[:limit]
        return [Hit(self.sentences[index], shares[index] / total) for index in best]

    def find(self, text: str) -> Hit | None:
        """The sentence that comes nearest to `text`, verbatim if it is there."""
        hits = self.look_up(stems_of(text), 1)
        return hits[0] if hits else None

    def holds(self, sentence: Sentence, stems: Collection[str]) -> float:
        """The share of `stems` that one sentence holds, weighted by rarity."""
        total = math.fsum(map(self.rarity, stems))
        return math.fsum(self.rarity(stem) for stem in stems if stem in sentence.stems) / total if total else 0.0


def why_illegible(text: str) -> str:
    """Why nothing can be read out of a text by rules, for a message; empty if something can."""
    if share_unspaced(text) > MOSTLY and not can_segment():
        return (
            "needs the extra `scripts` to tell words of this script apart (pip install -e '.[scripts]'), "
            "or name a language model with --backbone"
        )
    if any(sentence.prose for sentence in read(text).sentences):
        return ""
    return (
        "finds no sentences in this text (no marks that end them, or a script that it does not know): "
        "name a language model with --backbone"
    )


class _Shelf:
    """The readings of the last texts, shared by all threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._readings: OrderedDict[str, Reading] = OrderedDict()

    def read(self, text: str) -> Reading:
        with self._lock:
            reading = self._readings.pop(text, None) or Reading(text)
            self._readings[text] = reading
            while len(self._readings) > self._size:
                self._readings.popitem(last=False)
        return reading


read = _Shelf(KEPT_READINGS).read
"""The reading of a text: the same object for the same text while it is kept. Safe to call from any thread."""


__all__ = ["Hit", "Reading", "ending", "plain_words", "read", "why_illegible"]
