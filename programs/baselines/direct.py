"""The single prompt: the whole document and one call (the rows GPT-4o, GPT-5 and o3 of the paper's tables)."""

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.digest import Digester
from summq.programs.runtime.role import Role
from summq.signatures import Document, DraftSummary


class Direct(Baseline):
    """One call. Only a document beyond the window costs more: it is read through notes."""

    def __init__(self, target_words: Count = TARGET_WORDS) -> None:
        super().__init__(target_words)
        self.digester = Digester()
        self.summarize = Role(DraftSummary, "summarizer")

    def summarized(self, document: Document) -> str:
        """The reply to the one call."""
        reading = self.digester(document)
        return str(self.summarize(document=reading.document, target_words=self.target_words).summary)


__all__ = ["Direct"]
