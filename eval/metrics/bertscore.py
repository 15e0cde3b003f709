"""BERTScore (Zhang et al. 2020) that cuts nothing: long texts are matched over all their tokens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.eval.metrics.encoders import LIGHT, Encoder, Vectors, cant_read, connect_encoder


@dataclass(frozen=True)
class EmbeddedText:
    """A unit vector and a weight for each token of a text; `over_limit` if it did not fit the encoder's window."""

    vectors: Vectors
    weights: NDArray[np.float64]
    over_limit: bool


def embed(encoder: Encoder, text: str, windowed: bool = True) -> EmbeddedText:
    """The vectors of all tokens; without windows, as bert-score has it, only of those that fit."""
    ids = encoder.token_ids(text)
    over_limit = len(ids) > encoder.window
    if not windowed:
        ids = ids[: encoder.window]
    vectors = _read(encoder, ids)
    tokens = [*encoder.prefix, *ids, *encoder.suffix]
    return EmbeddedText(
        vectors=vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        weights=np.array([token not in encoder.unweighted for token in tokens], dtype=np.float64),
        over_limit=over_limit,
    )


def _read(encoder: Encoder, ids: Sequence[int]) -> Vectors:
    """Windows overlap by half; each token's vector comes from the window that shows most of what is around it."""
    size, head = encoder.window, len(encoder.prefix)
    if len(ids) <= size:
        return encoder.vectors([*encoder.prefix, *ids, *encoder.suffix])
    starts = np.array([*range(0, len(ids) - size, size // 2), len(ids) - size])
    reads = [encoder.vectors([*encoder.prefix, *ids[start : start + size], *encoder.suffix]) for start in starts]
    offsets = np.arange(len(ids)) - starts[:, None]
    best = np.argmax(np.minimum(offsets, size - 1 - offsets), axis=0)
    body = [reads[window][head + offsets[window, position]] for position, window in enumerate(best)]
    return np.concatenate([reads[0][:head], body, reads[-1][head + size :]])


UNRELATED = (
    "The harbour was closed for two days after the storm, and the ferries stayed where they were until the wind fell.",
    "Knead the dough for ten minutes, let it rise under a cloth, and bake it in a hot oven until the crust is brown.",
)
CACHED_TEXTS = 128


class BertScore:
    """Raw (not rescaled) precision, recall and F1, higher is better; most values lie far above 0.

    Args:
        model: `minilm` (light, packaged, English), or any encoder by hub name or folder through bert-score.
        layer: the layer whose vectors are compared; by default the one that bert-score tuned for the model.
        windowed: read texts beyond the encoder's window in windows. Without, they are cut as bert-score cuts them, and
            the score says how many were. Below the limit both are the same, and the same as bert-score gives for the
            pair alone (when it scores a batch, its padding lifts negative similarities to 0).
        references: with several references take the best one by each column (as bert-score does), or their mean.
    """

    name = "bertscore"
    columns = (
        Column(key="bertscore_p", heading="BERTScore P", least=-1, listed=False),
        Column(key="bertscore_r", heading="BERTScore R", least=-1, listed=False),
        Column(key="bertscore_f1", heading="BERTScore F1", least=-1, main=True),
    )

    def __init__(
        self,
        model: str = LIGHT,
        layer: int | None = None,
        windowed: bool = True,
        references: Literal["best", "mean"] = "best",
    ) -> None:
        self.windowed = windowed
        self.references = references
        self.encoder: Encoder = connect_encoder(model, layer)
        self._embed: Callable[[str], EmbeddedText] = lru_cache(CACHED_TEXTS)(self._embed_text)

    def score(self, prediction: str, row: Row) -> Score:
        """The scores of one summary; unscored where the row has no reference, or one in a language that isn't read.

        `details` counts the long texts.
        """
        texts = [reference for reference in row.references if reference.strip()]
        if not texts:
            return unscored(self.columns, "no reference")
        if reason := cant_read(self.encoder, "\n".join(texts)):
            return unscored(self.columns, reason)
        if not prediction.strip():
            return Score({column.key: 0.0 for column in self.columns})
        candidate = self._embed(prediction)
        references = [self._embed(text) for text in texts]
        matches = [match(candidate, reference) for reference in references]
        combine = max if self.references == "best" else fmean
        values = (combine(getattr(one, part) for one in matches) for part in ("precision", "recall", "f1"))
        long = sum(text.over_limit for text in (candidate, *references))
        details = {"mode": self._mode, "texts": 1 + len(references), "over_limit": long}
        return Score({c.key: value for c, value in zip(self.columns, values, strict=True)}, details)

    def describe(self) -> Mapping[str, str | float]:
        """Hash, layer and mode, and the F1 of two unrelated texts: the floor from which the column counts."""
        return {
            "hash": self.encoder.identity,
            "layer": self.encoder.layer,
            "window": self.encoder.window,
            "mode": self._mode,
            "references": self.references,
            "rescaled": "no",
            "unrelated_pair": self._floor,
            "languages": self.encoder.languages or "not known",
        }

    @property
    def _mode(self) -> str:
        return "windowed" if self.windowed else "cut"

    @cached_property
    def _floor(self) -> float:
        one, two = (self._embed(text) for text in UNRELATED)
        return match(one, two).f1

    def _embed_text(self, text: str) -> EmbeddedText:
        return embed(self.encoder, text, self.windowed)


@dataclass(frozen=True)
class Match:
    """How well two texts cover each other."""

    precision: float
    recall: float
    f1: float


def match(candidate: EmbeddedText, reference: EmbeddedText) -> Match:
    """Each token's greatest similarity to a token of the other text, averaged over the tokens that count."""
    if not (candidate.weights.any() and reference.weights.any()):
        return Match(0.0, 0.0, 0.0)
    similarity = candidate.vectors @ reference.vectors.T
    precision = float(similarity.max(axis=1) @ candidate.weights / candidate.weights.sum())
    recall = float(similarity.max(axis=0) @ reference.weights / reference.weights.sum())
    total = precision + recall
    return Match(precision, recall, 2 * precision * recall / total if total else 0.0)


__all__ = ["BertScore", "embed", "match"]
