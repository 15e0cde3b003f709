"""Where the sentences of a summary lie among those of its document, by MiniLM's sentence vectors (English)."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from summq.eval.metrics.encoders import Encoder, Vectors, connect_encoder
from summq.programs.text.reading import read

KEPT_DOCUMENTS = 64
KEPT_SENTENCES = 20_000  # 30 MB: extracts and damaged summaries hold sentences of the document
PARTS = 20


@dataclass(frozen=True)
class Alignment:
    """How the sentences of two texts match, each with the sentence of the other text that is most like it.

    `grounding` is the mean cosine (-1 to 1) over the sentences of the summary; `coverage` over `PARTS` equal parts of
    the document, each with its best-covered sentence. `sentence_order` is Kendall's tau (-1 to 1) between the order
    of the summary's sentences and that of their matches; 0 for a single sentence.
    """

    grounding: float
    coverage: float
    sentence_order: float


def align(document: str, summary: str) -> Alignment:
    """The alignment of a summary with its document. Raises `ConfigError` where the encoder is not installed."""
    theirs, ours = _document_vectors(document), sentence_vectors(summary)
    if not len(theirs) or not len(ours):
        return Alignment(0.0, 0.0, 0.0)
    likeness = ours @ theirs.T
    parts = [part.max() for part in np.array_split(likeness.max(axis=0), PARTS) if len(part)]
    return Alignment(
        float(likeness.max(axis=1).mean()), float(np.mean(parts)), _rising(likeness.argmax(axis=1).tolist())
    )


def sentence_vectors(text: str) -> Vectors:
    """A unit vector for each sentence of a text: the mean of its tokens, as MiniLM was trained."""
    return np.array([_vector(sentence.text) for sentence in read(text).sentences], dtype=np.float32)


@lru_cache(KEPT_SENTENCES)
def _vector(sentence: str) -> Vectors:
    encoder = _encoder()
    ids = encoder.token_ids(sentence)[: encoder.window]
    mean: Vectors = encoder.vectors([*encoder.prefix, *ids, *encoder.suffix]).mean(axis=0)
    unit: Vectors = mean / np.linalg.norm(mean)
    return unit


def _rising(places: list[int]) -> float:
    pairs = [(one, other) for n, one in enumerate(places) for other in places[n + 1 :]]
    return sum((other > one) - (other < one) for one, other in pairs) / len(pairs) if pairs else 0.0


_document_vectors = lru_cache(KEPT_DOCUMENTS)(sentence_vectors)


@lru_cache(1)
def _encoder() -> Encoder:
    return connect_encoder()


__all__ = ["KEPT_DOCUMENTS", "align"]
