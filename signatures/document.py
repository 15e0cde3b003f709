"""The document under summary, as a value that never prints itself whole."""

import hashlib
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

PARTS = 5


def fingerprint(text: str, digits: int = 16) -> str:
    """So many hex digits (at most 64) that stand for a text, the same in every process and version."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


class Document(BaseModel):
    """A long document. Its `repr` and `str` are short, so that logs and optimizer prompts never carry the text.

    `parts` divide the text into `PARTS` stretches of equal length (in characters); quizzes are spread over them.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    title: str = ""
    id: str = Field(default="")

    @classmethod
    def of(cls, document: "str | Document") -> "Document":
        """The document itself, or a `Document` made of plain text."""
        return document if isinstance(document, Document) else cls(text=document)

    @cached_property
    def key(self) -> str:
        """A short hash of the text: the same text has the same key wherever it came from."""
        return fingerprint(self.text)

    def part_at(self, offset: int) -> int:
        """The part, from 1 to `PARTS`, in which the character at `offset` lies."""
        return min(PARTS, 1 + offset * PARTS // max(1, len(self.text)))

    def __repr__(self) -> str:
        start = self.text[:60].replace("\n", " ")
        return f"Document(id={self.id or self.key!r}, characters={len(self.text)}, starts={start!r})"

    __str__ = __repr__


__all__ = ["PARTS", "Document", "fingerprint"]
