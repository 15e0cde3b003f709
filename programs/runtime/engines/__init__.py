"""Where the items of a command are worked on: in this process, or by workers of a Ray cluster."""

from summq.programs.runtime.engines.base import ENGINES, LOCAL, Engine, open_engine

__all__ = ["ENGINES", "LOCAL", "Engine", "open_engine"]
