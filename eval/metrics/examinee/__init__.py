"""The examinee as a learned metric of summaries (DESIGN section 11)."""

from summq.eval.metrics.examinee.features import FEATURES
from summq.eval.metrics.examinee.learned import AgreementRecord, Learned
from summq.eval.metrics.examinee.metric import SHIPPED, ExamineeMetric, Rating

__all__ = [
    "FEATURES",
    "SHIPPED",
    "AgreementRecord",
    "ExamineeMetric",
    "Learned",
    "Rating",
]
