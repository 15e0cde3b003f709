"""The log of one document's run: its own lines out of what all threads log."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import TextIO

import dspy

from summq.programs.errors import InputError
from summq.programs.runtime.files import open_private
from summq.programs.runtime.redaction import redacted

LOGGERS = ("summq", "dspy")
logger = logging.getLogger("summq")


class RedactedLog(logging.StreamHandler[TextIO]):
    """Writes lines without keys."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._failed = False
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def format(self, record: logging.LogRecord) -> str:
        """The line, without keys."""
        return redacted(super().format(record))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is that of the base
        """Go on without the line, and say so once: a full disk shows again where results are written."""
        if not self._failed:
            self._failed = True
            logging.getLogger("summq.runtime").warning("the log of a run can't be written: lines are missing there")


@contextmanager
def run_log(path: Path, document_key: str) -> Iterator[None]:
    """Append to `path` what is logged in contexts whose `document_key` is this one, and how the run ended.

    Raises InputError when the file can't be written.
    """
    with _appended(path) as file, _logged_to(file, document_key):
        yield from _framed()


@contextmanager
def collected_log(document_key: str) -> Iterator[StringIO]:
    """Collect the same, but for how the run ended, where the file is out of reach."""
    lines = StringIO()
    with _logged_to(lines, document_key):
        yield lines


def append_log(path: Path, lines: str) -> None:
    """Append lines that were collected. Raises InputError when the file can't be written."""
    with _appended(path) as file:
        file.write(lines)


@contextmanager
def _appended(path: Path) -> Iterator[TextIO]:
    """A file that is its owner's alone and no link; what a full disk does not take of it is dropped."""
    try:
        file = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    except OSError as error:
        raise InputError(f"{path}: can't be written ({error.strerror}); name another folder") from error
    try:
        yield file
    finally:
        with suppress(OSError):
            file.close()


@contextmanager
def _logged_to(stream: TextIO, document_key: str) -> Iterator[None]:
    handler = RedactedLog(stream)
    handler.addFilter(lambda record: dspy.settings.get("document_key") == document_key)
    logger.setLevel(logging.INFO)
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)
    try:
        with dspy.context(document_key=document_key):
            yield
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


__all__ = ["append_log", "collected_log", "logger", "run_log"]
