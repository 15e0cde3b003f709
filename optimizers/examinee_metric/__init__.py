"""The examinee as a learned metric of summaries (DESIGN section 11)."""

from summq.optimizers.examinee_metric.features import FEATURES
from summq.optimizers.examinee_metric.learned import AgreementRecord, Figure, Learned
from summq.optimizers.examinee_metric.learning import GradedPool, Lesson, Measure, measure
from summq.optimizers.examinee_metric.metric import SHIPPED, ExamineeMetric, Rating

__all__ = [
    "FEATURES",
    "SHIPPED",
    "AgreementRecord",
    "ExamineeMetric",
    "Figure",
    "GradedPool",
    "Learned",
    "Lesson",
    "Measure",
    "Rating",
    "measure",
]
