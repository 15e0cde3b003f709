"""Where the items of a command are worked on: in this process, in others beside it, or on a Ray cluster."""

from summq.programs.runtime.engines.base import ENGINES, LOCAL, Engine, OpenSession, open_engine

__all__ = ["ENGINES", "LOCAL", "Engine", "OpenSession", "open_engine"]
