"""Shards of one evaluation joined to the evaluation that one run over all rows would have been."""

import shutil
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from summq.eval.archive import CONFIG, PREDICTIONS, Outcomes, RunConfig, read_config, read_outcomes
from summq.programs.errors import ConfigError, DataError
from summq.programs.runs.shards import Shard
from summq.programs.runtime.files import make_folder, write_lines, write_model

QUIZZES = "quizzes"
OWN = {"shard", "ids", "short", "source"}
"""What may differ between shards: their parts of the rows, and where the files of the data lie on their machines."""


def is_shard(folder: Path) -> bool:
    """Whether a folder holds a shard of an evaluation. Raises DataError where its configuration can't be read."""
    return (folder / CONFIG).exists() and read_config(folder).shard is not None


def merge_shards(folders: Sequence[Path], out: Path) -> None:
    """Write `config.json`, `predictions.jsonl` and the quizzes of all shards into the new folder `out`.

    Rows that a shard has not run yet are not run in `out` either; the command without a shard goes on there.

    Raises:
        DataError: A folder holds no shard, or a shard is missing or there twice.
        ConfigError: The shards are not of one evaluation, or `out` holds one already.
    """
    configs = _in_order(folders)
    if (out / CONFIG).exists():
        raise ConfigError(f"{out} holds an evaluation already: name a new folder for the merged one")
    first = next(iter(configs.values()))
    ids = [row_id for row in zip_longest(*(config.ids for config in configs.values())) for row_id in row if row_id]
    short = {row_id for config in configs.values() for row_id in config.short}
    merged = first.model_copy(
        update={"shard": None, "ids": ids, "short": [row_id for row_id in ids if row_id in short]}
    )
    outcomes = [read_outcomes(folder / PREDICTIONS) for folder in configs]
    make_folder(out)
    write_lines(out / PREDICTIONS, _lines(merged, outcomes))
    for quiz in chain.from_iterable((folder / QUIZZES).glob("*.json") for folder in configs):
        shutil.copy(quiz, make_folder(out / QUIZZES) / quiz.name)
    write_model(out / CONFIG, merged)  # last: now it is an evaluation


def _in_order(folders: Sequence[Path]) -> dict[Path, RunConfig]:
    """The configurations of all shards, by their numbers."""
    configs = {folder: read_config(folder) for folder in folders}
    for folder, config in configs.items():
        if config.shard is None:
            raise DataError(f"{folder} holds no shard of an evaluation: name the folders of `summq eval --shard`")
    shards = {folder: Shard.parse(config.shard or "") for folder, config in configs.items()}
    ordered = sorted(configs, key=lambda folder: shards[folder].index)
    one = ordered[0]
    for folder in ordered[1:]:
        _require_alike(one, configs[one], folder, configs[folder])
    count, there = shards[one].count, [shards[folder].index for folder in ordered]
    if len(folders) > len(configs) or len(set(there)) < len(there):
        raise DataError("a shard is named twice: name the folder of each once")
    if missing := [str(index) for index in range(1, count + 1) if index not in there]:
        raise DataError(f"of {count} shards {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return {folder: configs[folder] for folder in ordered}


def _require_alike(one: Path, config: RunConfig, other: Path, its: RunConfig) -> None:
    counts = [Shard.parse(each.shard or "").count for each in (config, its)]
    changed = [key for key in RunConfig.model_fields if key not in OWN and getattr(config, key) != getattr(its, key)]
    if counts[0] != counts[1]:
        changed.append("number of shards")
    if changed:
        raise ConfigError(f"{one} and {other} are not shards of one evaluation: they differ in {changed[0]}")


def _lines(config: RunConfig, outcomes: Sequence[Outcomes]) -> Iterator[bytes]:
    """The lines of all shards in the order of the rows."""
    for place, row_id in enumerate(config.ids):
        shard = outcomes[place % len(outcomes)]
        yield from (shard.line(name, row_id) for name in config.systems if (name, row_id) in shard)


__all__ = ["is_shard", "merge_shards"]
