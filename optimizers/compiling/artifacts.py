"""Writes the folder of a compiled program: `program.json`, `manifest.json`, `prompts.diff.md`, a file for each role.

`summq.programs.artifact` reads it. The files of the roles let an interrupted compilation continue.
"""

from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from summq.optimizers.compiling.prompts import prompts_diff, state_of
from summq.optimizers.compiling.wording import interval, number, program_line, verdict_of
from summq.programs import SummQ
from summq.programs.artifact import MANIFEST, PROGRAM, Manifest, ProgramRecord, Record, RoleRecord, State
from summq.programs.runtime.files import make_folder, write_model, write_text

DIFF = "prompts.diff.md"
ASSEMBLED = "assembled.json"


class FoldResult(Record):
    """The compiled prompts of one role in one fold, and its scores; `fingerprint` is a hash of all that decided them.

    `before` and `after` are the mean scores of its held-out examples, which were made of the rows in `sources`.
    """

    fingerprint: str
    role: str
    fold: int
    predictors: list[str]
    state: State
    before: list[float | None]
    after: list[float | None]
    sources: list[str | None]
    failed_training: int
    failed_proposals: int
    metric_calls: int
    lm_calls: int
    cost: float | None


class AssembledResult(Record):
    """How the assembled program did, and which fold's prompts do best; `fingerprint` as above."""

    fingerprint: str
    record: ProgramRecord
    best: int


class ArtifactFolder:
    """The folder of one compiled program.

    Raises:
        InputError: The folder can't be made or written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = make_folder(path)

    def finished(self, role: str, fold: int, fingerprint: str) -> FoldResult | None:
        """What an earlier run found for a role; None if it found nothing, or under other conditions."""
        return _earlier(self._file_of(role, fold), FoldResult, fingerprint)

    def keep(self, done: FoldResult) -> None:
        """Keep a role for a later run."""
        path = self._file_of(done.role, done.fold)
        make_folder(path.parent)
        write_model(path, done)

    def assembled(self, fingerprint: str) -> AssembledResult | None:
        """What an earlier run measured of the same assembled program."""
        return _earlier(self.path / ASSEMBLED, AssembledResult, fingerprint)

    def keep_assembled(self, done: AssembledResult) -> None:
        """Keep the comparison of the assembled program for a later run."""
        write_model(self.path / ASSEMBLED, done)

    def save(self, program: SummQ, original: SummQ, manifest: Manifest) -> None:
        """Write the program as it is now. The manifest comes last: a folder that has one is complete."""
        (self.path / MANIFEST).unlink(missing_ok=True)
        _save_state(program, self.path / PROGRAM)
        write_text(self.path / DIFF, _report(program, original, manifest))
        write_model(self.path / MANIFEST, manifest)

    def _file_of(self, role: str, fold: int) -> Path:
        return self.path / "roles" / f"{role}.{fold + 1}.json"


Result = TypeVar("Result", FoldResult, AssembledResult)


def _earlier(path: Path, kind: type[Result], fingerprint: str) -> Result | None:
    """The result in a file, if it was made under the same conditions."""
    try:
        earlier = kind.model_validate_json(path.read_text("utf-8"))
    except (FileNotFoundError, ValidationError):
        return None
    return earlier if earlier.fingerprint == fingerprint else None


def _save_state(program: SummQ, path: Path) -> None:
    """Save a program as DSPy does, without its language models: no address and no key can get into the file."""
    bare = program.deepcopy()
    bare.set_lm(None)
    temporary = path.with_name(f".{path.name}.json")
    bare.save(temporary)
    temporary.replace(path)


def versions() -> dict[str, str]:
    """The versions that prompts are compiled with, by package."""
    return {package: version(package) for package in ("summq", "dspy")}


def _report(program: SummQ, original: SummQ, manifest: Manifest) -> str:
    rows = [_row(record) for record in manifest.roles]
    head = [
        f"# Prompts compiled by {manifest.optimizer} for {manifest.backbone}",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "| --- " * len(COLUMNS) + "|",
        *rows,
        "",
        *([program_line(manifest.program), ""] if manifest.program else []),
    ]
    return "\n".join([*head, prompts_diff(state_of(original), state_of(program))])


COLUMNS = ("role", "verdict", "difference [95 %]", "p", "n", "before", "after", "failed", "rows to decide", "installed")
"""Of the report, in the order in which they matter: a narrow terminal drops them from the right."""


def _row(record: RoleRecord) -> str:
    cells = (
        record.role,
        verdict_of(record),
        interval(record.difference, record.low, record.high),
        number(record.p),
        record.n,
        number(record.before),
        number(record.after),
        record.failed,
        record.rows_to_decide or "-",
        "yes" if record.installed else "no",
    )
    return f"| {' | '.join(map(str, cells))} |"


__all__ = ["COLUMNS", "ArtifactFolder", "AssembledResult", "FoldResult", "versions"]
