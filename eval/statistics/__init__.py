"""Intervals, tests and agreement, all seeded: the same values give the same numbers."""

from summq.eval.statistics.agreement import measure_agreement, nominal_alpha
from summq.eval.statistics.comparisons import SIGNIFICANT, PairedTest, compare, holm
from summq.eval.statistics.estimates import FEWEST_SOURCES, Bounds, Clusters, Estimate, summarise

__all__ = [
    "FEWEST_SOURCES",
    "SIGNIFICANT",
    "Bounds",
    "Clusters",
    "Estimate",
    "PairedTest",
    "compare",
    "holm",
    "measure_agreement",
    "nominal_alpha",
    "summarise",
]
