"""Any transformer that bert-score can load, by its name on the hub or its folder (extra `bertscore`)."""

from collections.abc import Sequence
from pathlib import Path

from summq.eval.metrics.encoders.base import Vectors
from summq.programs.errors import ConfigError

USUAL_LIMIT = 512
_NO_LIMIT = 1_000_000


class Pretrained:
    """The model, layer, tokenizer and hash of bert-score itself, for which its scores hold to 1e-6 below the limit."""

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

    def token_ids(self, text: str) -> list[int]:
        ids = self._encode(text)
        return ids[len(self.prefix) : len(ids) - len(self.suffix)]

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        import torch
        from bert_score.utils import bert_encode

        ids = torch.tensor([list(token_ids)], device=self._device)
        found: Vectors = bert_encode(self._model, ids, torch.ones_like(ids))[0].cpu().numpy()
        return found

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


__all__ = ["Pretrained"]
