"""Faithfulness: whether the document bears out each sentence of a summary. It says nothing about what is left out."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple, get_args

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.programs.digest import ContextWindow
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import collect_replies
from summq.programs.runtime.role import Role
from summq.programs.text.quotes import find_quote
from summq.programs.text.sentences import split_sentences
from summq.signatures import CheckSentences, Document, Sentence, SentenceCheck, Support

SENTENCES_A_CALL = 20
LAST_PART = 2 / 3  # of the sentences: summaries tend to go astray towards their end
STRONGEST_FIRST: tuple[Support, ...] = get_args(Support)


class Faithfulness:
    """Shares of the summary's sentences, 0 to 1.

    `faithful` sentences are supported by the document (higher is better), the others are `contradicted` or `not_found`
    (lower is better); `faithful_end` is the supported share of the last third. What the checker claims counts only with
    a quote that stands in the document, else the sentence is not found. A document beyond the window is checked in
    stretches, and a sentence is supported if one of them supports it. The role is `fact_checker`.
    """

    name = "faithfulness"
    columns = (
        Column(key="faithful", heading="faithful", main=True),
        Column(key="faithful_end", heading="faithful, last third"),
        Column(key="contradicted", heading="contradicted", better="lower"),
        Column(key="not_found", heading="not found", better="lower"),
    )

    def __init__(self) -> None:
        self.checker = Role(CheckSentences, "fact_checker")

    def score(self, prediction: str, row: Row) -> Score:
        """The shares over the sentences that were checked; unscored without any."""
        sentences = [Sentence(number=n, text=text) for n, text in enumerate(split_sentences(prediction), 1)]
        if not sentences:
            return unscored(self.columns, "the summary is empty")
        batches = [sentences[start : start + SENTENCES_A_CALL] for start in range(0, len(sentences), SENTENCES_A_CALL)]
        calls = product(ContextWindow.of_backbones().windows(row.document), batches)
        replies = collect_replies(self.checker.role, parallel_outcomes(lambda call: self._check(*call), calls))
        checks = [check for reply in replies.by_agent.values() for check in reply]
        supports = strongest(checks)
        if not supports:
            return unscored(self.columns, replies.lost[-1].error if replies.lost else "no sentence was checked")
        last = [support for number, support in supports.items() if number > LAST_PART * len(sentences)]
        values = {**_shares(list(supports.values())), "faithful_end": _shares(last)["faithful"] if last else None}
        unproven = sum(check.claimed != check.support for check in checks)
        return Score(values, {"sentences": len(sentences), "checked": len(supports), "unproven_claims": unproven})

    def describe(self) -> Mapping[str, str | float]:
        """What is counted, and when."""
        return {"unit": "sentence", "counts": "only with a quote that stands in the document"}

    def _check(self, window: Document, sentences: Sequence[Sentence]) -> "list[Check]":
        numbers = {sentence.number for sentence in sentences}
        checks = self.checker(document=window, sentences=list(sentences)).checked.checks
        return [proven(c, window) for c in checks if c.number in numbers and c.support in STRONGEST_FIRST]


class Check(NamedTuple):
    """What the checker claimed of a sentence, and what is left of it when its quote has been looked up."""

    number: int
    claimed: str
    support: str


def proven(check: SentenceCheck, document: Document) -> Check:
    """`not_found` where the quote of a claim does not stand in the document."""
    stands = check.support == "not_found" or find_quote(check.quote, document.text) is not None
    return Check(check.number, check.support, check.support if stands else "not_found")


def strongest(checks: Sequence[Check]) -> dict[int, str]:
    """For each sentence the strongest support that any stretch of the document gives it."""
    supports: dict[int, str] = {}
    for support in STRONGEST_FIRST:
        for check in checks:
            if check.support == support:
                supports.setdefault(check.number, support)
    return supports


def _shares(supports: Sequence[str]) -> dict[str, float | None]:
    shares = {support: supports.count(support) / len(supports) for support in STRONGEST_FIRST}
    return {"faithful": shares["supported"], "contradicted": shares["contradicted"], "not_found": shares["not_found"]}


__all__ = ["Faithfulness"]
