"""The offline backbone: answers every role by rules over the text it is given."""

from summq.programs.runtime.offline.engine import OfflineEngine

__all__ = ["OfflineEngine"]
