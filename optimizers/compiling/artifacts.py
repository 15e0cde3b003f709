"""Writing artifact folders: `program.json`, `manifest.json`, `prompts.diff.md`, and a file for each finished role.

What reads them back is `summq.programs.artifact`. The files of roles let an interrupted compilation go on.
"""

from importlib.metadata import version
from pathlib import Path

import dspy
from pydantic import ValidationError

from summq.optimizers.compiling.prompts import prompts_diff, state_of
from summq.optimizers.compiling.wording import interval, number
from summq.programs import SummQ
from summq.programs.artifact import MANIFEST, PROGRAM, Manifest, Record, RoleRecord, State, field_names
from summq.programs.runtime.files import make_folder, write_text

DIFF = "prompts.diff.md"


class FinishedRole(Record):
    """The compiled prompts of one role and what they are worth; `asked` tells what was asked for."""

    asked: str
    record: RoleRecord
    state: State


class ArtifactFolder:
    """The folder of one compiled program.

    Raises:
        InputError: The folder can't be made or written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = make_folder(path)

    def finished(self, role: str, asked: str) -> FinishedRole | None:
        """What an earlier run left of a role, if it was asked the same."""
        try:
            earlier = FinishedRole.model_validate_json(self._file_of(role).read_text("utf-8"))
        except (FileNotFoundError, ValidationError):
            return None
        return earlier if earlier.asked == asked else None

    def finish(self, done: FinishedRole) -> None:
        """Keep a role for a later run."""
        make_folder(self._file_of(done.record.role).parent)
        write_text(self._file_of(done.record.role), done.model_dump_json(indent=2) + "\n")

    def save(self, program: SummQ, original: SummQ, manifest: Manifest) -> None:
        """Write the program as it is now; the manifest comes last, so that it vouches for the rest."""
        (self.path / MANIFEST).unlink(missing_ok=True)
        save_state(program, self.path / PROGRAM)
        write_text(self.path / DIFF, _report(program, original, manifest))
        write_text(self.path / MANIFEST, manifest.model_dump_json(indent=2, by_alias=True) + "\n")

    def _file_of(self, role: str) -> Path:
        return self.path / "roles" / f"{role}.json"


def save_state(program: SummQ, path: Path) -> None:
    """What DSPy saves, without any language model: no address and no key can get into the file."""
    bare = program.deepcopy()
    bare.set_lm(None)
    temporary = path.with_name(f".{path.name}.json")
    bare.save(temporary)
    temporary.replace(path)


def versions() -> dict[str, str]:
    """The versions that prompts were compiled with."""
    return {package: version(package) for package in ("summq", "dspy")}


def shape_of(program: SummQ) -> dict[str, list[str]]:
    """The predictors and their fields, for the manifest."""
    return field_names(program)


def _report(program: SummQ, original: SummQ, manifest: Manifest) -> str:
    rows = [_row(record) for record in manifest.roles]
    head = [
        f"# Prompts compiled by {manifest.optimizer} for {manifest.backbone}",
        "",
        "| role | before | after | difference [95 %] | n | failed | better | installed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
    ]
    return "\n".join([*head, prompts_diff(_all_prompts(original), _all_prompts(program))])


def _row(record: RoleRecord) -> str:
    scores = (number(record.before), number(record.after), interval(record.difference, record.low, record.high))
    flags = ("yes" if flag else "no" for flag in (record.better, record.installed))
    return f"| {' | '.join(map(str, (record.role, *scores, record.n, record.failed, *flags)))} |"


def _all_prompts(program: dspy.Module) -> State:
    return state_of(program, [name for name, _ in program.named_predictors()])


__all__ = ["ArtifactFolder", "FinishedRole", "save_state", "shape_of", "versions"]
