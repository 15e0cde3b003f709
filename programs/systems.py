"""Systems by name, baselines and SummQ: `system(document=...)` returns a `dspy.Prediction` with a `summary`."""

from collections.abc import Mapping
from typing import Any, get_type_hints

import dspy
from pydantic import TypeAdapter, ValidationError

from summq.programs.baselines import BASELINES, Baseline
from summq.programs.config import SummQConfig
from summq.programs.errors import ConfigError, there_are, told
from summq.programs.summq import SummQ


def build_system(name: str, target_words: int, **options: Any) -> dspy.Module:
    """The program called `name`, to write summaries of `target_words` words.

    Args:
        options: Arguments of the baseline's class (`passage_tokens`), or keys of `SummQConfig` for the systems called
            summq-*.

    Raises:
        ConfigError: An unknown name or option, or a value out of range.
    """
    if name in PRESETS:
        preset, given = PRESETS[name]
        return SummQ(SummQConfig.preset(preset, target_words=target_words, **{**given, **options}))
    if name not in BASELINES:
        raise ConfigError(f"unknown system {name!r}: {there_are(SYSTEMS, name)}")
    baseline = BASELINES[name]
    _check(name, baseline, options)
    return baseline(target_words=target_words, **options)


def _check(name: str, baseline: type[Baseline], options: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for an option that the baseline hasn't, or a value out of range."""
    known = {
        key: hint
        for key, hint in get_type_hints(baseline.__init__, include_extras=True).items()
        if key not in ("return", "target_words")
    }
    for key, value in options.items():
        if key not in known:
            raise ConfigError(f"{name} has no option {key!r}: {there_are(known, key)}")
        try:
            TypeAdapter(known[key]).validate_python(value, strict=True)
        except ValidationError as error:
            raise ConfigError(f"{name}: {key}: {told(error.errors()[0])}, not {value!r}") from error


PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "summq-solo": ("solo", {}),
    "summq-combo": ("combo", {}),
    "summq-combo-r": ("combo_r", {}),
    "summq-no-quiz": ("combo", {"quiz_stream": False}),
    "summq-examinee-only": ("combo", {"reviews": False}),
}
SYSTEMS = (*BASELINES, *PRESETS)

__all__ = ["PRESETS", "SYSTEMS", "build_system"]
