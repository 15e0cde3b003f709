"""Commands that are imported when they are run, so that `summq --help` needs none of what they need."""

import pkgutil
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand


class LazyCommand(TyperCommand):
    """A name and a line of help; the function behind it (`package.module:function`) is imported when it is needed."""

    def __init__(self, name: str, target: str, help: str) -> None:
        super().__init__(name, help=help)
        self.target = target

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Hand over to the real command: the context that it makes is its own."""
        return command_of(self.function()).make_context(*args, **kwargs)

    def function(self) -> Callable[..., Any]:
        """The function that the command runs."""
        function: Callable[..., Any] = pkgutil.resolve_name(self.target)
        return function


def command_of(function: Callable[..., Any]) -> Any:
    """A function with annotated parameters as a command."""
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return typer.main.get_command(app)


__all__ = ["LazyCommand"]
