"""Systems to compare SummQ with, one small program each (PAPER.md, "Baselines to implement as programs")."""

from summq.programs.baselines.base import Baseline
from summq.programs.baselines.chain_of_density import ChainOfDensity
from summq.programs.baselines.direct import Direct
from summq.programs.baselines.extracts import Lead, RandomSpan, Tail
from summq.programs.baselines.hm_sr import HMSR
from summq.programs.baselines.map_reduce import MapReduce
from summq.programs.baselines.multi_llm import MultiLLM
from summq.programs.baselines.refine import Refine

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
