"""How many tokens a text has, before any call."""

import importlib.util
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

# Prose in Latin letters has 4 to 5 characters a token in today's vocabularies, other scripts have 1 to 2.
LATIN_CHARACTERS_PER_TOKEN = 3.5
_OTHER_SCRIPT = re.compile(r"[^\x00-\u024f\u2010-\u2027]")

# tiktoken keeps a vocabulary under the SHA-1 of its address.
VOCABULARY_FILES = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}


def count_tokens(text: str, model: str = "") -> int:
    """Tokens of `text` for the backbone `model` (`openai/gpt-4o`): counted where possible, else estimated high.

    Counted with tiktoken for the OpenAI models that it knows, with a vocabulary that lies on this machine (LiteLLM,
    which comes with DSPy, ships both): nothing is downloaded. Every other model gets `estimate_tokens`.
    """
    encoding = _encoding(model.partition("@http")[0].rpartition("/")[2])
    return estimate_tokens(text) if encoding is None else len(encoding.encode_ordinary(text))


def estimate_tokens(text: str) -> int:
    """An estimate that errs high: a token for 3.5 Latin characters, and for each character of another script."""
    others = 0 if text.isascii() else len(_OTHER_SCRIPT.findall(text))
    return others + round((len(text) - others) / LATIN_CHARACTERS_PER_TOKEN)


@cache
def _encoding(model: str) -> "tiktoken.Encoding | None":
    import tiktoken

    try:
        name = tiktoken.encoding_name_for_model(model)
    except KeyError:
        return None
    folder = _vocabularies()
    if folder is None or not (folder / VOCABULARY_FILES.get(name, "none")).is_file():
        return None
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # where tiktoken looks before it downloads; LiteLLM sets it likewise
    return tiktoken.get_encoding(name)


def _vocabularies() -> Path | None:
    if chosen := os.environ.get("TIKTOKEN_CACHE_DIR"):
        return Path(chosen)
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"


__all__ = ["count_tokens", "estimate_tokens"]
