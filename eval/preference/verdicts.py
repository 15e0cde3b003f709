"""Win rates over many judgements, with intervals, and the figures that show whether a judge can be trusted."""

from collections.abc import Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict, Field

from summq.eval.preference.judge import Judgement
from summq.eval.statistics import Clusters, Estimate, compare

POINTS = {"a": 1.0, "tie": 0.5, "b": 0.0}
ALIKE = 0.1  # summaries whose lengths differ by no more than this share are alike in length


class JudgeVerdict(BaseModel):
    """One criterion over all pairs.

    `win_rate` is a's share: a win is 1, a tie 0.5. `p` says how likely a rate so far from one half is by chance.
    `flip_rate` is the share of pairs whose verdict changed with the order. `longer_wins` is the share of decided pairs
    that the longer summary won; `alike` is the win rate over pairs alike in length only.
    """

    model_config = ConfigDict(frozen=True)

    criterion: str
    wins: int
    ties: int
    losses: int
    unscored: int
    win_rate: Estimate
    p: float | None
    flip_rate: float | None
    longer_wins: float | None
    decided_by_unequal: int
    alike: Estimate


class JudgeAgreement(BaseModel):
    """How far a judge says what people say by one criterion.

    `same` is the share of labelled pairs with the same winner, ties included, 0 to 1; `alpha` is Krippendorff's, where
    1 is perfect and 0 is chance. Pairs that the judge left unscored count as failed.
    """

    model_config = ConfigDict(frozen=True)

    criterion: str
    same: Estimate
    alpha: Estimate


class JudgeReport(BaseModel):
    """The verdicts on two systems, how long their summaries are, and whether the judge is of their family."""

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    judge: str
    words_a: float
    words_b: float
    length_matched: bool
    warning: str | None
    verdicts: list[JudgeVerdict]
    criteria: dict[str, str] = Field(default={}, description="what the judge was told that each one means")
    agreement: list[JudgeAgreement] = Field(default=[], description="with people, where there are labels")


def verdict_on(criterion: str, judgements: Sequence[Judgement], seed: int = 0) -> JudgeVerdict:
    """Sum up the judgements by one criterion."""
    winners = [judgement.winner for judgement in judgements]
    scored = [judgement for judgement in judgements if judgement.winner is not None]
    rate, p = win_rate(_points(judgements), _clusters(judgements), seed)
    alike = [judgement for judgement in judgements if _alike(judgement)]
    unequal = [j for j in scored if j.winner != "tie" and j.words_a != j.words_b]
    return JudgeVerdict(
        criterion=criterion,
        wins=winners.count("a"),
        ties=winners.count("tie"),
        losses=winners.count("b"),
        unscored=winners.count(None),
        win_rate=rate,
        p=p,
        flip_rate=fmean(j.flipped for j in scored) if scored else None,
        longer_wins=fmean((j.winner == "a") == (j.words_a > j.words_b) for j in unequal) if unequal else None,
        decided_by_unequal=len(unequal),
        alike=win_rate(_points(alike), _clusters(alike), seed)[0],
    )


def win_rate(points: Sequence[float | None], clusters: Clusters, seed: int) -> tuple[Estimate, float | None]:
    """The mean of the points, 0 to 1, with its interval, and the p-value of its distance from one half.

    The interval leaves one half out if and only if p < 0.05; None without a p-value.
    """
    half = POINTS["tie"]
    test = compare(points, [half] * len(points), clusters, seed=seed)
    values = (test.difference, test.low, test.high)
    mean, low, high = (None if value is None else min(1.0, max(0.0, half + value)) for value in values)
    return Estimate(mean=mean, low=low, high=high, n=test.n, failed=test.unpaired), test.p


def _points(judgements: Sequence[Judgement]) -> list[float | None]:
    return [POINTS[j.winner] if j.winner else None for j in judgements]


def _clusters(judgements: Sequence[Judgement]) -> list[str | None]:
    return [j.cluster for j in judgements]


def _alike(judgement: Judgement) -> bool:
    shorter, longer = sorted((judgement.words_a, judgement.words_b))
    return longer - shorter <= ALIKE * longer


__all__ = ["JudgeAgreement", "JudgeReport", "JudgeVerdict", "verdict_on", "win_rate"]
