"""What was evaluated, document by document: `predictions.jsonl`, a line for each, appended and never rewritten."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from summq.programs.errors import DataError, InputError
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


class Ledger:
    """The outcomes of a run. Each is appended and synced when it is there; a later line replaces an earlier one.

    A line that a crash cut off is removed when the file is opened.

    Raises:
        DataError: A line that is complete but holds no outcome.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        path.touch()
        _drop_cut_line(path)
        self._cells = read_outcomes(path)

    @property
    def cells(self) -> Cells:
        """The outcomes by system and document."""
        with self._lock:
            return dict(self._cells)

    def has_finished(self, system: str, document: str) -> bool:
        """Whether there is a summary; a failure is tried again when the run is continued."""
        outcome = self._cells.get((system, document))
        return outcome is not None and outcome.error is None

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
            self._cells[outcome.system, outcome.id] = outcome


def read_outcomes(path: Path) -> dict[tuple[str, str], Outcome]:
    """The outcomes of a `predictions.jsonl`, the last line where one was tried again.

    Raises:
        DataError: The file is missing, or a line is no outcome.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(
            f"{path}: can't be read ({error.strerror}); name the folder of a run of `summq eval`"
        ) from error
    cells = {}
    for number, line in enumerate(lines, 1):
        try:
            outcome = Outcome.model_validate_json(line)
        except ValidationError as error:
            raise DataError(f"{path} line {number} is no outcome of an evaluation; remove it and run again") from error
        cells[outcome.system, outcome.id] = outcome
    return cells


def _drop_cut_line(path: Path) -> None:
    content = path.read_bytes()
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        with path.open("r+b") as file:
            file.truncate(complete)


__all__ = ["Cells", "Ledger", "Outcome", "read_outcomes"]
