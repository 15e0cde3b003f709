"""HM-SR: hierarchical merging with a running context, then critique and correction (a baseline of the paper)."""

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.baselines.hierarchy import Hierarchy
from summq.programs.digest import Digester
from summq.programs.runtime.role import Role
from summq.signatures import CorrectSummary, CritiqueSummary, Document

PASSAGE_TOKENS = 2048
PASSES = 3


class HMSR(Baseline):
    """Merges upwards, then corrects false statements until a critic finds none.

    Args:
        target_words: Wanted length of the summary.
        passage_tokens: Length of a passage, and of what is merged at once.
        passes: How often the summary is criticised and corrected at most.
    """

    def __init__(
        self, target_words: Count = TARGET_WORDS, passage_tokens: Count = PASSAGE_TOKENS, passes: Count = PASSES
    ) -> None:
        super().__init__(target_words)
        self.passes = passes
        self.hierarchy = Hierarchy(target_words, passage_tokens, running_context=True)
        self.digester = Digester()
        self.critique = Role(CritiqueSummary, "critic")
        self.correct = Role(CorrectSummary, "corrector")

    def summarized(self, document: Document) -> str:
        """The summary of the hierarchy, refined against the document."""
        return self._refined(self.hierarchy(document.text), self.digester(document).document)

    def _refined(self, summary: str, document: Document) -> str:
        for _ in range(self.passes):
            critique = self.critique(document=document, summary=summary).critique
            if not critique.false_statements:
                break
            summary = self.correct(
                document=document, previous=summary, critique=critique, target_words=self.target_words
            ).summary
        return summary


__all__ = ["HMSR"]
