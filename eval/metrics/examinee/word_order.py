"""Whether the words of a text stand in the order of a language, which no bag of words can see.

A small trigram model learns the order of word classes from the document itself, so it needs no data and no particular
language: the most frequent words of the document are classes of their own, all others are known by their last letters.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from summq.eval.metrics.examinee.embeddings import KEPT_DOCUMENTS
from summq.programs.text.reading import read
from summq.programs.text.stems import words

FREQUENT_WORDS = 300
SHUFFLES = 10
SHORTEST = 8  # words: shorter sentences are read together with the next one
SMOOTHING = 5.0  # how many observations the shorter context counts for
START, END = "<", ">"


def order_gain(document: str, summary: str) -> float:
    """By how many bits a word the order of the summary's words is likelier than chance; 0 for shuffled words.

    Chance is the mean over `SHUFFLES` orders of the same sentence. Fluent summaries reach 1 and more, words that are
    shuffled or backwards about 0. The same texts always give the same value; a text without words has 0.
    """
    model, bits, count = _model_of(document), 0.0, 0
    for sentence in _stretches(summary):
        classes = [model.class_of(word) for word in sentence]
        rng = random.Random(" ".join(sentence))
        shuffled = [model.bits(rng.sample(classes, len(classes))) for _ in range(SHUFFLES)]
        bits += model.bits(classes) - sum(shuffled) / SHUFFLES
        count += len(classes)
    return bits / count if count else 0.0


class ClassTrigrams:
    """A trigram model over word classes, in which longer contexts fall back on shorter ones."""

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        counts = Counter(word for sentence in sentences for word in sentence)
        self.frequent = frozenset(word for word, n in counts.most_common(FREQUENT_WORDS) if n > 2)
        self.ones, self.twos, self.threes = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str, str]]()
        for sentence in sentences:
            chain = [START, START, *map(self.class_of, sentence), END]
            self.ones.update(chain[1:])
            self.twos.update(pairwise(chain[1:]))
            self.threes.update(zip(chain, chain[1:], chain[2:], strict=False))
        self.total = self.ones.total()

    def class_of(self, word: str) -> str:
        """The word itself if it is frequent, one class for all figures, else its last two letters."""
        if word in self.frequent:
            return word
        return "#" if word[0].isdigit() else f"-{word[-2:]}"

    def bits(self, classes: Sequence[str]) -> float:
        """The log2 probability of a sentence."""
        chain = [START, START, *classes, END]
        return sum(math.log2(self._probability(*three)) for three in zip(chain, chain[1:], chain[2:], strict=False))

    def _probability(self, before: str, last: str, this: str) -> float:
        one = (self.ones[this] + 0.5) / (self.total + 0.5 * (len(self.ones) + 1))
        two = (self.twos[last, this] + SMOOTHING * one) / (self.ones[last] + SMOOTHING)
        return (self.threes[before, last, this] + SMOOTHING * two) / (self.twos[before, last] + SMOOTHING)


@lru_cache(KEPT_DOCUMENTS)
def _model_of(text: str) -> ClassTrigrams:
    return ClassTrigrams([_words(s.text) for s in read(text).sentences if s.prose])


def _stretches(text: str) -> Iterable[list[str]]:
    """The words of each sentence; of several together while they are short."""
    stretch: list[str] = []
    for sentence in read(text).sentences:
        stretch += _words(sentence.text)
        if len(stretch) >= SHORTEST:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _words(sentence: str) -> list[str]:
    return [match[0].lower() for match in words(sentence)]


__all__ = ["order_gain"]
