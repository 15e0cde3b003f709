"""Map-reduce: passages are summarised at once, and their summaries merged until one is left."""

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.baselines.hierarchy import Hierarchy
from summq.signatures import Document

PASSAGE_TOKENS = 3000


class MapReduce(Baseline):
    """The chain that users of general LLM frameworks reach for first.

    Args:
        target_words: Wanted length of the summary.
        passage_tokens: Length of a passage, and of what is merged at once.
    """

    def __init__(self, target_words: Count = TARGET_WORDS, passage_tokens: Count = PASSAGE_TOKENS) -> None:
        super().__init__(target_words)
        self.hierarchy = Hierarchy(target_words, passage_tokens, running_context=False)

    def summarized(self, document: Document) -> str:
        """The summary of the summaries of passages."""
        return str(self.hierarchy(document.text))


__all__ = ["MapReduce"]
