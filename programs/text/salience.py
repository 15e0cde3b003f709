"""How much each sentence of a text matters, by what the text itself repeats and where the sentence stands."""

import math
import re
from collections.abc import Collection, Mapping, Sequence

from summq.programs.text.stems import Sentence

SHORTEST, LONGEST = 7, 60
OPENING = 0.05
WEIGHT_OF_OPENING = 1.5
WEIGHT_OF_DEATH = 3.0  # what a reader must know first, unless somebody mentions it in a talk
_DEATH = re.compile(
    r"\b(?:died|dies|(?:was|were|been|had|has) (?:killed|murdered|executed|hanged)|(?<!have )drowned|"
    r"kill(?:s|ed) (?:him|her|them|\w+ people)|lost (?:his|her|their) li(?:fe|ves))\b",
    re.IGNORECASE,
)


def salience(sentences: Sequence[Sentence], weights: Mapping[str, float], leaning: Sequence[bool]) -> list[float]:
    """A score of 0 or more for each sentence, given how much each stem weighs and which ones don't stand alone."""
    length = sentences[-1].end if sentences else 0
    return [
        topicality(sentence.stems, weights)
        * _form(sentence, leans)
        * (WEIGHT_OF_DEATH if not sentence.speaker and _DEATH.search(sentence.text) else 1.0)
        * (WEIGHT_OF_OPENING if sentence.start < OPENING * length else 1.0)
        for sentence, leans in zip(sentences, leaning, strict=True)
    ]


def topicality(stems: Collection[str], weights: Mapping[str, float]) -> float:
    """What the stems weigh together, for their number; a few stems don't count as much as many."""
    ordered = sorted(stems)  # the order of a set differs from process to process, and with it the last digit of a sum
    return sum(weights.get(stem, 0.0) for stem in ordered) / math.pow(8 + len(stems), 0.9)


def _form(sentence: Sentence, leans: bool) -> float:
    """Less for what can't stand alone: headings, questions, pronouns without their noun, scraps."""
    factor = 1.15 if sentence.opens else 1.0
    if not sentence.prose:
        factor *= 0.05
    if sentence.text.rstrip("\"'”’)").endswith("?"):
        factor *= 0.4
    if leans:
        factor *= 0.75
    if not SHORTEST <= sentence.words <= LONGEST:
        factor *= 0.6
    return factor


__all__ = ["salience", "topicality"]
