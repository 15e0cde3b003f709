"""What Generate and Review have to know about the artifact that they work on.

A craft names the signatures of one stream and says how a draft is had from a role. Most artifacts need nothing but
their signatures; quizzes check, complete and assemble questions (`quizzes.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import dspy

from summq.programs.runtime.role import Role
from summq.signatures import (
    AggregateSummaries,
    DraftSummary,
    Issue,
    RankSummaries,
    ReviewSummary,
    ReviseSummary,
    VoteSummary,
)

Artifact = TypeVar("Artifact")
Brief = Mapping[str, Any]


@dataclass(frozen=True)
class Compared(Generic[Artifact]):
    """Candidates as those who compare them are shown them, and the brief that goes with it."""

    brief: Brief
    candidates: Sequence[Artifact]


@dataclass(frozen=True)
class Craft(Generic[Artifact]):
    """How one kind of artifact is drafted, revised, merged, compared and reviewed.

    The inputs of each signature are the fields of the brief (the document and what else every writer is told) and:
    revise `previous`, `feedback`; aggregate and rank `candidates`; vote `first`, `second`. Draft, revise and aggregate
    put out the artifact, rank puts out `best`, vote `better`, review `found`.
    """

    name: str
    draft: type[dspy.Signature]
    revise: type[dspy.Signature]
    aggregate: type[dspy.Signature]
    rank: type[dspy.Signature]
    vote: type[dspy.Signature]
    review: type[dspy.Signature]

    def drafted(self, role: Role, brief: Brief) -> Artifact:
        """A first draft."""
        return self._made(role, brief)

    def revised(self, role: Role, brief: Brief, previous: Artifact, feedback: Sequence[Issue]) -> Artifact:
        """A draft that meets the feedback on the previous one."""
        return self._made(role, {**brief, "previous": previous, "feedback": list(feedback)})

    def spared(self, previous: Artifact, feedback: Sequence[Issue]) -> int:
        """How many parts of the previous artifact a revision takes over as they are."""
        return 0

    def merged(self, role: Role, brief: Brief, candidates: Sequence[Artifact]) -> Artifact:
        """One artifact out of several."""
        return self._made(role, {**brief, "candidates": list(candidates)})

    def compared(self, brief: Brief, candidates: Sequence[Artifact]) -> Compared[Artifact]:
        """What is shown of the candidates to those who choose between them."""
        return Compared(brief, candidates)

    def shown(self, artifact: Artifact) -> str:
        """The artifact as text, for those who debate about it."""
        return str(artifact)

    def _made(self, role: Role, inputs: Brief) -> Artifact:
        (output,) = role.signature.output_fields
        made: Artifact = role(**asked_for(role, inputs))[output]
        return made


def asked_for(role: Role, inputs: Brief) -> dict[str, Any]:
    """Those of the inputs that the role's signature asks for."""
    return {key: value for key, value in inputs.items() if key in role.signature.input_fields}


def label(index: int) -> str:
    """The label of a candidate or an agent: A to Z, AA, AB, ..."""
    ahead, last = divmod(index, 26)
    return (label(ahead - 1) if ahead else "") + chr(ord("A") + last)


SUMMARY: Craft[str] = Craft(
    name="summary",
    draft=DraftSummary,
    revise=ReviseSummary,
    aggregate=AggregateSummaries,
    rank=RankSummaries,
    vote=VoteSummary,
    review=ReviewSummary,
)

__all__ = ["SUMMARY", "Brief", "Compared", "Craft", "asked_for", "label"]
