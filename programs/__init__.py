"""How the roles work together: Algorithms 1 to 3 of the paper, and the baselines."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summq.programs.config import Economy, SummQConfig
    from summq.programs.generate import Generate
    from summq.programs.review import Review
    from summq.programs.summq import SummQ

# Imported when they are asked for: DSPy takes seconds, which what only reads documents need not wait for.
_HOMES = {"Economy": "config", "Generate": "generate", "Review": "review", "SummQ": "summq", "SummQConfig": "config"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = ["Economy", "Generate", "Review", "SummQ", "SummQConfig"]
