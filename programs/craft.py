"""What Generate and Review have to know about the artifact that they work on.

A craft names the signatures of one stream and says how a role is asked for a draft. Most artifacts need nothing but
their signatures; quizzes check, complete and assemble questions (`quiz_craft.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor
from typing import Any, Generic, TypeVar

import dspy

from summq.programs.runtime.adapter import document_field
from summq.programs.runtime.role import Role
from summq.programs.text.sentences import in_sentences, split_sentences
from summq.programs.text.shortening import leave_out_sentences
from summq.programs.text.words import count_words
from summq.signatures import (
    AggregateSummaries,
    Document,
    DraftSummary,
    Issue,
    RankSummaries,
    ReviewSummary,
    ReviseSummary,
    SheetItem,
    VoteSummary,
)

TOLERANCE = 1 / 4
"""By how much of the wanted length a summary may be off it."""


@dataclass(frozen=True)
class Brief(ABC):
    """What everybody who writes or compares is told."""

    document: Document

    @abstractmethod
    def inputs(self) -> dict[str, Any]:
        """The inputs of every signature of the craft, by their fields' names."""


def is_short(document: Document, words: int) -> bool:
    """Whether a document has no more words than its summary is to have."""
    return count_words(document.text) <= words


@dataclass(frozen=True)
class SummaryBrief(Brief):
    """The document and how long its summary is to be, in words; code counts them if the length is checked."""

    target_words: int
    check_length: bool = True

    @cached_property
    def wanted_words(self) -> int:
        """The length that the summary should have; no longer than the document."""
        return min(self.target_words, count_words(self.document.text))

    def inputs(self) -> dict[str, Any]:
        """The inputs that every role of the stream gets."""
        return {"document": self.document, "target_words": self.target_words}


@dataclass(frozen=True)
class Draft(ABC):
    """An artifact under review and what it is read against: the inputs of the review signature but the document."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The artifact as text, for those who debate about it."""

    def about(self, issues: Sequence[Issue]) -> str:
        """The artifact as text, for those who debate these issues about it."""
        return self.text


@dataclass(frozen=True)
class SummaryDraft(Draft):
    """A summary, and the questions that its readers will be asked."""

    summary: str
    questions: list[SheetItem] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What a reader gets."""
        return self.summary


Artifact = TypeVar("Artifact")
BriefType = TypeVar("BriefType", bound=Brief)


@dataclass(frozen=True)
class Comparison(Generic[Artifact, BriefType]):
    """Candidates as those who compare them are shown them, the brief for that, and inputs about all of them."""

    brief: BriefType
    candidates: Sequence[Artifact]
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Craft(Generic[Artifact, BriefType]):
    """How one kind of artifact is drafted, revised, merged, compared and reviewed.

    The inputs of each signature are those of the brief and: revise `previous`, `feedback`; aggregate and rank
    `candidates`; vote `first`, `second`. Draft, revise and aggregate put out the artifact, rank puts out `best`, vote
    `better`, review `found`.
    """

    name: str
    draft: type[dspy.Signature]
    revise: type[dspy.Signature]
    aggregate: type[dspy.Signature]
    rank: type[dspy.Signature]
    vote: type[dspy.Signature]
    review: type[dspy.Signature]

    def first_draft(self, role: Role, brief: BriefType) -> Artifact:
        """A first draft."""
        return self._output(role, brief)

    def revision(self, role: Role, brief: BriefType, previous: Artifact, feedback: Sequence[Issue]) -> Artifact:
        """A draft that meets the feedback on the previous one."""
        return self._output(role, brief, previous=previous, feedback=list(feedback))

    def aggregation(self, role: Role, brief: BriefType, candidates: Sequence[Artifact]) -> Artifact:
        """One artifact out of several."""
        return self._output(role, brief, candidates=list(candidates))

    def faults(self, brief: BriefType, artifact: Artifact) -> list[Issue]:
        """What code finds wrong with a draft, for which it is sent back to be revised once."""
        return []

    def better(self, brief: BriefType, sent_back: Artifact, revised: Artifact) -> Artifact:
        """Which of the two stays when a draft was sent back for its faults."""
        return revised

    def fitted(self, brief: BriefType, artifact: Artifact) -> tuple[Artifact, list[str]]:
        """What code makes of a draft that still has faults after it was sent back, and what it left out of it."""
        return artifact, []

    def comparison(self, brief: BriefType, candidates: Sequence[Artifact]) -> Comparison[Artifact, BriefType]:
        """What is shown of the candidates to those who choose between them."""
        return Comparison(brief, candidates)

    def _output(self, role: Role, brief: BriefType, **inputs: Any) -> Artifact:
        (name,) = role.signature.output_fields
        output: Artifact = ask(role, brief, **inputs)[name]
        return output


class SummaryCraft(Craft[str, SummaryBrief]):
    """How summaries are made: like any text, but their words are counted."""

    def faults(self, brief: SummaryBrief, artifact: str) -> list[Issue]:
        """The length, where it is off the wanted one by more than a quarter."""
        return length_issues(artifact, brief.wanted_words) if brief.check_length else []

    def better(self, brief: SummaryBrief, sent_back: str, revised: str) -> str:
        """The one that is nearer to the wanted length."""
        return min(revised, sent_back, key=lambda text: abs(count_words(text) - brief.wanted_words))

    def fitted(self, brief: SummaryBrief, artifact: str) -> tuple[str, list[str]]:
        """One that is too long without its last sentences: small models can't count, but say first what matters."""
        wanted = brief.wanted_words
        return leave_out_sentences(artifact, ceil(wanted * (1 - TOLERANCE)), floor(wanted * (1 + TOLERANCE)))


def length_issues(summary: str, wanted: int) -> list[Issue]:
    """An issue if a summary is off the wanted number of words by more than a quarter; else nothing."""
    words = count_words(summary)
    if abs(words - wanted) <= wanted * TOLERANCE:
        return []
    return [
        Issue(
            kind="length",
            target="the whole summary",
            explanation=f"It has {words} words; {wanted} are wanted.",
            fix=_shortened(summary, words, wanted) if words > wanted else _lengthened(wanted),
        )
    ]


def _shortened(summary: str, words: int, wanted: int) -> str:
    """How to make a summary shorter: told which sentences to count out, small models do; told a length, they copy."""
    sentences = len(split_sentences(summary))
    fitting = max(1, round(sentences * wanted / words))
    if fitting == sentences:
        return f"Say the same in {_about(wanted)} words."
    return (
        f"Of its {sentences} sentences delete the {sentences - fitting} that matter least and keep {fitting}, "
        f"with {_about(wanted)} words in all."
    )


def _lengthened(wanted: int) -> str:
    return f"Write {_about(wanted)} words, {in_sentences(wanted)}. Add what matters most and is missing."


def _about(wanted: int) -> str:
    return f"{round(0.9 * wanted)} to {round(1.1 * wanted)}"


def ask(role: Role, brief: Brief, **inputs: Any) -> dspy.Prediction:
    """The reply of a role that is told the brief and the inputs.

    Those who compare without the document (`Economy.comparing_without_document`) are not told it.
    """
    inputs = {**brief.inputs(), **inputs}
    if document_field(role.signature) is None:
        del inputs["document"]
    return role(**inputs)


SUMMARY = SummaryCraft(
    name="summary",
    draft=DraftSummary,
    revise=ReviseSummary,
    aggregate=AggregateSummaries,
    rank=RankSummaries,
    vote=VoteSummary,
    review=ReviewSummary,
)

__all__ = [
    "SUMMARY",
    "Brief",
    "Comparison",
    "Craft",
    "Draft",
    "SummaryBrief",
    "SummaryDraft",
    "ask",
    "is_short",
    "length_issues",
]
