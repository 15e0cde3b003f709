"""Systems to compare SummQ with, one small program each, by the names that `--systems` takes."""

from summq.programs.baselines.base import Baseline
from summq.programs.baselines.extracts import Lead, RandomSpan, Tail
from summq.programs.baselines.hierarchy import HMSR, MapReduce
from summq.programs.baselines.multi_llm import MultiLLM
from summq.programs.baselines.single_summary import ChainOfDensity, Direct, Refine

BASELINES: dict[str, type[Baseline]] = {
    "direct": Direct,
    "hm-sr": HMSR,
    "multi-llm": MultiLLM,
    "map-reduce": MapReduce,
    "refine": Refine,
    "chain-of-density": ChainOfDensity,
    "lead": Lead,
    "tail": Tail,
    "random-span": RandomSpan,
}

__all__ = ["BASELINES", "HMSR", "Baseline", "ChainOfDensity", "Direct", "MapReduce", "MultiLLM", "Refine"]
