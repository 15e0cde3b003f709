"""The log of one document's run: its own lines out of what all threads log."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import dspy

from summq.programs.errors import InputError
from summq.programs.runtime.files import open_private
from summq.programs.runtime.redaction import redacted

LOGGERS = ("summq", "dspy")
logger = logging.getLogger("summq")


class PrivateLog(logging.StreamHandler[TextIO]):
    """Appends to a file that is its owner's alone and no link, without keys.

    Raises InputError when the file can't be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise InputError(f"{path}: can't be written ({error.strerror}); name another folder") from error
        super().__init__(self._file)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def format(self, record: logging.LogRecord) -> str:
        """The line, without keys."""
        return redacted(super().format(record))

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._file.close()


@contextmanager
def run_log(path: Path, document_key: str) -> Iterator[None]:
    """Append to `path` what is logged in contexts whose `document_key` is this one, and how the run ended."""
    handler = PrivateLog(path)
    handler.addFilter(lambda record: dspy.settings.get("document_key") == document_key)
    logger.setLevel(logging.INFO)
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)
    try:
        with dspy.context(document_key=document_key):
            yield from _framed()
    finally:
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(handler)
        handler.close()


def _framed() -> Iterator[None]:
    started = time.monotonic()
    logger.info("started")
    try:
        yield
    except BaseException as error:
        logger.error("ended by %s: %s", type(error).__name__, error)
        raise
    logger.info("finished after %.1f s", time.monotonic() - started)


__all__ = ["logger", "run_log"]
