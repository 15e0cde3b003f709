"""`summq text`: a document as SummQ reads it."""

from typing import Annotated

import typer

from summq.cli.console import print_text, say
from summq.cli.waiting import waiting_for
from summq.programs.documents import Loaded, read_document
from summq.programs.text.words import count_words, numbered


def text(
    document: Annotated[
        str, typer.Argument(metavar="DOC", help="A file (txt, md, html, pdf, docx, odt, rtf, epub), or - for stdin.")
    ],
    encoding: Annotated[str | None, typer.Option(help="Of plain text; UTF-8 if not given.")] = None,
    pages: Annotated[bool, typer.Option("--pages", help="Mark where each page begins.")] = False,
) -> None:
    """Print the text of a document as it is summarised and quoted.

    The text goes to stdout; how much it is, and what could not be read, to stderr.
    """
    with waiting_for("reading"):
        loaded = read_document(document, encoding)
    print_text(loaded.marked() if pages else loaded.document.text)
    say(measures(loaded))
    tell_unread(document, loaded)


def measures(loaded: Loaded) -> str:
    """How much was read, in one line."""
    numbers = [numbered(loaded.pages, "page")] if loaded.pages else []
    numbers.append(numbered(count_words(loaded.document.text), "word"))
    return f"{loaded.document.id}: {', '.join(numbers)}"


def tell_unread(name: str, loaded: Loaded) -> None:
    """One line on stderr for each thing in a document that could not be read."""
    for warning in loaded.warnings:
        say(f"summq: {name}: {warning}")


__all__ = ["tell_unread", "text"]
