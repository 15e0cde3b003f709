"""Systems to compare SummQ with, one small program each (PAPER.md, "Baselines to implement as programs")."""

from summq.programs.baselines.base import Baseline
from summq.programs.baselines.extracts import Lead, RandomSpan, Tail
from summq.programs.baselines.hierarchy import HMSR, MapReduce
from summq.programs.baselines.multi_llm import MultiLLM
from summq.programs.baselines.single_summary import ChainOfDensity, Direct, Refine

__all__ = [
    "HMSR",
    "Baseline",
    "ChainOfDensity",
    "Direct",
    "Lead",
    "MapReduce",
    "MultiLLM",
    "RandomSpan",
    "Refine",
    "Tail",
]
