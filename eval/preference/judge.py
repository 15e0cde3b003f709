"""A language model as judge of two summaries: each criterion alone, both orders, and a tie where these disagree."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import dspy
from pydantic import BaseModel, ConfigDict

from summq.eval.preference.pairs import Pair
from summq.programs.errors import ConfigError, there_are
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import collect_replies
from summq.programs.runtime.role import Role
from summq.programs.text.words import count_words
from summq.signatures import JudgeSummaries

CRITERIA = {
    "overall": "overall: of the two the better summary of the document for somebody who will not read it",
    "coverage": "coverage: tells what matters in the document, from all of its parts",
    "faithfulness": "faithfulness: states only what the document says",
    "coherence": "coherence: reads as one connected text, in a sensible order",
    "conciseness": "conciseness: says what it says without repetition or filler",
}

OWN = "your own in words, 'NAME: ...'"


def criteria_of(texts: Sequence[str]) -> dict[str, str]:
    """Criteria by name with what the judge is told that they mean; all known ones for no text.

    Args:
        texts: Names of known criteria, also several with commas between, or criteria of one's own in words, a rubric
            for instance: `legal accuracy: names parties, court and ruling as the document does`.

    Raises:
        ConfigError: An unknown name, or a criterion without a name or a meaning.
    """
    criteria: dict[str, str] = {}
    for text in texts:
        name, colon, meaning = (part.strip() for part in text.partition(":"))
        if colon and not (name and meaning):
            raise ConfigError(f"criterion {text!r}: write NAME: what is to be judged, in words")
        if colon:
            criteria[name] = f"{name}: {meaning}"
            continue
        for known in filter(None, map(str.strip, text.split(","))):
            if known not in CRITERIA:
                raise ConfigError(f"unknown criterion {known!r}: {there_are([*CRITERIA, OWN], known)}")
            criteria[known] = CRITERIA[known]
    return criteria or dict(CRITERIA)


FAMILIES = {
    "OpenAI": r"gpt|chatgpt|\bo\d",
    "Anthropic": r"claude",
    "Google": r"gemini|gemma",
    "Meta": r"llama",
    "Alibaba": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Mistral": r"mistral|mixtral|ministral|magistral",
    "xAI": r"grok",
}


def family_of(spec: str) -> str:
    """The maker of the model that a spec names; the model itself where the maker is not known."""
    model = spec.partition("@")[0].rpartition("/")[2].lower()
    known = (family for family, names in FAMILIES.items() if re.search(names, model))
    return next(known, model.partition(":")[0])


def same_family_warning(judge: str, writers: dict[str, str | None]) -> str | None:
    """A line when the judge is of the family of a system's backbone; None when it is of none that is known."""
    related = [name for name, backbone in writers.items() if backbone and family_of(backbone) == family_of(judge)]
    if not related:
        return None
    return (
        f"the judge {judge} is of the same family as the backbone of {' and '.join(related)} and may favour it: "
        "name a judge of another family"
    )


Winner = Literal["a", "b", "tie"]
AS_SHOWN: Mapping[str, Winner] = {"first": "a", "second": "b", "tie": "tie"}
SWAPPED: Mapping[str, Winner] = {"first": "b", "second": "a", "tie": "tie"}


class Judgement(BaseModel):
    """One pair by one criterion. `winner` is None when a reply could not be had or read: unscored, and no tie."""

    model_config = ConfigDict(frozen=True)

    id: str
    criterion: str
    winner: Winner | None
    a_first: Winner | None
    b_first: Winner | None
    reasons: list[str] = []
    error: str | None = None
    words_a: int
    words_b: int
    cluster: str | None = None

    @property
    def flipped(self) -> bool:
        """Whether the verdict changed with the order in which the summaries were shown."""
        return self.winner is not None and self.a_first != self.b_first


class Judge(dspy.Module):
    """Judges a pair by one criterion, once in each order."""

    def __init__(self) -> None:
        super().__init__()
        self.judge = Role(JudgeSummaries, "judge")

    def forward(self, pair: Pair, criterion: str, meaning: str) -> Judgement:
        """The judgement. Raises only what will keep every other pair from being judged too."""
        inputs = {"document": pair.document, "criterion": meaning}
        orders = parallel_outcomes(
            lambda order: self.judge(**inputs, first=order[0], second=order[1]), [(pair.a, pair.b), (pair.b, pair.a)]
        )
        replies = collect_replies(self.judge.role, orders)
        a_first = AS_SHOWN[replies.by_agent[0].verdict] if 0 in replies.by_agent else None
        b_first = SWAPPED[replies.by_agent[1].verdict] if 1 in replies.by_agent else None
        return Judgement(
            id=pair.id,
            criterion=criterion,
            winner=agreed(a_first, b_first),
            a_first=a_first,
            b_first=b_first,
            reasons=[reply.reasons for reply in replies.by_agent.values()],
            error=replies.lost[0].error if replies.lost else None,
            words_a=count_words(pair.a),
            words_b=count_words(pair.b),
            cluster=pair.cluster,
        )


def agreed(one: Winner | None, other: Winner | None) -> Winner | None:
    """What both orders say, a tie where they disagree, None where one of them is missing."""
    if one is None or other is None:
        return None
    return one if one == other else "tie"


__all__ = ["CRITERIA", "Judge", "Judgement", "Winner", "criteria_of", "family_of", "same_family_warning"]
