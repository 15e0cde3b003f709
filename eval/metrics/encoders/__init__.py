"""Encoders that give a vector for every token of a text, for BERTScore."""

from summq.eval.metrics.encoders.base import Encoder, Vectors
from summq.eval.metrics.encoders.minilm import MiniLM
from summq.eval.metrics.encoders.pretrained import Pretrained

LIGHT = "minilm"


def connect_encoder(model: str = LIGHT, layer: int | None = None) -> Encoder:
    """The light packaged encoder, or any model of the hub or of a local folder through bert-score.

    Raises `ConfigError` when what it needs is not installed or the model can't be had.
    """
    return MiniLM() if model == LIGHT else Pretrained(model, layer)


__all__ = ["LIGHT", "Encoder", "Vectors", "connect_encoder"]
