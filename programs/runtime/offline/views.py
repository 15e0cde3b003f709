"""What an agent attends to: drawn from the words of its instructions, and from their hash where they say nothing.

Agents of one component differ in their instructions (their angle), so they read the same document differently. Whatever
optimizers write into instructions acts through the same two ways: kinds of content that are named (figures, people,
dates, causes, speech, parts) weigh more, and so do sentences with the words of the instructions themselves.
"""

import random
import re
from dataclasses import dataclass
from functools import lru_cache

from summq.programs.runtime.offline.facts import Fact
from summq.programs.runtime.offline.reading import Reading
from summq.programs.runtime.offline.text import Sentence, stems_of

JITTER = 0.1
WEIGHT_OF_A_WORD = 0.12
HEAVIEST = 0.6
WEIGHT_OF_MENTION = 0.15

_VOCABULARY: dict[str, str] = {
    "figures": r"figures?|numbers?|amounts?|quantit\w+|sums?|statistics|percent\w*|costs?|money",
    "people": r"people|persons?|names?|who|characters?|actors?|speakers?|organi[sz]ations?|entit\w+",
    "dates": r"dates?|when|chronolog\w+|years?|time|timeline|order|sequence",
    "causes": r"causes?|why|because|reasons?|results?|consequences?|effects?|outcomes?|motives?",
    "speech": r"quot\w+|speech|dialogue|says?|said|arguments?|words",
}
_KNOWN = {aspect: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for aspect, words in _VOCABULARY.items()}
_CAUSAL = re.compile(
    r"\b(?:because|since|therefore|thus|hence|so that|due to|result\w*|caus\w+|led to|leads? to|in order to)\b",
    re.IGNORECASE,
)
_FIGURES = frozenset({"money", "percent", "number"})


@dataclass(frozen=True)
class View:
    """How heavily aspects and words of a sentence weigh; the same instructions always make the same view."""

    weights: tuple[tuple[str, float], ...]
    wanted: frozenset[str]
    seed: str

    @classmethod
    def of(cls, instructions: str) -> "View":
        """The view that these instructions ask for."""
        return _view(instructions)

    def scores(self, reading: Reading) -> list[float]:
        """The salience of each sentence as this view sees it."""
        dice = random.Random(self.seed)
        return [
            value * (1 + self._bonus(sentence, facts)) * (1 + JITTER * (2 * dice.random() - 1))
            for sentence, facts, value in zip(reading.sentences, reading.facts, reading.salience, strict=True)
        ]

    def _bonus(self, sentence: Sentence, facts: tuple[Fact, ...]) -> float:
        kinds = {fact.kind for fact in facts}
        present = {
            "figures": bool(kinds & _FIGURES),
            "people": "name" in kinds or bool(sentence.speaker),
            "dates": "date" in kinds,
            "causes": bool(_CAUSAL.search(sentence.text)),
            "speech": "quote" in kinds or '"' in sentence.text or "“" in sentence.text,
        }
        aspects = sum(weight for aspect, weight in self.weights if present[aspect])
        return aspects + min(HEAVIEST, WEIGHT_OF_A_WORD * len(self.wanted & sentence.stems))


@lru_cache(maxsize=512)
def _view(instructions: str) -> View:
    counts = {aspect: len(pattern.findall(instructions)) for aspect, pattern in _KNOWN.items()}
    weights = tuple((aspect, min(HEAVIEST, WEIGHT_OF_MENTION * n)) for aspect, n in counts.items())
    return View(weights, stems_of(instructions), instructions)


__all__ = ["View"]
