"""What `import summq` gives: the program, documents and sessions, each loaded when it is first used.

    from summq import SummQ, load_document, session

    with session("openai/gpt-4o", max_cost=5.0):
        result = SummQ.preset("combo")(document=load_document("report.pdf")).result

Everything else is in `summq.programs`, `summq.signatures`, `summq.eval` and `summq.optimizers`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import version

    from summq.programs.config import SummQConfig
    from summq.programs.documents import load_document
    from summq.programs.errors import SummQError
    from summq.programs.runtime.session import session
    from summq.programs.summq import SummQ
    from summq.signatures import Document, Exam, Quiz, SummQResult

    __version__ = version("summq")

HOMES = {
    "Document": "summq.signatures",
    "Exam": "summq.signatures",
    "Quiz": "summq.signatures",
    "SummQ": "summq.programs.summq",
    "SummQConfig": "summq.programs.config",
    "SummQError": "summq.programs.errors",
    "SummQResult": "summq.signatures",
    "load_document": "summq.programs.documents",
    "session": "summq.programs.runtime.session",
}


def __getattr__(name: str) -> Any:
    """Import a name from its home when it is first used: `summq --help` and `__version__` wait for nothing."""
    if name == "__version__":
        return import_module("importlib.metadata").version("summq")
    if name not in HOMES:
        raise AttributeError(f"module 'summq' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Document",
    "Exam",
    "Quiz",
    "SummQ",
    "SummQConfig",
    "SummQError",
    "SummQResult",
    "__version__",
    "load_document",
    "session",
]
