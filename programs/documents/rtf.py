"""Rich text (rtf), read by striprtf."""

from collections.abc import Iterable

from summq.programs.documents.converted import Converted, Source
from summq.programs.errors import DocumentError


def is_rtf(source: Source) -> bool:
    """Whether the content begins as rich text does."""
    return source.data.lstrip()[:5] == rb"{\rtf"


def convert(source: Source) -> Converted:
    """The text, a blank line between paragraphs."""
    from striprtf.striprtf import rtf_to_text

    try:
        text: str = rtf_to_text(source.data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    except Exception as error:  # the library raises whatever a broken file makes it stumble over
        raise DocumentError(f"{source.name} is an rtf, but damaged: it can't be converted to text") from error
    lines = _rows_joined(line.strip() for line in text.splitlines() if line.strip())
    return Converted("\n\n".join(lines))


def _rows_joined(lines: Iterable[str]) -> list[str]:
    """The lines, those of a table with all cells of a row; the library ends a cell with `|`."""
    joined: list[str] = []
    for line in lines:
        if line.startswith("|") and joined:
            joined[-1] += line
        else:
            joined.append(line)
    return [" | ".join(filter(None, map(str.strip, x.split("|")))) if x.endswith("|") else x for x in joined]


__all__ = ["convert", "is_rtf"]
