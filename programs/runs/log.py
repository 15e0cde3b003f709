"""The log of one document's run: its own lines out of what all threads log."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dspy

LOGGERS = ("summq", "dspy")
logger = logging.getLogger("summq")


@contextmanager
def run_log(path: Path, document_key: str) -> Iterator[None]:
    """Append to `path` what is logged in contexts whose `document_key` is this one, and how the run ended."""
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
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
