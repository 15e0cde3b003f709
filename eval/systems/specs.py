"""From `[NAME=]SYSTEM[:KEY=VALUE+KEY=VALUE][@BACKBONE]` to a system.

For instance `summq-combo:max_iterations=5`, `direct@openai/gpt-4.1`, `program:compiled/reports`,
`unlimiformer=predictions:outputs.jsonl`, `reference-of-another`.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import dspy

from summq.eval.data import Dataset
from summq.eval.systems.base import System
from summq.eval.systems.people import Reference, ReferenceOfAnother, SecondHuman
from summq.eval.systems.predictions import Predictions
from summq.eval.systems.program import Program, compiled
from summq.programs.errors import ConfigError, there_are
from summq.programs.runtime.backbones import Backbone, connect
from summq.programs.settings import parse_questions
from summq.programs.systems import PRESETS, SYSTEMS, build_system

Connect = Callable[[str], Backbone]
UNTOLD = "direct:told_length=false"
OTHER_SYSTEMS = ("program:DIR", "predictions:FILE", "reference", "reference-of-another", "second-human")
_NAMED = re.compile(r"\A(?P<name>[^=:@]+)=(?P<spec>.+)")


def make_systems(
    specs: Sequence[str],
    dataset: Dataset,
    connect: Connect = connect,
    overrides: Mapping[str, Any] = MappingProxyType({}),
    *,
    told_length: bool = True,
) -> list[System]:
    """The systems that `specs` name.

    Args:
        overrides: Keys of `SummQConfig` for all systems called summq-*; what a spec says goes before them.
        told_length: Whether `direct` is told the wanted length; what a spec says goes before that, too.

    Raises:
        ConfigError: An unknown name or option, or a name that stands for two systems.
        DataError: Predictions that don't match the rows, or a folder that holds no compiled program.
        BackboneError: A backbone can't be had.
    """
    systems = [_make_system(spec, dataset, connect, overrides, told_length) for spec in specs]
    names = [system.name for system in systems]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"two systems are called {twice[0]!r}: name one of them, OTHER={twice[0]}")
    return systems


def _make_system(
    text: str, dataset: Dataset, connect: Connect, overrides: Mapping[str, Any], told_length: bool
) -> System:
    match = _NAMED.fullmatch(text)
    name, spec = (match["name"], match["spec"]) if match else (text, text)
    head, _, rest = spec.partition(":")
    if head == "predictions":
        return Predictions(name if match else Path(rest).stem, Path(rest), dataset)
    if spec == "reference-of-another":
        return ReferenceOfAnother(name, dataset)
    if spec == "reference":
        return Reference(name)
    if spec == "second-human":
        return SecondHuman(name)
    spec, _, backbone = spec.partition("@")
    if spec == "direct" and not told_length:
        spec = UNTOLD
    return Program(name, spec, _builder(spec, overrides), connect(backbone) if backbone else None)


def _builder(spec: str, overrides: Mapping[str, Any]) -> Callable[[int], dspy.Module]:
    head, _, rest = spec.partition(":")
    if head == "program":
        return partial(compiled, Path(rest))
    if head not in SYSTEMS:
        raise ConfigError(f"unknown system {spec!r}: {there_are((*SYSTEMS, *OTHER_SYSTEMS), spec)}")
    if head in PRESETS:
        return partial(_built, head, {**overrides, **PRESETS[head][1], **_options(rest)})
    return partial(_built, head, _options(rest))


def _built(name: str, options: Mapping[str, Any], words: int) -> dspy.Module:
    return build_system(name, words, **options)


def _options(text: str) -> dict[str, Any]:
    """`max_iterations=5+questions=2/2/2` as keyword arguments."""
    options: dict[str, Any] = {}
    for part in filter(None, text.split("+")):
        key, _, value = part.partition("=")
        if not key or not value:
            raise ConfigError(f"{part!r} is no option of a system: write KEY=VALUE+KEY=VALUE")
        if key == "target_words":
            raise ConfigError("target_words is no option of one system: all of them write to the same length (--words)")
        options[key] = parse_questions(value) if key == "questions" else _value(value)
    return options


def _value(text: str) -> Any:
    """A number, true or false where it reads as one, else the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


__all__ = ["OTHER_SYSTEMS", "UNTOLD", "Connect", "make_systems"]
