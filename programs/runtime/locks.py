"""Folders and files that one process at a time works on."""

import logging
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from summq.programs.errors import InputError

logger = logging.getLogger("summq.runtime")


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


__all__ = ["sole_user"]
