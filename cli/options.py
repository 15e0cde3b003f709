"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Split = Annotated[str | None, typer.Option(help="train, dev or test; test if not given, all of a single file.")]
Limit = Annotated[int | None, typer.Option(help="At most so many rows.")]
Shuffle = Annotated[int | None, typer.Option(metavar="SEED", help="Shuffle the rows before the limit.")]
DataDir = Annotated[Path | None, typer.Option(metavar="DIR", help="A copy of a hub data set's files.")]
Streaming = Annotated[bool, typer.Option("--streaming", help="Read a hub data set without a copy on the disk.")]
DocumentColumn = Annotated[str | None, typer.Option(metavar="NAME", help="The column with the document.")]
SummaryColumn = Annotated[str | None, typer.Option(metavar="NAME", help="The column with one or several summaries.")]
IdColumn = Annotated[str | None, typer.Option(metavar="NAME", help="The column that names a row.")]
ClusterColumn = Annotated[
    str | None, typer.Option(metavar="NAME", help="The column that names the source that rows share, as a book.")
]
BackboneSpec = Annotated[
    str | None, typer.Option(metavar="SPEC", help="The language model, for instance openai/gpt-4o.")
]
RoleSpecs = Annotated[
    list[str] | None, typer.Option(metavar="ROLE=SPEC", help="Another backbone for a role; may be repeated.")
]
QuestionMix = Annotated[
    str | None, typer.Option(metavar="M/T/S", help="Multiple choice, true/false, short answer: 10/10/10.")
]
ConfigFile = Annotated[Path | None, typer.Option(metavar="F.toml", help="A file of settings.")]
MaxCost = Annotated[float | None, typer.Option(metavar="USD", help="Stop when this is spent.")]
MaxCalls = Annotated[int | None, typer.Option(help="Stop after so many calls.")]
Concurrency = Annotated[int | None, typer.Option(help="Calls in flight at once.")]


def listed(names: str | None) -> list[str]:
    """`direct,lead` as a list; nothing for None."""
    return [name.strip() for name in (names or "").split(",") if name.strip()]


__all__ = [
    "BackboneSpec",
    "ClusterColumn",
    "Concurrency",
    "ConfigFile",
    "DataDir",
    "DocumentColumn",
    "IdColumn",
    "Limit",
    "MaxCalls",
    "MaxCost",
    "QuestionMix",
    "RoleSpecs",
    "Shuffle",
    "Split",
    "Streaming",
    "SummaryColumn",
    "listed",
]
