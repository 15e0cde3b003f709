"""Files on the disk: written whole or not at all, read back as models, worked on by one process at a time."""

import errno
import json
import logging
import os
import platform
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, TypeVar

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from summq.programs.errors import DataError, InputError, told
from summq.programs.runtime.redaction import redacted

logger = logging.getLogger("summq.runtime")
Model = TypeVar("Model", bound=BaseModel)


def write_text(path: Path, text: str) -> None:
    """Write `text` under a temporary name in the same folder, sync it, and rename it to `path`.

    The file is its owner's alone.

    Raises InputError when the folder can't be written to.
    """
    write_lines(path, [text.encode()])


def write_model(path: Path, model: BaseModel) -> None:
    """Write a model as JSON, as `read_model` reads it; see `write_text`."""
    write_text(path, model.model_dump_json(indent=2, by_alias=True) + "\n")


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Like `write_text`, for what is too large to be in memory at once; each line has its own end."""
    replace_files(path.parent, {path.name: lines})


def replace_files(folder: Path, files: Mapping[str, Iterable[bytes]], gone: Sequence[str] = ()) -> None:
    """Write several files like `write_lines`, in their order, once all of them are on the disk.

    Args:
        gone: Names of files that are removed before the first one is replaced.

    Raises InputError when one can't be written; if that is for want of room, everything is as it was.
    """
    waiting: dict[Path, Path] = {}
    path = folder
    try:
        for name, lines in files.items():
            path = folder / name
            waiting[path] = path.with_name(f".{name}.{uuid.uuid4().hex}")
            with open_private(waiting[path], os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                for line in lines:
                    file.buffer.write(line)
                file.flush()
                os.fsync(file.fileno())
        for name in gone:
            (folder / name).unlink(missing_ok=True)
        for path, temporary in waiting.items():
            temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: can't be written ({error.strerror}); {_remedy(error)}") from error
    finally:
        for temporary in waiting.values():
            temporary.unlink(missing_ok=True)


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "make room and run the same command again"
    return "name a folder that you can write to"


def open_private(path: Path, flags: int) -> TextIO:
    """Open a file for writing that is its owner's alone if it is made now; a link is not followed."""
    return open(os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600), "w", encoding="utf-8")


def as_written(model: Model) -> Model:
    """The model as it goes into a file: without keys and passwords in the addresses of backbones."""
    return type(model).model_validate_json(redacted(model.model_dump_json(by_alias=True)))


def make_folder(path: Path) -> Path:
    """The folder itself, made with its parents where it is missing.

    Raises InputError when there is a file of that name, or when the folder can't be made or written to.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: can't be made ({error.strerror}); name a folder that you can write to") from error
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: can't be written to; name a folder that you can write to")
    return path


def read_model(path: Path, model: type[Model], what: str, advice: str) -> Model:
    """The JSON file as a `model`. Where the model has a `schema_version`, the file has to be of the model's own.

    Args:
        what: What the file is, for the message where it isn't: `the result of a run`.
        advice: What to do about a file that is missing or another one: `run the document again`.

    Raises:
        DataError: The file is missing, no JSON, of another form or of another version.
    """
    content = read_json(path, what, advice)
    field = model.model_fields.get("schema_version")
    version = content.get("schema", field.default) if field and isinstance(content, dict) else None
    if field and version is not None and version != field.default:
        raise DataError(f"{path}: has schema {version}, this version of SummQ reads {field.default}; {advice}")
    return as_model(content, path, model, what, advice)


def as_model(content: Any, path: Path, model: type[Model], what: str, advice: str) -> Model:
    """What was read from `path` as a `model`, like `read_model`."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        problem = error.errors()[0]
        where = "".join(f"{part}: " for part in [".".join(map(str, problem["loc"]))] if part)
        raise DataError(f"{path}: not {what} ({where}{told(problem)}); {advice}") from error


def read_json(path: Path, what: str, advice: str) -> Any:
    """What a JSON file holds; errors are those of `read_model`."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(f"{path}: can't be read ({error.strerror}); {advice}") from error
    except ValueError as error:
        raise DataError(f"{path}: not {what} (not JSON); {advice}") from error


@contextmanager
def sole_user(lock: Path, what: object) -> Iterator[None]:
    """Hold the file `lock` while inside. Whoever finds it held waits, after a line that says who holds `what`.

    A process that ends, however it ends, holds nothing any more; the file stays.

    Raises InputError where files can't be locked.
    """
    holding = FileLock(lock, mode=0o600)
    try:
        try:
            holding.acquire(blocking=False)
        except Timeout:
            logger.warning("%s is in use by %s: waiting until it is done", what, _holder(lock))
            holding.acquire()
    except (OSError, NotImplementedError) as error:
        raise InputError(f"{lock}: can't be locked ({error}); name a folder on another disk") from error
    try:
        with suppress(OSError):  # the name is a courtesy; a full disk shows where results are written
            lock.write_text(f"process {os.getpid()} on {platform.node()}", "utf-8")
        yield
    finally:
        holding.release()


def _holder(lock: Path) -> str:
    try:
        return lock.read_text("utf-8") or "another process"
    except (OSError, ValueError):
        return "another process"


__all__ = [
    "as_model",
    "as_written",
    "make_folder",
    "open_private",
    "read_json",
    "read_model",
    "replace_files",
    "sole_user",
    "write_lines",
    "write_model",
    "write_text",
]
