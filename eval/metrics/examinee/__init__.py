"""The examinee as a learned metric of summaries."""

from summq.eval.metrics.examinee.learned import AgreementRecord, Gate, GateRecord, described
from summq.eval.metrics.examinee.metric import SHIPPED, SHIPPED_WITH_REFERENCES, ExamineeMetric, Rating

__all__ = [
    "SHIPPED",
    "SHIPPED_WITH_REFERENCES",
    "AgreementRecord",
    "ExamineeMetric",
    "Gate",
    "GateRecord",
    "Rating",
    "described",
]
