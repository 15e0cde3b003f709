"""Tokens are counted exactly where the vocabulary is at hand, else estimated upwards."""

import json
from pathlib import Path
from typing import Any

import pytest

from summq.programs.text.tokens import count_tokens, estimate_tokens


class TestTokens:
    def test_openai_models_are_counted_exactly(self) -> None:
        assert count_tokens("Hello, world!", "openai/gpt-4o") == 4
        assert count_tokens("Hello, world!", "openai/gpt-4o@http://127.0.0.1:1/v1") == 4

    def test_counting_downloads_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*arguments: Any) -> Any:
            raise AssertionError("a vocabulary was asked from the network")

        monkeypatch.setattr("tiktoken.load.read_file", refuse)
        assert count_tokens("word " * 7, "openai/text-davinci-003") == estimate_tokens("word " * 7) == 10

    @pytest.mark.parametrize(
        "text",
        [
            "The harbour of the old town lies behind a long pier, and few ships call there now. ",
            "Съешь же ещё этих мягких французских булок, да выпей чаю. ",
            "全国人民代表大会常务委员会关于修改的决定。",
        ],
    )
    def test_estimates_err_high(self, text: str) -> None:
        counted = count_tokens(text * 20, "openai/gpt-4o")
        assert counted <= count_tokens(text * 20, "ollama_chat/qwen3:32b") <= 3 * counted

    def test_estimates_of_real_documents_err_high(self, shared_data: Path) -> None:
        for line in (shared_data / "plays" / "dev.jsonl").read_text().splitlines()[:2]:
            text = json.loads(line)["document"]
            assert count_tokens(text, "openai/gpt-4o") <= estimate_tokens(text)
