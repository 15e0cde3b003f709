"""Writing files so that a reader, or a crash, never meets half of one."""

import os
import uuid
from pathlib import Path

from summq.programs.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write `text` under a temporary name in the same folder, sync it, and rename it to `path`.

    Raises InputError when the folder can't be written to.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: can't be written ({error.strerror}); name a folder that you can write to") from error
    finally:
        temporary.unlink(missing_ok=True)


def make_folder(path: Path) -> Path:
    """The folder itself, made with its parents where it is missing.

    Raises InputError when there is a file of that name, or when the folder can't be made or written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: can't be made ({error.strerror}); name a folder that you can write to") from error
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: can't be written to; name a folder that you can write to")
    return path


__all__ = ["make_folder", "write_text"]
