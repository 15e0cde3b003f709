"""What a study has found: its Pareto front, and one trial of it selected as a config file with a program."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from summq.optimizers.compiling.artifacts import ArtifactFolder, versions
from summq.optimizers.tuning.space import Params, Space, Structure
from summq.optimizers.tuning.study import completed
from summq.optimizers.tuning.tune import Tuning
from summq.programs import SummQ, SummQConfig
from summq.programs.artifact import DataRecord, Manifest, field_names, read_manifest
from summq.programs.errors import ConfigError, DataError
from summq.programs.runtime.files import write_text
from summq.programs.settings import Settings

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial


def cheapest_of_best(study: "Study", within: float = 0.01) -> "FrozenTrial":
    """The cheapest trial whose quality is at most `within` below the best; with one objective, the best.

    This is what the study's own rows say, which flatter it: see `choice.py`. Raises `DataError` without a trial.
    """
    trials = _finished(study)
    best = max(trial.values[0] for trial in trials)
    good = [trial for trial in trials if trial.values[0] >= best - within] if len(study.directions) > 1 else trials
    return min(good, key=lambda trial: (trial.values[1:], -trial.values[0], trial.number))


def find_trial(study: "Study", number: str) -> "FrozenTrial":
    """A finished trial by its number.

    Raises:
        ConfigError: No finished trial has that number.
        DataError: No trial is finished.
    """
    named = next((trial for trial in _finished(study) if str(trial.number) == number), None)
    if named is None:
        raise ConfigError(f"--choose {number}: write auto or the number of a finished trial")
    return named


def _finished(study: "Study") -> "list[FrozenTrial]":
    """The trials that have a value. Raises `DataError` when there is none."""
    trials = completed(study)
    if not trials:
        raise DataError(f"study {study.study_name!r} has no finished trial yet: run some")
    return trials


def front(study: "Study") -> "list[FrozenTrial]":
    """The Pareto front: trials that no other beats in all objectives, the best quality first, each structure once."""
    best = sorted(study.best_trials, key=lambda trial: (-trial.values[0], trial.number))
    return list({repr(trial.params): trial for trial in reversed(best)}.values())[::-1]


def front_table(study: "Study", objectives: Sequence[str]) -> str:
    """The Pareto front as a Markdown table."""
    best = front(study)
    params = sorted({name for trial in best for name in trial.params})
    lines = [f"| {' | '.join(['trial', *objectives, *params])} |", "| --- " * (1 + len(objectives) + len(params)) + "|"]
    for trial in best:
        values = [f"{value:.4f}" for value in trial.values]
        cells = [str(trial.number), *values, *(str(trial.params.get(name, "")) for name in params)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write_selection(params: Params, title: str, tuning: Tuning, folder: Path) -> Path:
    """Write a structure as `chosen.toml`, for `--config` from any folder, and its program beside it.

    Args:
        title: What it is, for the first line of the file.

    Returns:
        The file.
    """
    structure = tuning.space.structure(params, tuning.settings.config)
    program = structure.program()
    ArtifactFolder(folder / "program").save(program, SummQ(program.config), _manifest(structure, program, tuning))
    values = {**_plain(structure, tuning.settings), "program": str((folder / "program").resolve())}
    path = folder / "chosen.toml"
    write_text(path, f"# {title}\n{_to_toml(values)}")
    return path


def _manifest(structure: Structure, program: SummQ, tuning: Tuning) -> Manifest:
    """The manifest of the program, with the records of the compiled prompts that it uses."""
    sources = [read_manifest(folder) for folder in dict.fromkeys(structure.prompts.values())]
    settings = tuning.settings
    return Manifest(
        config=program.config,
        backbone=settings.backbone,
        role_backbones={**settings.roles, **structure.roles},
        prompt_model=sources[0].prompt_model if sources else settings.backbone,
        data=DataRecord(name=tuning.name, train=0, held_out=len(tuning.rows), hash=tuning.data_hash),
        optimizer="tune",
        seed=tuning.seed,
        roles=[record for source in sources for record in source.roles if record.installed],
        fields=field_names(program),
        versions=versions(),
    )


def _to_toml(values: dict[str, Any]) -> str:
    """Plain values and one level of tables as TOML."""
    flat = [f"{key} = {json.dumps(value)}" for key, value in values.items() if not isinstance(value, dict)]
    tables = {key: value for key, value in values.items() if isinstance(value, dict) and value}
    parts = ["\n".join(flat), *(f"[{key}]\n{_to_toml(value)}" for key, value in tables.items())]
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _plain(structure: Structure, settings: Settings) -> dict[str, Any]:
    """The content of the config file: keys that differ from the defaults, and what backbone and roles run with."""
    values, defaults = structure.config.model_dump(), SummQConfig().model_dump()
    kept = {key: value for key, value in values.items() if value != defaults[key] or key in Space.model_fields}
    if missing := [key for key, value in kept.items() if value is None]:
        raise ConfigError(f"a config file can't say {missing[0]} = none: use Python for this configuration")
    roles = {**settings.roles, **structure.roles}
    temperatures = {**settings.temperatures, **structure.temperatures}
    return {
        "backbone": settings.backbone,
        **kept,
        "roles": roles,
        "temperatures": temperatures,
        "options": settings.options,
    }


__all__ = ["cheapest_of_best", "find_trial", "front", "front_table", "write_selection"]
