"""Converting a file in a process of its own: parsers of others that no bound is known of can be stopped there.

The process gets the converter's name and the source by its standard input, and replies by its standard output.
"""

import os
import pickle
import pkgutil
import subprocess
import sys

from summq.programs.documents.converted import Converted, Source
from summq.programs.errors import DocumentError

LEAST_SECONDS = 60.0
SECONDS_PER_MEGABYTE = 30.0  # real files take less than a tenth of it
MEMORY = 4_000_000_000  # bytes of address space, where the system can bound it
_CHILD = "from summq.programs.documents.apart import reply; reply()"


def convert_apart(converter: str, source: Source) -> Converted:
    """What a converter (`module:function`) makes of `source`.

    Raises:
        DocumentError: The converter's own, or it took too long or too much memory.
        ModuleNotFoundError: It needs a package that is not installed.
    """
    seconds = LEAST_SECONDS + SECONDS_PER_MEGABYTE * len(source.data) / 1e6
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _CHILD],
            input=pickle.dumps((converter, source)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise DocumentError(
            f"{source.name} can't be converted to text within {seconds:.0f} s; divide it, or save it anew"
        ) from None
    outcome = pickle.loads(ran.stdout) if ran.stdout else None
    if isinstance(outcome, Converted):
        return outcome
    if isinstance(outcome, Exception):
        raise outcome
    raise DocumentError(f"{source.name} can't be converted to text: it is damaged, or needs too much memory")


def reply() -> None:
    """Convert what standard input says, in the process that was made for it."""
    _bound_memory()
    converter, source = pickle.load(sys.stdin.buffer)
    try:
        outcome: object = pkgutil.resolve_name(converter)(source)
    except (DocumentError, ModuleNotFoundError) as error:
        outcome = error
    sys.stdout.buffer.write(pickle.dumps(outcome))


def _bound_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # not on every system
        return


__all__ = ["convert_apart"]
