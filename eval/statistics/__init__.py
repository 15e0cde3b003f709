"""Intervals, tests and agreement, all seeded: the same values give the same numbers."""

from summq.eval.statistics.agreement import Agreement, measure_agreement
from summq.eval.statistics.comparisons import Comparison, compare, holm
from summq.eval.statistics.estimates import Estimate, summarise
from summq.eval.statistics.krippendorff import nominal_alpha

__all__ = ["Agreement", "Comparison", "Estimate", "compare", "holm", "measure_agreement", "nominal_alpha", "summarise"]
