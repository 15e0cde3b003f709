"""`summq init`: a config file to begin with."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import say
from summq.programs.errors import ConfigError
from summq.programs.runtime.files import write_text

TEMPLATE = "summq.toml"


def init(
    path: Annotated[Path, typer.Argument(metavar="F.toml", help="The file to write.")] = Path(TEMPLATE),
) -> None:
    """Write a config file with every key, its usual value and what it does.

    A file that is there is left alone.
    """
    if path.exists():
        raise ConfigError(f"{path} is there already: name another file")
    write_text(path, files("summq.cli").joinpath(TEMPLATE).read_text("utf-8"))
    say(f"written: {path}; use it with summq summarize DOC --config {path}")


__all__ = ["init"]
