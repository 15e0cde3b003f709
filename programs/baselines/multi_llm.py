"""C.MultiLLM, a baseline of the paper: several models summarise a passage, a central one picks the best."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

import dspy

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.baselines.hierarchy import words_for_each
from summq.programs.errors import RunError
from summq.programs.generate import ANGLES, angle_of
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.text.passages import passages
from summq.programs.text.tokens import estimate_tokens
from summq.programs.text.words import count_words
from summq.signatures import ChooseSummary, Document, ImproveSummary, SummarizePassage, named_label

PASSAGE_TOKENS = 2048
MODELS, ROUNDS, CONFIDENT = 3, 3, 8
ROOM = 4  # tokens in a passage for each word of the final summary, where that is more than `passage_tokens`


class MultiLLM(Baseline):
    """Passages are summarised, their chosen summaries together are summarised the same way, until one passage is left.

    Which models take part is a setting: `roles={"summarizer": [...], "chooser": ...}`. On one backbone the writers
    differ in what they attend to.

    Args:
        target_words: Wanted length of the summary.
        passage_tokens: Length of a passage.
        models: How many write a summary of each passage.
        rounds: How often they do so at most while the central model is not sure of the best one.
        confident: The confidence, 0 to 10, that ends the rounds.
    """

    def __init__(
        self,
        target_words: Count = TARGET_WORDS,
        passage_tokens: Count = PASSAGE_TOKENS,
        models: Count = MODELS,
        rounds: Count = ROUNDS,
        confident: Count = CONFIDENT,
    ) -> None:
        super().__init__(target_words)
        self.passage_tokens = max(passage_tokens, ROOM * target_words)
        self.rounds = rounds
        self.confident = confident
        self.writers = [Writer(agent) for agent in range(models)]
        self.choose = Role(ChooseSummary, "chooser")

    def summarized(self, document: Document) -> str:
        """The summary that is chosen of those of all generators, passage by passage where the document is long."""
        text = document.text
        while len(parts := passages(text, self.passage_tokens)) > 1:
            shorter = self._shorten(parts)
            if estimate_tokens(shorter) >= estimate_tokens(text):
                raise RunError("multi-llm: the summaries of the passages are no shorter than the passages")
            text = shorter
        return self._best(parts[0], self.target_words)

    def _shorten(self, parts: Sequence[str]) -> str:
        """Summaries of all passages, as one text."""
        words = words_for_each(len(parts), self.target_words)
        return "\n\n".join(parallel(lambda part: self._best(part, min(words, count_words(part) // 2)), parts))

    def _best(self, passage: str, target_words: int) -> str:
        """The summary of one passage that the central model chose last."""
        words = min(target_words, count_words(passage))
        candidates: dict[str, str] = {}
        for _ in range(self.rounds):
            candidates = self._write(passage=passage, candidates=candidates, target_words=words)
            choice = self.choose(passage=passage, candidates=candidates)
            best = candidate_named(choice.best, candidates)
            if choice.confidence >= self.confident:
                break
        return best

    def _write(self, **task: Any) -> dict[str, str]:
        """What each model writes, by label."""
        texts = parallel(lambda writer: str(writer(**task)), self.writers)
        return dict(zip(ascii_uppercase, texts, strict=False))


class Writer(dspy.Module):
    """One of the models that write."""

    def __init__(self, agent: int) -> None:
        super().__init__()
        angle = angle_of(agent, ANGLES)
        self.summarize = Role(SummarizePassage, "summarizer", agent, angle)
        self.improve = Role(ImproveSummary, "summarizer", agent, angle)

    def forward(self, passage: str, candidates: Mapping[str, str], target_words: int) -> str:
        """A summary of the passage; a better one where there are candidates already."""
        if candidates:
            reply = self.improve(passage=passage, candidates=dict(candidates), target_words=target_words)
        else:
            reply = self.summarize(passage=passage, context="", target_words=target_words)
        return str(reply.summary)


def candidate_named(named: str, candidates: Mapping[str, str]) -> str:
    """The candidate whose label was named.

    Raises:
        UnusableReply: No candidate was named, or several.
    """
    label = named_label(named, candidates)
    if label is None:
        raise UnusableReply(f"chooser: named {named[:40]!r}, which is not one candidate")
    return candidates[label]


__all__ = ["MultiLLM"]
