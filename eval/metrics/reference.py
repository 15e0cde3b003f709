"""ROUGE-1 + BERTScore against references: what summary roles learn from, and what the learned metric is fitted to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from summq.eval.data import Row
from summq.eval.metrics.base import Metric
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.rouge import Rouge
from summq.programs.errors import DataError
from summq.programs.text.sentences import split_sentences
from summq.signatures import Document

PARTS = {"rouge1": "ROUGE-1", "bertscore_f1": "BERTScore"}


@dataclass(frozen=True)
class Likeness:
    """How like the references a summary is: the mean of ROUGE-1 and BERTScore F1, each from 0 to 1, and both.

    Without BERTScore, where the encoder can't read the references, it is ROUGE-1.
    """

    score: float
    rouge1: float
    bertscore: float | None

    def __str__(self) -> str:
        """`ROUGE-1 0.412, BERTScore 0.587`."""
        bertscore = "" if self.bertscore is None else f", BERTScore {self.bertscore:.3f}"
        return f"ROUGE-1 {self.rouge1:.3f}{bertscore}"


class ReferenceScore:
    """Scores summaries against references; with several references the best one counts, for each part.

    Args:
        encoder: The encoder of BERTScore (see `summq.eval.metrics.bertscore`).
    """

    def __init__(self, encoder: str = "minilm") -> None:
        self.encoder = encoder

    def __call__(self, summary: str, references: Sequence[str]) -> Likeness:
        """The likeness of one summary; 0 for an empty one.

        Raises:
            DataError: It can't be measured, as without a reference.
        """
        row = Row(id="", document=Document(text=""), references=tuple(references))
        scores = [metric.score(summary, row) for metric in self._metrics]
        rouge1, bertscore = (score.values[column] for score, column in zip(scores, PARTS, strict=True))
        if rouge1 is None:
            raise DataError(f"no likeness to references: {scores[0].reason}")
        return Likeness(rouge1 if bertscore is None else (rouge1 + bertscore) / 2, rouge1, bertscore)

    def require_encoder(self) -> None:
        """Raises `ConfigError` where the encoder is not installed."""
        _ = self._metrics

    @cached_property
    def _metrics(self) -> tuple[Metric, Metric]:
        return Rouge(types=("rouge1",)), BertScore(self.encoder)


reference_score = lru_cache(maxsize=None)(ReferenceScore)
"""The scorer of an encoder, made once, so that it is loaded once."""


def reference_remarks(summary: str, references: Sequence[str], most: int = 3) -> list[str]:
    """What the nearest reference says and the summary does not, and the other way round, as lines of feedback."""
    if not references:
        return []
    nearest = max(references, key=lambda reference: share_said(summary, reference))
    missing, extra = _unmatched(nearest, summary)[:most], _unmatched(summary, nearest)[:most]
    lines = [f"A human summary says, and this one does not: {sentence}" for sentence in missing]
    return lines + [f"This summary says, and a human one does not: {sentence}" for sentence in extra]


def _unmatched(text: str, other: str) -> list[str]:
    """The sentences of a text of which the other text holds the least, those with less than half of their words."""
    shares = [(share_said(other, sentence), sentence) for sentence in split_sentences(text)]
    return [sentence for share, sentence in sorted(shares) if share < 0.5]


def share_said(text: str, of: str) -> float:
    """The share of the meaningful words of one text (`of`) that another holds."""
    from summq.programs.text.stems import content_stems

    stems = set(content_stems(of))
    return len(stems & set(content_stems(text))) / len(stems) if stems else 1.0


__all__ = ["ReferenceScore", "reference_remarks", "reference_score", "share_said"]
