"""Systems by name: whatever turns a document into a summary, `system(document=...) -> dspy.Prediction(summary=...)`."""

from collections.abc import Callable
from typing import Any

import dspy

from summq.programs.baselines import (
    HMSR,
    ChainOfDensity,
    Direct,
    Lead,
    MapReduce,
    MultiLLM,
    RandomSpan,
    Refine,
    Tail,
)
from summq.programs.config import SummQConfig
from summq.programs.errors import ConfigError
from summq.programs.summq import SummQ

Builder = Callable[..., dspy.Module]


def build_system(name: str, target_words: int, **options: Any) -> dspy.Module:
    """The program called `name`, to write summaries of `target_words` words.

    Args:
        options: Whole numbers of 1 or more that the baseline's class takes (`passage_tokens`), or keys of
            `SummQConfig` for the systems called summq-*.

    Raises:
        ConfigError: An unknown name or option, or a value out of range.
    """
    if name in PRESETS:
        preset, given = PRESETS[name]
        return SummQ(SummQConfig.preset(preset, target_words=target_words, **{**given, **options}))
    if name not in BASELINES:
        raise ConfigError(f"unknown system {name!r}: there are {', '.join(SYSTEMS)}")
    for option, value in options.items():
        if not isinstance(value, int) or value < 1:
            raise ConfigError(f"{name}: {option} must be a whole number of 1 or more, not {value!r}")
    try:
        return BASELINES[name](target_words=target_words, **options)
    except TypeError as error:
        raise ConfigError(f"{name} has no option {', '.join(map(repr, options))}") from error


BASELINES: dict[str, Builder] = {
    "direct": Direct,
    "hm-sr": HMSR,
    "multi-llm": MultiLLM,
    "map-reduce": MapReduce,
    "refine": Refine,
    "chain-of-density": ChainOfDensity,
    "lead": Lead,
    "tail": Tail,
    "random-span": RandomSpan,
}
PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "summq-solo": ("solo", {}),
    "summq-combo": ("combo", {}),
    "summq-combo-r": ("combo_r", {}),
    "summq-no-quiz": ("combo", {"quiz_stream": False}),
}
SYSTEMS = (*BASELINES, *PRESETS)

__all__ = ["BASELINES", "PRESETS", "SYSTEMS", "build_system"]
