"""What an agent attends to: drawn from the words of its instructions, and from their hash where they say nothing.

Agents of one component differ in their instructions (their angle), so they read the same document differently.
Whatever optimizers write into instructions acts in the same two ways: kinds of content and places that are named
(figures, people, causes, the end) weigh more, and so do sentences with words that only these instructions have.
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from summq import signatures
from summq.programs.text.facts import Fact
from summq.programs.text.reading import Reading
from summq.programs.text.stems import Sentence, stems_of

JITTER = 0.1
WEIGHT_OF_MENTION = 0.15
WEIGHT_OF_WORD = 0.2
HEAVIEST = 0.8

_ASPECTS = {
    "figures": r"figures?|numbers?|amounts?|quantit\w+|sums?|statistics|percent\w*|costs?|money",
    "people": r"people|persons?|names?|who|characters?|actors?|speakers?|institutions?|organi[sz]ations?|entit\w+",
    "dates": r"dates?|when|chronolog\w+|years?|timeline",
    "causes": r"causes?|why|because|reasons?|results?|consequences?|effects?|outcomes?|motives?|decisions?",
    "speech": r"quot\w+|speech|dialogues?|conversations?|arguments?",
    "beginning": r"beginning|opening|introduc\w+|starts?|premise",
    "middle": r"middle|midst|body",
    "end": r"end(?:ing)?|conclusions?|conclud\w+|close|final\w*|finally|resol\w+",
}
_MENTIONS = {aspect: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for aspect, words in _ASPECTS.items()}
_ANY_ASPECT = re.compile("|".join(pattern.pattern for pattern in _MENTIONS.values()), re.IGNORECASE)
_CAUSAL = re.compile(
    r"\b(?:because|since|therefore|thus|hence|so that|due to|result\w*|caus\w+|led to|in order to|decid\w+)\b",
    re.IGNORECASE,
)
_FIGURES = frozenset({"money", "percent", "number"})


@dataclass(frozen=True)
class View:
    """How heavily aspects and words of a sentence weigh; the same instructions always make the same view."""

    weights: Mapping[str, float]
    wanted: frozenset[str]
    seed: str

    @classmethod
    def of(cls, instructions: str) -> "View":
        """The view that these instructions ask for."""
        return _view(instructions)

    def scores(self, reading: Reading) -> list[float]:
        """The salience of each sentence as this view sees it."""
        dice = random.Random(self.seed)
        length = max(1, len(reading.text))
        return [
            value * (1 + self._bonus(sentence, facts, sentence.start / length)) * (1 + JITTER * (2 * dice.random() - 1))
            for sentence, facts, value in zip(reading.sentences, reading.facts, reading.salience, strict=True)
        ]

    def _bonus(self, sentence: Sentence, facts: tuple[Fact, ...], place: float) -> float:
        present = _aspects(sentence, {fact.kind for fact in facts}, place)
        aspects = sum(weight for aspect, weight in self.weights.items() if present[aspect])
        return aspects + min(HEAVIEST, WEIGHT_OF_WORD * len(self.wanted & sentence.stems))


def _aspects(sentence: Sentence, kinds: set[str], place: float) -> dict[str, bool]:
    """Which aspects a sentence has; `place` is where it stands in its text, from 0 to 1."""
    return {
        "figures": bool(kinds & _FIGURES),
        "people": "name" in kinds or bool(sentence.speaker),
        "dates": "date" in kinds,
        "causes": bool(_CAUSAL.search(sentence.text)),
        "speech": "quote" in kinds or '"' in sentence.text or "“" in sentence.text,
        "beginning": place < 1 / 6,
        "middle": 1 / 3 <= place < 2 / 3,
        "end": place >= 5 / 6,
    }


@lru_cache(maxsize=512)
def _view(instructions: str) -> View:
    counts = {aspect: len(pattern.findall(instructions)) for aspect, pattern in _MENTIONS.items()}
    weights = {aspect: min(HEAVIEST, WEIGHT_OF_MENTION * n) for aspect, n in counts.items() if n}
    other_words = _ANY_ASPECT.sub(" ", instructions)
    return View(weights, stems_of(other_words) - _task_words(), instructions)


@cache
def _task_words() -> frozenset[str]:
    """What the instructions of all roles say anyway: it is about the task, not about what matters in a document."""
    roles = (getattr(signatures, name) for name in signatures.__all__)
    return stems_of(" ".join(getattr(role, "instructions", "") for role in roles))


__all__ = ["View"]
