"""ROUGE-1, -2, -L and -Lsum by rouge-score, with stemming, for texts of any script."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from statistics import fmean
from typing import Any, Literal

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.programs.text.sentences import split_sentences
from summq.programs.text.words import UnicodeTokenizer, share_of_dropped_letters

COLUMNS = (
    Column(key="rouge1", heading="ROUGE-1", main=True),
    Column(key="rouge2", heading="ROUGE-2", main=True),
    Column(key="rougeL", heading="ROUGE-L", main=True),
    Column(key="rougeLsum", heading="ROUGE-Lsum"),
)
ROUGE_TYPES = tuple(column.key for column in COLUMNS)
MOST_DROPPED = 0.002
"""A text of which rouge-score's tokenizer drops more letters than this share (German: 0.02) is no plain English."""
JUDGED_BY = 20_000  # characters of the document

Tokenizer = Literal["auto", "rouge-score", "unicode"]


class Rouge:
    """F-measures between 0 and 1 against the row's references, higher is better.

    Args:
        types: which of `ROUGE_TYPES`.
        references: with several references take the best one by each type (as rouge-score does), or their mean.
        tokenizer: `rouge-score` keeps only a to z and digits, so other scripts score 0 against themselves; `unicode`
            keeps every letter and equals it on plain English; `auto` decides by a row's references and
            document, so that all systems' summaries of one document are measured alike.
        fast: use the package rouge-score-rs where it is installed: the same scores, a hundred times as fast.
    """

    name = "rouge"

    def __init__(
        self,
        types: Sequence[str] = ROUGE_TYPES,
        references: Literal["best", "mean"] = "best",
        tokenizer: Tokenizer = "auto",
        fast: bool = True,
    ) -> None:
        self.types = tuple(types)
        self.columns = tuple(column for column in COLUMNS if column.key in types)
        self.references = references
        self.tokenizer = tokenizer
        self.package = "rouge-score-rs" if fast and find_spec("rouge_score_rs") else "rouge-score"

    def score(self, prediction: str, row: Row) -> Score:
        """The scores of one summary; unscored where the row has no reference."""
        references = [reference for reference in row.references if reference.strip()]
        if not references:
            return unscored(self.columns, "no reference")
        tokenizer = self._tokenizer_for([*references, row.document.text[:JUDGED_BY]])
        scorer = self._unicode_scorer if tokenizer == "unicode" else self._stock_scorer
        candidate = one_sentence_a_line(prediction)
        by_reference = [scorer.score(one_sentence_a_line(reference), candidate) for reference in references]
        combine = max if self.references == "best" else fmean
        values = {name: float(combine(scores[name].fmeasure for scores in by_reference)) for name in self.types}
        dropped = 0.0 if tokenizer == "unicode" else share_of_dropped_letters(prediction)
        return Score(values, {"tokenizer": tokenizer, "dropped_letters": dropped})

    def describe(self) -> Mapping[str, str | float]:
        """The package with its version, the stemmer, and how references are combined."""
        return {
            "package": f"{self.package} {version(self.package)}",
            "stemmer": "porter",
            "tokenizer": self.tokenizer,
            "references": self.references,
            "rougeLsum": "sentences by SummQ's rules; lines of raw texts give up to 0.27 else, punkt's sentences 0.03",
        }

    def _tokenizer_for(self, texts: Sequence[str]) -> Tokenizer:
        if self.tokenizer != "auto":
            return self.tokenizer
        return "unicode" if max(map(share_of_dropped_letters, texts)) > MOST_DROPPED else "rouge-score"

    @cached_property
    def _stock_scorer(self) -> Any:
        return self._scorer(use_stemmer=True)

    @cached_property
    def _unicode_scorer(self) -> Any:
        return self._scorer(tokenizer=UnicodeTokenizer())

    def _scorer(self, **options: Any) -> Any:
        package = import_module(f"{self.package.replace('-', '_')}.rouge_scorer")
        return package.RougeScorer(list(self.types), **options)


def one_sentence_a_line(text: str) -> str:
    """The form that ROUGE-Lsum wants: without the line breaks it is the same as ROUGE-L."""
    return "\n".join(split_sentences(text))


__all__ = ["ROUGE_TYPES", "Rouge", "one_sentence_a_line"]
