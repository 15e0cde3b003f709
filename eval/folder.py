"""The folder of an evaluation (DESIGN section 8): `config.json` is what was asked; the ledger, what came of it."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from summq.eval.ledger import Ledger
from summq.eval.request import DataRequest
from summq.programs.errors import ConfigError, DataError
from summq.programs.runtime.files import make_folder, write_text

SCHEMA = 1
CONFIG, PREDICTIONS = "config.json", "predictions.jsonl"
References = Literal["all", "first"]


class Point(BaseModel):
    """One system of a sweep and where it stands on the axis."""

    model_config = ConfigDict(frozen=True)

    x: float | str
    system: str


class SweepAxis(BaseModel):
    """A sweep: what is varied, and which system stands for which value."""

    model_config = ConfigDict(frozen=True)

    name: str
    label: str
    points: list[Point]


class RunConfig(BaseModel):
    """`config.json`: everything that decides about the numbers of a run."""

    model_config = ConfigDict(frozen=True)

    schema_version: int = Field(default=SCHEMA, serialization_alias="schema", validation_alias="schema")
    version: str
    data: str
    split: str
    data_hash: str
    ids: list[str]
    dropped: dict[str, int]
    words: int | None = Field(description="wanted length; None: that of the first reference")
    references: References
    seed: int
    backbone: str
    roles: dict[str, str | list[str]]
    scorer: str | None = Field(description="the backbone of the metrics, where it is another one")
    metrics: dict[str, dict[str, JsonValue]]
    systems: dict[str, dict[str, JsonValue]]
    focus: str = Field(description="the system that all others are compared with")
    source: DataRequest | None = Field(default=None, description="how to load the rows again")
    sweep: SweepAxis | None = None
    paper: str | None = Field(default=None, description="the benchmark whose published rows are printed beside")


MAY_GROW = {"version", "source", "systems", "focus", "sweep", "paper"}


class EvalFolder:
    """A run that can be continued: with the same rows and metrics, and with further systems.

    Raises:
        ConfigError: The folder holds an evaluation that was asked for differently.
        DataError: What lies there can't be read.
        InputError: The folder can't be made or written to.
    """

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = make_folder(path)
        self.config = _continued(read_config(path), config, path) if (path / CONFIG).exists() else config
        write_text(path / CONFIG, self.config.model_dump_json(indent=2, by_alias=True) + "\n")
        self.ledger = Ledger(path / PREDICTIONS)


def read_config(folder: Path) -> RunConfig:
    """The `config.json` of a run. Raises DataError when it is missing or not of this version's form."""
    path = folder / CONFIG
    try:
        config = RunConfig.model_validate_json(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(
            f"{path}: can't be read ({error.strerror}); name the folder of a run of `summq eval`"
        ) from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not the configuration of an evaluation; name another folder") from error
    if config.schema_version != SCHEMA:
        raise DataError(f"{path}: has schema {config.schema_version}, this version of SummQ reads {SCHEMA}")
    return config


def _continued(earlier: RunConfig, now: RunConfig, path: Path) -> RunConfig:
    """The configuration with the systems of both; a system that was changed is refused."""
    fixed = RunConfig.model_fields.keys() - MAY_GROW
    changed = sorted(key for key in fixed if getattr(earlier, key) != getattr(now, key))
    changed += [
        f"system {name}"
        for name in earlier.systems
        if now.systems.get(name, earlier.systems[name]) != earlier.systems[name]
    ]
    if changed:
        raise ConfigError(f"{path} holds an evaluation with another {changed[0]}: name another folder (--out)")
    kept = {"systems": {**earlier.systems, **now.systems}, "sweep": now.sweep or earlier.sweep}
    return now.model_copy(update={**kept, "paper": now.paper or earlier.paper})


__all__ = ["SCHEMA", "EvalFolder", "Point", "References", "RunConfig", "SweepAxis", "read_config"]
