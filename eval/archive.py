"""The folder of an evaluation: `config.json` holds the request, the ledger the outcomes."""

import os
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from summq.eval.data import DataRequest
from summq.eval.metrics import Column
from summq.programs.errors import ConfigError, DataError, InputError
from summq.programs.runtime.files import as_written, make_folder, read_model, write_lines, write_model
from summq.signatures import Usage


class Outcome(BaseModel):
    """What one system made of one document.

    `error` is why there is no summary. A metric that is None was not scored, and `unscored` says why. `usage` is what
    the system used, not the metrics; `seconds` is its time on the clock.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    system: str
    summary: str | None
    metrics: dict[str, float | None]
    usage: Usage
    error: str | None = None
    seconds: float = 0.0
    words_wanted: int
    cluster: str | None = None
    asked: list[str] = Field(default=[], description="evidence of the questions in the system's own quizzes")
    unscored: dict[str, str] = {}
    details: dict[str, dict[str, JsonValue]] = {}


Cells = Mapping[tuple[str, str], Outcome]


class Outcomes(Cells):
    """The outcomes of a `predictions.jsonl` by system and document, the last line where one was tried again.

    Each is read from the disk when it is asked for; kept are where its line is and what was scored.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bounds = array("Q", [0])
        self._scored: list[frozenset[str] | None] = []  # line by line; None where there is no summary
        self._lines: dict[tuple[str, str], int] = {}
        self._known: dict[frozenset[str], frozenset[str]] = {}

    def note(self, outcome: Outcome, length: int) -> None:
        """Index an outcome that stands in the next line of the file, so many bytes long."""
        scored = frozenset(outcome.metrics)
        self._scored.append(self._known.setdefault(scored, scored) if outcome.error is None else None)
        self._bounds.append(self._bounds[-1] + length)
        self._lines[outcome.system, outcome.id] = len(self._scored) - 1

    def scored(self, system: str, document: str) -> frozenset[str] | None:
        """The columns that a summary was scored by, or left unscored by; None where there is no summary."""
        line = self._lines.get((system, document))
        return None if line is None else self._scored[line]

    def line(self, system: str, document: str) -> bytes:
        """The line of an outcome. Raises KeyError when there is none."""
        number = self._lines[system, document]
        with self.path.open("rb") as file:
            file.seek(self._bounds[number])
            return file.read(self._bounds[number + 1] - self._bounds[number])

    def is_ordered(self, cells: Iterable[tuple[str, str]]) -> bool:
        """Whether the lines of the file are those of the cells, one for each, in this order."""
        lines = [line for cell in cells if (line := self._lines.get(cell)) is not None]
        return lines == list(range(len(self._scored)))

    def __getitem__(self, cell: tuple[str, str]) -> Outcome:
        return _outcome(self.line(*cell), f"{self.path}: {cell[0]} on {cell[1]}")

    def __contains__(self, cell: object) -> bool:
        return cell in self._lines

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def read_outcomes(path: Path) -> Outcomes:
    """The outcomes of a `predictions.jsonl`.

    Raises:
        DataError: The file is missing, or a line is no outcome.
    """
    outcomes = Outcomes(path)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                outcomes.note(_outcome(line, f"{path} line {number}"), len(line))
    except OSError as error:
        raise DataError(
            f"{path}: can't be read ({error.strerror}); name the folder of a run of `summq eval`"
        ) from error
    return outcomes


def _outcome(line: bytes, where: str) -> Outcome:
    try:
        return Outcome.model_validate_json(line)
    except ValidationError as error:
        raise DataError(f"{where} is no outcome of an evaluation; remove it and run again") from error


class Ledger:
    """The outcomes of a run. Each is appended and synced when it is there; a later line replaces an earlier one.

    A line that a crash cut off is removed when the file is opened.

    Raises:
        DataError: A line that is complete but holds no outcome.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        path.touch(0o600)
        _drop_cut_line(path)
        self.outcomes = read_outcomes(path)

    def append(self, outcome: Outcome) -> None:
        """Add a line and wait until it is on the disk."""
        line = outcome.model_dump_json().encode() + b"\n"
        with self._lock:
            try:
                with self.path.open("ab") as file:
                    file.write(line)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise InputError(
                    f"{self.path}: can't be written ({error.strerror}); make room and run again"
                ) from error
            self.outcomes.note(outcome, len(line))

    def order(self, cells: Sequence[tuple[str, str]]) -> None:
        """Rewrite the file with the last line of each of these cells, in their order, and no others."""
        if self.outcomes.is_ordered(cells):
            return
        write_lines(self.path, (self.outcomes.line(*cell) for cell in cells if cell in self.outcomes))
        self.outcomes = read_outcomes(self.path)


def unfinished(folder: Path, system: str, ids: Sequence[str]) -> list[str]:
    """The documents of which a system has no summary in the folder of a run; all where there is no such folder."""
    path = folder / PREDICTIONS
    if not path.exists():
        return list(ids)
    outcomes = read_outcomes(path)
    return [i for i in ids if outcomes.scored(system, i) is None]


def _drop_cut_line(path: Path) -> None:
    """Shorten the file to the last end of a line."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - BLOCK)
            file.seek(start)
            complete = file.read(end - start).rfind(b"\n") + 1
            if complete or not start:
                file.truncate(start + complete)
                return
            end = start


BLOCK = 1 << 20
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
    """`config.json`: everything that the numbers of a run depend on."""

    model_config = ConfigDict(frozen=True)

    schema_version: int = Field(default=1, serialization_alias="schema", validation_alias="schema")
    version: str
    data: str
    split: str
    data_hash: str
    shard: str | None = Field(default=None, description="which part of the rows, as 2/4; ids are those of the part")
    ids: list[str]
    dropped: dict[str, int]
    short: list[str] = Field(default=[], description="documents that have no more words than their summary is to have")
    words: int | None = Field(description="wanted length; None: that of the first reference")
    references: References
    seed: int
    backbone: str
    roles: dict[str, str | list[str]]
    scorer: str | None = Field(description="the backbone of the metrics, where it is another one")
    metrics: dict[str, dict[str, JsonValue]]
    columns: list[Column] = Field(default=[], description="of the metrics, as these declare them")
    systems: dict[str, dict[str, JsonValue]]
    focus: str = Field(description="the system that all others are compared with")
    source: DataRequest | None = Field(default=None, description="how to load the rows again")
    sweep: SweepAxis | None = None
    paper: str | None = Field(default=None, description="the benchmark whose published rows are printed beside")


MAY_GROW = {"version", "source", "short", "metrics", "columns", "systems", "focus", "sweep", "paper"}


class EvalFolder:
    """A run that can be continued: with the same rows, and with further systems and metrics.

    Raises:
        ConfigError: The folder holds an evaluation with other settings.
        DataError: What lies there can't be read.
        InputError: The folder can't be made or written to.
    """

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path, config = make_folder(path), as_written(config)
        self.config = _continued(read_config(path), config, path) if (path / CONFIG).exists() else config
        write_model(path / CONFIG, self.config)
        self.ledger = Ledger(path / PREDICTIONS)


def read_config(folder: Path) -> RunConfig:
    """The `config.json` of a run. Raises DataError when it is missing or not of this version's form."""
    advice = "name the folder of a run of `summq eval`"
    return read_model(folder / CONFIG, RunConfig, "the configuration of an evaluation", advice)


def _continued(earlier: RunConfig, now: RunConfig, path: Path) -> RunConfig:
    """The configuration with the systems and metrics of both; one that was changed is refused."""
    fixed = [key for key in RunConfig.model_fields if key not in MAY_GROW]
    changed = [key for key in fixed if getattr(earlier, key) != getattr(now, key)]
    for what, before, after in (("system", earlier.systems, now.systems), ("metric", earlier.metrics, now.metrics)):
        changed += [f"{what} {name}" for name in before if after.get(name, before[name]) != before[name]]
    if changed:
        raise ConfigError(f"{path} holds an evaluation with another {changed[0]}: name another folder (--out)")
    columns = {column.key: column for column in (*earlier.columns, *now.columns)}
    united = {
        "systems": {**earlier.systems, **now.systems},
        "metrics": {**earlier.metrics, **now.metrics},
        "columns": list(columns.values()),
        "sweep": now.sweep or earlier.sweep,
    }
    return now.model_copy(update={**united, "paper": now.paper or earlier.paper})


__all__ = [
    "Cells",
    "EvalFolder",
    "Ledger",
    "Outcome",
    "Outcomes",
    "Point",
    "References",
    "RunConfig",
    "SweepAxis",
    "read_config",
    "read_outcomes",
    "unfinished",
]
