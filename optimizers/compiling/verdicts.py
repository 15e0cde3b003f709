"""Whether a role is better: a paired permutation test, Holm's correction for all roles, and three verdicts."""

import math
from collections.abc import Sequence
from statistics import NormalDist, stdev
from typing import Any

from summq.eval.statistics import compare, holm
from summq.optimizers.compiling.guard import Scores, mean_of
from summq.programs.artifact import Verdict

ALPHA = 0.05
POWER = 0.8
LEAST_GAIN = 0.01
"""A difference whose whole interval lies below this is worth no further rows."""


class Measured:
    """Scores of the same examples before and after, and the rows that they were made of."""

    def __init__(self, before: Scores, after: Scores, sources: Sequence[str | None], seed: int = 0) -> None:
        self.before, self.after, self.sources = before, after, sources
        self.paired = compare(after, before, sources, seed=seed)

    @property
    def p(self) -> float:
        """Two-sided; 1 where there is nothing to compare."""
        return 1.0 if self.paired.p is None else self.paired.p

    def verdict(self, p: float) -> Verdict:
        """What the difference comes to, with a p-value that is corrected for the other roles."""
        paired = self.paired
        if paired.difference is None or paired.difference <= 0:
            return "not better"
        if p < ALPHA:
            return "better"
        return "not better" if paired.high is not None and paired.high < LEAST_GAIN else "undecided"

    def rows_to_decide(self, roles: int) -> int | None:
        """The rows on which a difference like this one is found in four of five cases, beside so many roles.

        None where there is no gain, or only one row to tell the spread from.
        """
        by_row: dict[str | None, list[float]] = {}
        for before, after, source in zip(self.before, self.after, self.sources, strict=True):
            if before is not None and after is not None:
                by_row.setdefault(source, []).append(after - before)
        means = [sum(values) / len(values) for values in by_row.values()]
        if len(means) < 2 or sum(means) <= 0:
            return None
        effect = sum(means) / len(means) / max(stdev(means), 1e-9)
        needed = NormalDist().inv_cdf(1 - ALPHA / roles / 2) + NormalDist().inv_cdf(POWER)
        return max(len(means) + 1, math.ceil((needed / effect) ** 2))

    def values(self, p: float, roles: int) -> dict[str, Any]:
        """The fields of a role's record."""
        verdict = self.verdict(p)
        return {
            "before": mean_of(self.before),
            "after": mean_of(self.after),
            "difference": self.paired.difference,
            "low": self.paired.low,
            "high": self.paired.high,
            "n": self.paired.n,
            "failed": self.paired.unpaired,
            "p": p,
            "verdict": verdict,
            "better": verdict == "better",
            "rows_to_decide": self.rows_to_decide(roles) if verdict == "undecided" else None,
        }


def corrected(measured: Sequence[Measured], roles: int) -> list[float]:
    """Holm's p-values of the roles measured so far, out of so many in all: the others count as unsuccessful."""
    values = [one.p for one in measured]
    return holm([*values, *[1.0] * (roles - len(values))])[: len(values)]


__all__ = ["Measured", "corrected"]
