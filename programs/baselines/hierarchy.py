"""Summaries of passages, merged level by level until one is left: the hierarchy, and the baselines that use it."""

import math
from collections.abc import Callable, Sequence

import dspy

from summq.programs.baselines.base import TARGET_WORDS, Baseline, Count
from summq.programs.digest import Digester
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.role import Role
from summq.programs.text.passages import passages
from summq.programs.text.tokens import estimate_tokens
from summq.programs.text.words import count_words
from summq.signatures import CorrectSummary, CritiqueSummary, Document, MergeSummaries, SummarizePassage

MAP_REDUCE_TOKENS, HM_SR_TOKENS = 3000, 2048  # in a passage
HM_SR_PASSES = 3
PASSAGE_WORDS = 150  # at least, of the summary of a passage
SURPLUS = 1.5  # the summaries of all passages are together longer than the final summary, so that it can choose

Step = Callable[[str], str]  # from the context to one summary of a level


class Hierarchy(dspy.Module):
    """Divides a text into passages, summarises each, and merges neighbours upwards.

    Args:
        target_words: Length of the final summary.
        passage_tokens: Length of a passage, and of the summaries that are merged at once (two in any case).
        running_context: Whether each summary of a level is told the one before it; without, a level runs at once.
    """

    def __init__(self, target_words: int, passage_tokens: int, *, running_context: bool) -> None:
        super().__init__()
        self.target_words = target_words
        self.passage_tokens = passage_tokens
        self.running_context = running_context
        self.summarize = Role(SummarizePassage, "summarizer")
        self.merge = Role(MergeSummaries, "merger")

    def forward(self, text: str) -> str:
        """The summary of `text`."""
        parts = passages(text, self.passage_tokens)
        words = words_for_each(len(parts), self.target_words)
        summaries = self._level([self._summarizing(part, words) for part in parts])
        while len(summaries) > 1:
            *groups, last = grouped(summaries, self.passage_tokens)
            merged = self._level([self._merging(group) for group in [*groups, last] if len(group) > 1])
            summaries = [*merged, *(last if len(last) == 1 else [])]
        return summaries[0]

    def _level(self, steps: Sequence[Step]) -> list[str]:
        """The summaries of one level, in order."""
        if not self.running_context:
            return parallel(lambda step: step(""), steps)
        done: list[str] = []
        for step in steps:
            done.append(step(done[-1] if done else ""))
        return done

    def _summarizing(self, passage: str, words: int) -> Step:
        words = min(words, count_words(passage))
        return lambda context: str(self.summarize(passage=passage, context=context, target_words=words).summary)

    def _merging(self, group: Sequence[str]) -> Step:
        words = min(self.target_words, sum(count_words(summary) for summary in group))
        return lambda context: str(self.merge(passages=list(group), context=context, target_words=words).summary)


def words_for_each(passages: int, target_words: int) -> int:
    """The length of the summary of one passage out of so many."""
    return target_words if passages == 1 else max(PASSAGE_WORDS, math.ceil(SURPLUS * target_words / passages))


def grouped(summaries: Sequence[str], limit: int) -> list[list[str]]:
    """Neighbours that fit into `limit` tokens together; at least two in each group but perhaps the last."""
    groups: list[list[str]] = [[]]
    for summary in summaries:
        if len(groups[-1]) > 1 and sum(map(estimate_tokens, [*groups[-1], summary])) > limit:
            groups.append([])
        groups[-1].append(summary)
    return groups


class MapReduce(Baseline):
    """Summaries of passages, written at once and then merged: the usual chain of general LLM frameworks.

    Args:
        target_words: Wanted length of the summary.
        passage_tokens: Length of a passage, and of what is merged at once.
    """

    def __init__(self, target_words: Count = TARGET_WORDS, passage_tokens: Count = MAP_REDUCE_TOKENS) -> None:
        super().__init__(target_words)
        self.hierarchy = Hierarchy(target_words, passage_tokens, running_context=False)

    def summarized(self, document: Document) -> str:
        """The summary of the summaries of passages."""
        return str(self.hierarchy(document.text))


class HMSR(Baseline):
    """HM-SR of the paper: merges with a running context, then corrects false statements until a critic finds none.

    Args:
        target_words: Wanted length of the summary.
        passage_tokens: Length of a passage, and of what is merged at once.
        passes: How often the summary is criticised and corrected at most.
    """

    def __init__(
        self, target_words: Count = TARGET_WORDS, passage_tokens: Count = HM_SR_TOKENS, passes: Count = HM_SR_PASSES
    ) -> None:
        super().__init__(target_words)
        self.passes = passes
        self.hierarchy = Hierarchy(target_words, passage_tokens, running_context=True)
        self.digester = Digester()
        self.critique = Role(CritiqueSummary, "critic")
        self.correct = Role(CorrectSummary, "corrector")

    def summarized(self, document: Document) -> str:
        """The summary of the hierarchy, corrected against the document."""
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


__all__ = ["HMSR", "MapReduce", "grouped", "words_for_each"]
