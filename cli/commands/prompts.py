"""`summq prompts`: what each role is asked, word for word."""

from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import print_text, say
from summq.cli.options import ConfigFile
from summq.cli.waiting import waiting_for
from summq.programs.config import DEFAULT_PRESET
from summq.programs.documents import load_document
from summq.programs.prompts import EXAMPLE, page, prompts_of
from summq.programs.runtime.files import write_text
from summq.programs.settings import Settings


def prompts(
    document: Annotated[
        str | None,
        typer.Argument(metavar="DOC", help="The document that is asked about; a short example if not given."),
    ] = None,
    preset: Annotated[str | None, typer.Option(help=f"solo, combo or combo_r; {DEFAULT_PRESET} by default.")] = None,
    config: ConfigFile = None,
    program: Annotated[Path | None, typer.Option(metavar="DIR", help="A compiled program.")] = None,
    under_schema: Annotated[
        bool, typer.Option("--schema", help="As models are asked that reply under a JSON schema (local, hosted_vllm).")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="F.md", help="The file to write; stdout if not given.")] = None,
) -> None:
    """Write the prompt of every role as it is sent: the first request of each in a run of the offline reader.

    No language model is asked.
    """
    summq = Settings.resolve(config, preset=preset, program=program).summq()
    about = load_document(document) if document else EXAMPLE
    with waiting_for("writing prompts"):
        text = page(prompts_of(summq, about, under_schema=under_schema))
    if out is None:
        print_text(text.removesuffix("\n"))
        return
    write_text(out, text)
    say(f"written: {out}")


__all__ = ["prompts"]
