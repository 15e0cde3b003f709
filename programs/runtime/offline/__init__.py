"""The offline backbone: answers every role by rules over the text it is given (DESIGN section 7)."""

from summq.programs.runtime.offline.engine import AsyncOfflineEngine, OfflineEngine

__all__ = ["AsyncOfflineEngine", "OfflineEngine"]
