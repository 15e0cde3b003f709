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
    file: Annotated[str, typer.Argument(metavar="F.toml", help="The file to write.")] = TEMPLATE,
) -> None:
    """Write a config file with every key, its usual value and what it does.

    A file that is there is left alone.
    """
    if not file.strip():
        raise ConfigError(f"no file is named: name one, such as {TEMPLATE}")
    path = Path(file)
    if path.is_dir():
        raise ConfigError(f"{path} is a folder: name a file in it, such as {path / TEMPLATE}")
    if path.exists():
        raise ConfigError(f"{path} is there already: name another file")
    write_text(path, files("summq.cli.commands").joinpath(TEMPLATE).read_text("utf-8"))
    say(f"written: {path}; use it with summq summarize DOC --config {path}")


__all__ = ["init"]
