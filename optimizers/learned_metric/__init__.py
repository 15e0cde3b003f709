"""Learning the metric `examinee`: candidates whose order is known, weights, agreement and gates."""

from summq.optimizers.learned_metric.agreement import Measure, cross_validated, measure, run_gates
from summq.optimizers.learned_metric.learning import MetricPlan, learn_metric
from summq.optimizers.learned_metric.training import GradedCandidates, MetricTrainer

__all__ = [
    "GradedCandidates",
    "Measure",
    "MetricPlan",
    "MetricTrainer",
    "cross_validated",
    "learn_metric",
    "measure",
    "run_gates",
]
