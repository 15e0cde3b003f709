"""Compiled programs on the disk: a folder with `program.json` and `manifest.json`.

`program.json` is what DSPy saves: instructions and demos by predictor, no language model. It lacks the shape of the
program, which `manifest.json` holds together with where the prompts come from and what they are worth.
`summq.optimizers.compiling.artifacts` writes such folders.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import dspy
from pydantic import BaseModel, ConfigDict, Field

from summq.programs.config import SummQConfig
from summq.programs.errors import DataError
from summq.programs.runtime.files import read_json, read_model

PROGRAM = "program.json"
MANIFEST = "manifest.json"
ADVICE = "name a folder that `summq compile` wrote"
ADDED = frozenset({"examinee.blind"})
"""Predictors that programs compiled by version 0.1 lack."""
State = dict[str, Any]
Verdict = Literal["better", "undecided", "not better"]


class Record(BaseModel):
    """Base of what a manifest holds: frozen."""

    model_config = ConfigDict(frozen=True)


class DataRecord(Record):
    """What was learned from and what it was measured on; `hash` covers both."""

    name: str
    train: int = Field(description="rows that the optimizer saw")
    held_out: int = Field(description="rows on which scores before and after were measured")
    hash: str


class RoleRecord(Record):
    """What compiling one role came to, on held-out rows. Scores run from 0 to 1, higher is better."""

    role: str
    optimizer: str
    predictors: list[str]
    before: float | None = Field(description="mean score with the prompts as they were; None: nothing could be scored")
    after: float | None = Field(description="mean score with the compiled prompts")
    difference: float | None = Field(description="mean paired difference")
    low: float | None = Field(description="lower end of its 95 % interval")
    high: float | None
    n: int = Field(description="examples scored both before and after")
    failed: int = Field(default=0, description="held-out examples that could not be scored before or after")
    failed_training: int = Field(default=0, description="runs that failed while the optimizer tried prompts")
    failed_proposals: int = Field(default=0, description="instructions that the prompt model could not write")
    better: bool = Field(description="the verdict is `better`")
    verdict: Verdict | None = Field(default=None, description="None in artifacts of version 0.1.0")
    p: float | None = Field(default=None, description="of the difference, after Holm's correction for all roles")
    rows_to_decide: int | None = Field(
        default=None, description="where undecided: with so many rows a difference like this one would be found"
    )
    rollouts: int = Field(default=1, description="runs of each example before and after")
    folds: int = Field(default=1, description="parts of the rows, each measured with prompts of the others")
    installed: bool = Field(
        default=False, description="whether program.json holds the compiled prompts, not the ones before"
    )
    metric_calls: int = 0
    lm_calls: int = 0
    cost: float | None = None


class ProgramRecord(Record):
    """The assembled program before and after, on rows that its prompts were not learned from."""

    before: float | None
    after: float | None
    difference: float | None = Field(description="mean paired difference in quality")
    low: float | None = Field(description="lower end of its 95 % interval")
    high: float | None
    p: float | None
    n: int
    failed: int = Field(default=0, description="rows that could not be summarised or scored before or after")
    matched_difference: float | None = Field(description="the same with both summaries cut to the shorter one's length")
    matched_low: float | None
    matched_high: float | None
    words_before: float | None
    words_after: float | None
    calls_before: float
    calls_after: float
    cost_before: float | None = Field(description="USD for a document; None: a price is unknown")
    cost_after: float | None
    better: bool
    without: dict[str, float | None] = Field(
        default={}, description="by installed role: how much better the program is without it; where it was measured"
    )
    hurt: list[str] = Field(default=[], description="roles without which the program is better")


class Manifest(Record):
    """The shape of a compiled program, for what it was compiled, with what, and what the prompts are worth."""

    schema_version: int = Field(default=1, serialization_alias="schema", validation_alias="schema")
    config: SummQConfig
    backbone: str
    role_backbones: dict[str, str | list[str]] = {}
    prompt_model: str
    data: DataRecord
    optimizer: str
    seed: int
    roles: list[RoleRecord]
    program: ProgramRecord | None = Field(default=None, description="None: not measured, or nothing was installed")
    fields: dict[str, list[str]] = Field(description="the fields of every predictor, in order")
    versions: dict[str, str]


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an artifact. Raises DataError when there is none or it has another form."""
    return read_model(folder / MANIFEST, Manifest, "the manifest of a compiled program", f"{ADVICE}, or compile again")


def read_state(folder: Path) -> State:
    """The prompts of an artifact by predictor. Raises DataError when they can't be read."""
    content = read_json(folder / PROGRAM, "the state of a program", ADVICE)
    if not isinstance(content, dict):
        raise DataError(f"{folder / PROGRAM}: holds no object; {ADVICE}")
    return {name: state for name, state in content.items() if name != "metadata"}


def apply_state(program: Any, state: State, manifest: Manifest, folder: Path) -> None:
    """Give `program` the prompts, if they are those of a program of its shape; raises DataError if not."""
    if problem := _misfit(field_names(program), state, manifest.fields):
        raise DataError(f"{folder}: {problem}: compile again with this version of SummQ")
    try:
        program.load_state(state)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder / PROGRAM}: not the state of a program ({error}): compile again") from error


def adapted(state: State, own: State) -> State:
    """A state that an earlier version saved, in the shape of this one.

    What has been added since (predictors, fields) stays as this version has it. DSPy loads fields by position; here
    they are told by their prefixes.

    Args:
        own: The state of the program that is to load it.
    """
    return {name: _with_fields(state[name], fresh) if name in state else fresh for name, fresh in own.items()}


def _with_fields(saved: Mapping[str, Any], fresh: Mapping[str, Any]) -> State:
    signature = saved["signature"]
    saved_fields = {field["prefix"]: field for field in signature["fields"]}
    fields = [saved_fields.get(field["prefix"], field) for field in fresh["signature"]["fields"]]
    return {**saved, "signature": {**signature, "fields": fields}}


def field_names(program: dspy.Module) -> dict[str, list[str]]:
    """The fields of every predictor."""
    return {name: list(predictor.signature.fields) for name, predictor in program.named_predictors()}


def _misfit(own: Mapping[str, list[str]], state: State, saved: Mapping[str, list[str]]) -> str | None:
    """Why the prompts don't fit, in half a line; None if they do."""
    missing, unknown = sorted(own.keys() - state.keys() - ADDED), sorted(state.keys() - own.keys())
    if missing or unknown:
        named = f"lacks {missing[0]}" if missing else f"holds {unknown[0]}, which is no predictor"
        return f"{PROGRAM} has another shape than its configuration ({named})"
    dropped = [name for name in own if set(saved.get(name, ())) - set(own[name])]
    if dropped:
        return f"{dropped[0]} has no longer the fields with which it was compiled"
    if any(not isinstance(entry, dict) or entry.get("lm") for entry in state.values()):
        return f"{PROGRAM} names a language model of its own"
    return None


__all__ = [
    "ADDED",
    "MANIFEST",
    "PROGRAM",
    "DataRecord",
    "Manifest",
    "ProgramRecord",
    "RoleRecord",
    "State",
    "Verdict",
    "adapted",
    "apply_state",
    "field_names",
    "read_manifest",
    "read_state",
]
