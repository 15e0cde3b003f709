"""Iterative refinement: one summary is carried through the document and refined with each passage."""

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.runtime.role import Role
from summq.programs.text.passages import passages
from summq.signatures import Document, RefineSummary, SummarizePassage

PASSAGE_TOKENS = 3000


class Refine(Baseline):
    """The other chain that users of general LLM frameworks reach for.

    Args:
        target_words: Wanted length of the summary.
        passage_tokens: Length of a passage.
    """

    def __init__(self, target_words: Count = TARGET_WORDS, passage_tokens: Count = PASSAGE_TOKENS) -> None:
        super().__init__(target_words)
        self.passage_tokens = passage_tokens
        self.begin = Role(SummarizePassage, "summarizer")
        self.refine = Role(RefineSummary, "refiner")

    def summarized(self, document: Document) -> str:
        """The summary of the first passage, refined with each further one."""
        first, *others = passages(document.text, self.passage_tokens)
        summary = self.begin(passage=first, context="", target_words=self.target_words).summary
        for passage in others:
            summary = self.refine(passage=passage, previous=summary, target_words=self.target_words).summary
        return str(summary)


__all__ = ["Refine"]
