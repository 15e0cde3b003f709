"""How much each sentence of a text matters, by what the text itself repeats and where the sentence stands."""

import math
import re
from collections.abc import Collection, Mapping, Sequence

from summq.programs.text.stems import Sentence

SHORTEST, LONGEST = 7, 60
OPENING = 0.05
WEIGHT_OF_OPENING = 1.5
_DANGLING = re.compile(
    r"(?:he|she|it|they|this|that|these|those|but|and|or|so|however|also|such|then|thus|for example|yes|no|well)\b",
    re.IGNORECASE,
)


def salience(sentences: Sequence[Sentence], weights: Mapping[str, float]) -> list[float]:
    """A score of 0 or more for each sentence, given how much each stem weighs."""
    length = sentences[-1].end if sentences else 0
    return [
        topicality(sentence.stems, weights)
        * _form(sentence)
        * (WEIGHT_OF_OPENING if sentence.start < OPENING * length else 1.0)
        for sentence in sentences
    ]


def topicality(stems: Collection[str], weights: Mapping[str, float]) -> float:
    """What the stems weigh together, for their number; a few stems don't count as much as many."""
    ordered = sorted(stems)  # the order of a set differs from process to process, and with it the last digit of a sum
    return sum(weights.get(stem, 0.0) for stem in ordered) / math.pow(8 + len(stems), 0.9)


def _form(sentence: Sentence) -> float:
    """Less for what can't stand alone: headings, questions, pronouns without their noun, scraps."""
    factor = 1.15 if sentence.opens else 1.0
    if not sentence.prose:
        factor *= 0.05
    if sentence.text.rstrip("\"'”’)").endswith("?"):
        factor *= 0.4
    if _DANGLING.match(sentence.text):
        factor *= 0.75
    if not SHORTEST <= sentence.words <= LONGEST:
        factor *= 0.6
    return factor


__all__ = ["salience", "topicality"]
