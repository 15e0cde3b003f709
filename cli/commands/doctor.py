"""`summq doctor`: what is installed, which backbones answer, what is missing and how to get it."""

import platform
from collections.abc import Sequence
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from summq.cli.console import stdout
from summq.cli.waiting import waiting_for
from summq.programs.runtime.checkup import PARTS, Answering, ask, ask_known_providers, version_of

MODELS_SHOWN = 8


def doctor(
    backbone: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC", help="Ask this backbone; may be repeated. Without it every known provider is asked."
        ),
    ] = None,
) -> None:
    """Show what is installed, which backbones answer, what is missing.

    Exit status 1 if a backbone that was named does not answer.
    """
    with waiting_for("asking backbones"):
        known = [] if backbone else [ask("offline"), ask("local"), *ask_known_providers()]
        answers = [*known, *map(ask, backbone or [])]
    console = stdout()
    console.print(f"summq {version_of('summq')}, dspy {version_of('dspy')}, Python {platform.python_version()}")
    show_parts(console)
    show_backbones(answers, console)
    if backbone and any(answer.problem for answer in answers):
        raise typer.Exit(1)


def show_parts(console: Console) -> None:
    """Print each optional part with its version, or with the line that installs it."""
    table = _table("optional part", "what for", "installed")
    for part in PARTS:
        versions = ", ".join(f"{package} {version_of(package)}" for package in part.packages)
        table.add_row(part.name, part.purpose, f"no: {part.install}" if part.missing() else versions)
    console.print(table)


def show_backbones(asked: Sequence[Answering], console: Console) -> None:
    """Print which backbones answer, with their models, and what the others lack."""
    table = _table("backbone", "answers", "models, or what is missing")
    for answer in asked:
        table.add_row(answer.backbone, "no" if answer.problem else "yes", answer.problem or _models(answer))
    console.print(table)


def _table(*headings: str) -> Table:
    table = Table(*headings, box=box.SIMPLE, pad_edge=False)
    table.columns[-1].overflow = "fold"
    return table


def _models(answer: Answering) -> str:
    more = len(answer.models) - MODELS_SHOWN
    return ", ".join(answer.models[:MODELS_SHOWN]) + (f" and {more} more" if more > 0 else "")


__all__ = ["doctor"]
