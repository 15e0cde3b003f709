"""What optimizers print: progress bars, thoughts and candidates, into a file instead of on the terminal."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

LOGGERS = ("dspy", "optuna", "gepa")


@contextmanager
def into_log(path: Path) -> Iterator[None]:
    """Append to `path` what is printed or logged meanwhile, in the whole process."""
    with path.open("a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        handler = logging.StreamHandler(file)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        loggers = [logging.getLogger(name) for name in LOGGERS]
        usual = [(logger, logger.handlers[:], logger.propagate) for logger in loggers]
        for logger in loggers:
            logger.handlers, logger.propagate = [handler], False
        try:
            yield
        finally:
            for logger, handlers, propagate in usual:
                logger.handlers, logger.propagate = handlers, propagate


__all__ = ["into_log"]
