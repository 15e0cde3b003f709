"""Options that several commands share."""

import inspect
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo

from summq.cli.progress import ProgressMode
from summq.eval.data import Columns, DataOptions
from summq.programs.errors import ConfigError

DataSpec = Annotated[str, typer.Option(metavar="SPEC", help="mensa, booksum, govreport, hub:ID, or a file or folder.")]
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
Progress = Annotated[
    ProgressMode,
    typer.Option(help="auto: a live view on a terminal, else a line every few seconds; json: such lines for programs."),
]
ShardSpec = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Only every N-th from the I-th on, for batch systems that start N."),
]
BatchFlag = Annotated[
    bool,
    typer.Option("--batch", help="Calls in the provider's batches: half the price, within a day (openai/MODEL)."),
]
Concurrency = Annotated[int | None, typer.Option(help="Calls in flight at once.")]

EngineName = Annotated[str, typer.Option(help="Where the work is done: local (this machine), or ray (a cluster).")]
Address = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Of a Ray cluster; the one of this machine if not given.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Processes that work; usually this one alone, on a cluster one for each CPU.")
]


def with_data_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of `DataOptions` in place of its last parameter, `options`."""
    signature = inspect.signature(command)
    options = {name: _data_option(name, field) for name, field in DataOptions.model_fields.items()}

    def run(**given: Any) -> None:
        values = {name: given.pop(option.name) for name, option in options.items()}
        command(**given, options=DataOptions(**values))

    parameters = [*list(signature.parameters.values())[:-1], *options.values()]
    run.__doc__ = command.__doc__
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _data_option(name: str, field: FieldInfo) -> inspect.Parameter:
    is_column = name in Columns.model_fields
    name = f"{name}_column" if is_column else name
    option = typer.Option(
        f"--{name.replace('_', '-')}", metavar="NAME" if is_column else field.title, help=field.description
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=field.default,
        annotation=Annotated[field.annotation, option],
    )


def listed(names: str | None, option: str) -> list[str]:
    """`direct,lead` as a list; nothing for None.

    Raises:
        ConfigError: The option is given without a name, or a name twice.
    """
    parts = [name.strip() for name in (names or "").split(",") if name.strip()]
    if names is not None and not parts:
        raise ConfigError(f"{option} names nothing: write {option} A,B, or leave it out")
    if twice := [name for name, times in Counter(parts).items() if times > 1]:
        raise ConfigError(f"{option} names {twice[0]!r} twice: name it once")
    return parts


__all__ = [
    "Address",
    "BackboneSpec",
    "BatchFlag",
    "Concurrency",
    "ConfigFile",
    "DataSpec",
    "EngineName",
    "MaxCalls",
    "MaxCost",
    "Progress",
    "QuestionMix",
    "RoleSpecs",
    "ShardSpec",
    "Workers",
    "listed",
    "with_data_options",
]
