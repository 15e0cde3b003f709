"""What can go wrong and what the caller should do about it.

SummQError            something expected went wrong; the message is one line: what, where, what to do
├── InputError        the caller's input or usage is at fault                          (exit status 2)
│   ├── DocumentError a document can't be read or holds nothing to summarise
│   ├── BackboneError a backbone is unknown, unreachable or lacks its key
│   ├── ConfigError   a configuration value or key is wrong
│   └── DataError     a data set, predictions file or saved artifact has the wrong form
├── RunError          the run could not be finished                                    (exit status 1)
│   └── AgentsLost    too few agents of a component replied to go on
└── BudgetSpent       a limit on calls or cost was reached                             (exit status 3)
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, ClassVar


class SummQError(Exception):
    """Base of every expected error; `exit_status` is what the command line exits with."""

    exit_status: ClassVar[int] = 1


class InputError(SummQError):
    """The caller's input or usage is at fault."""

    exit_status = 2


class DocumentError(InputError):
    """A document can't be read or holds nothing to summarise."""


class BackboneError(InputError):
    """A backbone is unknown, unreachable or lacks its key."""


class ConfigError(InputError):
    """A configuration value or key is wrong."""


class DataError(InputError):
    """A data set, predictions file or saved artifact has the wrong form."""


class RunError(SummQError):
    """The run could not be finished."""


class AgentsLost(RunError):
    """Too few agents of a component replied to go on (one draft, a majority of reviewers)."""


class BudgetSpent(SummQError):
    """A limit on calls or cost was reached."""

    exit_status = 3


class ShortDocument(UserWarning):
    """A document has no more words than its summary is to have."""


def told(problem: Any) -> str:
    """What pydantic finds wrong with a value, as the end of a sentence about it: `has to be a valid number`."""
    message: str = problem["msg"]
    return message.removeprefix("Value error, ").replace("Input should be", "has to be")


def there_are(names: Iterable[str], meant: str) -> str:
    """`there are direct, lead; did you mean lead?`: which names there are, and the one closest to what was written."""
    known = list(names)
    return f"there are {', '.join(known)}{did_you_mean(meant, known)}"


def did_you_mean(meant: str, names: Iterable[str]) -> str:
    """`; did you mean lead?`; empty where no name is like what was written."""
    close = closest(meant, names)
    return f"; did you mean {close}?" if close else ""


def closest(meant: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant: of those like it, the one with the fewest slips; None where none is like it.

    A slip is a letter too many, too few or another one, or two that are swapped.
    """
    from rapidfuzz.distance import OSA  # only where something was misspelt

    known = list(dict.fromkeys(names))
    like = get_close_matches(meant, known, n=max(1, len(known)))
    return min(like, key=lambda name: OSA.distance(meant, name), default=None)


__all__ = [
    "AgentsLost",
    "BackboneError",
    "BudgetSpent",
    "ConfigError",
    "DataError",
    "DocumentError",
    "InputError",
    "RunError",
    "ShortDocument",
    "SummQError",
    "closest",
    "did_you_mean",
    "there_are",
    "told",
]
