"""What every converter returns."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """The bytes of a file and what it is called; `encoding` is what its user says of its text, if anything."""

    data: bytes
    name: str
    encoding: str | None = None

    @property
    def suffix(self) -> str:
        """The suffix of the name in lower case, with its dot."""
        return Path(self.name).suffix.lower()


@dataclass(frozen=True)
class Converted:
    """The text of a document; its title where the format has one.

    `page_starts` are the offsets in `text` at which the pages with text begin, by page number; empty where the format
    has no pages. `pages` is the number of all pages. `warnings` say what was not read, one line each.
    """

    text: str
    title: str = ""
    pages: int = 0
    page_starts: tuple[tuple[int, int], ...] = ()
    warnings: tuple[str, ...] = ()


__all__ = ["Converted", "Source"]
