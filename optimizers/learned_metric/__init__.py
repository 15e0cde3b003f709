"""Fitting the learned metric: pools of summaries whose order is known, and weights."""

from summq.optimizers.learned_metric.learning import GradedPool, Lesson, Measure, measure

__all__ = ["GradedPool", "Lesson", "Measure", "measure"]
