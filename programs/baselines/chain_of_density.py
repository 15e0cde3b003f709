"""Chain of Density (Adams et al. 2023): each pass adds missing entities and keeps the length."""

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.digest import Digester
from summq.programs.runtime.role import Role
from summq.signatures import DensifySummary, Document

PASSES = 5


class ChainOfDensity(Baseline):
    """A summary that grows denser, not longer.

    Args:
        target_words: Wanted length of the summary.
        passes: How many summaries are written, each denser than the one before.
    """

    def __init__(self, target_words: Count = TARGET_WORDS, passes: Count = PASSES) -> None:
        super().__init__(target_words)
        self.passes = passes
        self.digester = Digester()
        self.densify = Role(DensifySummary, "densifier")

    def summarized(self, document: Document) -> str:
        """The last of the summaries, each denser than the one before."""
        reading = self.digester(document)
        summary = ""
        for _ in range(self.passes):
            reply = self.densify(document=reading.document, previous=summary, target_words=self.target_words)
            summary = reply.summary
        return summary


__all__ = ["ChainOfDensity"]
