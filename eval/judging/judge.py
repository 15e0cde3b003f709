"""A language model as judge of two summaries: each criterion alone, both orders, and a tie where these disagree."""

from collections.abc import Mapping
from typing import Literal

import dspy
from pydantic import BaseModel, ConfigDict

from summq.eval.judging.pairs import Pair
from summq.programs.runtime.fan_out import fan_out
from summq.programs.runtime.members import call_roll
from summq.programs.runtime.role import Role
from summq.signatures import JudgeSummaries

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
        asked = {"document": pair.document, "criterion": meaning}
        orders = fan_out(
            [
                lambda: self.judge(**asked, first=pair.a, second=pair.b),
                lambda: self.judge(**asked, first=pair.b, second=pair.a),
            ]
        )
        roll = call_roll(self.judge.role, orders)
        a_first = AS_SHOWN[roll.replies[0].verdict] if 0 in roll.replies else None
        b_first = SWAPPED[roll.replies[1].verdict] if 1 in roll.replies else None
        return Judgement(
            id=pair.id,
            criterion=criterion,
            winner=agreed(a_first, b_first),
            a_first=a_first,
            b_first=b_first,
            reasons=[reply.reasons for reply in roll.replies.values()],
            error=roll.lost[0].error if roll.lost else None,
            words_a=len(pair.a.split()),
            words_b=len(pair.b.split()),
            cluster=pair.cluster,
        )


def agreed(one: Winner | None, other: Winner | None) -> Winner | None:
    """What both orders say, a tie where they disagree, None where one of them is missing."""
    if one is None or other is None:
        return None
    return one if one == other else "tie"


__all__ = ["Judge", "Judgement", "Winner", "agreed"]
