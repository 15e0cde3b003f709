"""One summary, written once (Direct), carried through the passages (Refine) or rewritten (ChainOfDensity)."""

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.digest import Digester
from summq.programs.runtime.role import Role
from summq.programs.text.passages import passages
from summq.signatures import (
    DensifySummary,
    Document,
    DraftOfAnyLength,
    DraftSummary,
    RefineSummary,
    SummarizePassage,
)

PASSAGE_TOKENS = 3000
PASSES = 5


class Direct(Baseline):
    """One prompt with the whole document (the rows GPT-4o, GPT-5 and o3 of the paper's tables).

    Only a document beyond the window costs more than one call: it is read through notes.

    Args:
        target_words: Wanted length of the summary.
        told_length: Whether the writer is told it; the paper's prompts, as far as is known, name none.
    """

    def __init__(self, target_words: Count = TARGET_WORDS, *, told_length: bool = True) -> None:
        super().__init__(target_words)
        self.told_length = told_length
        self.digester = Digester()
        self.summarize = Role(DraftSummary if told_length else DraftOfAnyLength, "summarizer")

    def summarized(self, document: Document) -> str:
        """The reply to the one call."""
        length = {"target_words": self.target_words} if self.told_length else {}
        return str(self.summarize(document=self.digester(document).document, **length).summary)


class Refine(Baseline):
    """Iterative refinement, a chain of general LLM frameworks: each passage adds to the summary of those before it.

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


class ChainOfDensity(Baseline):
    """Chain of Density (Adams et al. 2023): each pass adds missing entities and keeps the length.

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


__all__ = ["ChainOfDensity", "Direct", "Refine"]
