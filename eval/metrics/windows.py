"""Token vectors of texts of any length: a text beyond an encoder's window is read in overlapping windows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summq.eval.metrics.encoders import Encoder, Vectors


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


__all__ = ["EmbeddedText", "embed"]
