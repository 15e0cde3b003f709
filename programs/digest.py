"""Reading a document that may be too long for the window.

What fits is read as it is. What does not is read through notes, taken passage by passage and, while the notes are still
too long, of the notes again; quiz questions are drawn from the passages themselves. Nothing is cut.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import dspy

from summq.programs.errors import DocumentError
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import collect_replies
from summq.programs.runtime.role import Role
from summq.programs.text.passages import passages
from summq.programs.text.tokens import count_tokens
from summq.signatures import DigestPassage, Document

SHARE_FOR_THE_DOCUMENT = 0.7  # of the window; the rest is for instructions, drafts, arguments and the reply
SMALLEST_PASSAGE = 200  # tokens
WORDS_PER_TOKEN = 0.6  # on the safe side


@dataclass(frozen=True)
class Reading:
    """A document as the agents get to read it.

    `document` fits the window: the original, or notes of it. `windows` are stretches of the original that each fit.
    """

    original: Document
    document: Document
    windows: tuple[Document, ...]

    @property
    def passages(self) -> int:
        """How many passages were read through notes; 0 when the document fits."""
        return len(self.windows) if len(self.windows) > 1 else 0

    @property
    def notes(self) -> str:
        """The notes through which the document is read; empty when it fits."""
        return self.document.text if self.passages else ""


class Digester(dspy.Module):
    """Takes notes where the document exceeds the smallest context window of the backbones in use."""

    def __init__(self) -> None:
        super().__init__()
        self.digest = Role(DigestPassage, "digester")

    def forward(self, document: Document) -> Reading:
        """How `document` is to be read.

        Raises:
            DocumentError: The window is too small for any document.
            AgentsLost: Notes of a passage could not be had.
        """
        context = ContextWindow.of_backbones()
        windows = context.windows(document)
        if len(windows) == 1:
            return Reading(document, document, windows)
        notes = self._notes([window.text for window in windows], context.tokens)
        while not context.fits(notes):
            shorter = self._notes(context.passages(notes), context.tokens)
            if context.count(shorter) >= context.count(notes):
                raise DocumentError(
                    f"notes of the document do not get shorter than {context.count(notes)} tokens, but "
                    f"{context.tokens} fit the window: name a backbone with a larger one"
                )
            notes = shorter
        return Reading(document, Document(text=notes, title=document.title, id=document.id), windows)

    def _notes(self, parts: Sequence[str], tokens: int) -> str:
        """Notes of all passages, in order, that together should fit into so many tokens."""
        words = max(40, int(tokens * WORDS_PER_TOKEN / len(parts)))

        def one(place: int) -> dspy.Prediction:
            position = f"{place + 1} of {len(parts)}"
            return self.digest(passage=parts[place], position=position, target_words=words)

        outcomes = parallel_outcomes(one, range(len(parts)))
        replies = collect_replies(self.digest.role, outcomes, at_least=len(parts)).by_agent
        return "\n\n".join(reply.notes for reply in replies.values())


@dataclass(frozen=True)
class ContextWindow:
    """How much of a document fits a prompt: a share of `window`, counted as the narrowest backbone does."""

    window: int | None
    count: Callable[[str], int]

    @classmethod
    def of_backbones(cls) -> "ContextWindow":
        """The room that the backbones in use leave."""
        lm = _narrowest()
        return cls(getattr(lm, "context_window", None), partial(count_tokens, model=getattr(lm, "model", "")))

    @property
    def tokens(self) -> int:
        """The share in tokens; without a known window there is no limit."""
        return sys.maxsize if self.window is None else int(self.window * SHARE_FOR_THE_DOCUMENT)

    def fits(self, text: str) -> bool:
        """Whether all of `text` fits."""
        return self.window is None or self.count(text) <= self.tokens

    def passages(self, text: str) -> list[str]:
        """`text` in passages that each fit."""
        if self.tokens < SMALLEST_PASSAGE:
            raise DocumentError(f"a context window of {self.window} tokens holds no passage: name a larger backbone")
        return passages(text, self.tokens, self.count)

    def windows(self, document: Document) -> tuple[Document, ...]:
        """The document itself where it fits, else stretches of it that each do."""
        if self.fits(document.text):
            return (document,)
        parts = self.passages(document.text)
        return tuple(Document(text=part, title=document.title, id=document.id) for part in parts)


def _narrowest() -> Any:
    """Of the backbones in use, the one with the smallest known window; the default one when none is known."""
    known = [lm for lm in _backbones() if getattr(lm, "context_window", None)]
    return min(known, key=lambda lm: lm.context_window, default=dspy.settings.lm)


def _backbones() -> Iterator[Any]:
    yield dspy.settings.lm
    for mapped in (dspy.settings.get("role_lms") or {}).values():
        yield from mapped if isinstance(mapped, (list, tuple)) else [mapped]


__all__ = ["ContextWindow", "Digester", "Reading"]
