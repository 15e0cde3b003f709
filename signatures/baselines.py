"""What the baseline systems of the paper ask."""

from typing import Annotated

import dspy
from pydantic import BaseModel, ConfigDict, Field

from summq.signatures.document import Document
from summq.signatures.parsing import Listing, Text


class FalseStatement(BaseModel):
    """A statement of a summary that the document does not bear out, and why."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    statement: Annotated[Text, Field(description="the statement, word for word as the summary has it")] = ""
    reason: Annotated[Text, Field(description="what the document says instead, or that it does not tell")] = ""


class Critique(Listing):
    """What a critic found; empty when all is borne out."""

    false_statements: list[FalseStatement] = Field(json_schema_extra={"maxItems": 20})


class SummarizePassage(dspy.Signature):
    """Summarise one passage of a long document, given a summary of what came before it."""

    passage: str = dspy.InputField(desc="the passage to summarise")
    context: str = dspy.InputField(desc="summary of what came before; may be empty")
    target_words: int = dspy.InputField(desc="length of the summary in words")
    summary: str = dspy.OutputField(desc="the summary of the passage")


class MergeSummaries(dspy.Signature):
    """Merge summaries of consecutive passages of one document into one summary, given a summary of what came before."""

    passages: list[str] = dspy.InputField(desc="summaries of consecutive passages, in order")
    context: str = dspy.InputField(desc="summary of what came before; may be empty")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    summary: str = dspy.OutputField(desc="the merged summary")


class RefineSummary(dspy.Signature):
    """Refine the summary of a document with what its next passage adds, keeping to the wanted length."""

    passage: str = dspy.InputField(desc="the next passage of the document")
    previous: str = dspy.InputField(desc="the summary of all that came before")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    summary: str = dspy.OutputField(desc="the refined summary")


class CritiqueSummary(dspy.Signature):
    """List the statements of the summary that the document does not bear out, and the reason for each."""

    document: Document = dspy.InputField(desc="the document that was summarised")
    summary: str = dspy.InputField(desc="the summary under critique")
    critique: Critique = dspy.OutputField(desc="the false statements; empty if there are none")


class CorrectSummary(dspy.Signature):
    """Rewrite the summary so that none of the listed false statements remains, and change nothing else."""

    document: Document = dspy.InputField(desc="the document that was summarised")
    previous: str = dspy.InputField(desc="the summary to correct")
    critique: Critique = dspy.InputField(desc="its false statements and why they are false")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    summary: str = dspy.OutputField(desc="the corrected summary")


class ChooseSummary(dspy.Signature):
    """Choose the best summary of a passage among those that several models wrote, and say how sure you are."""

    passage: str = dspy.InputField(desc="the passage that was summarised")
    candidates: dict[str, str] = dspy.InputField(desc="summaries by their labels")
    best: str = dspy.OutputField(desc="the label of the best summary, nothing else")
    confidence: int = dspy.OutputField(desc="how sure you are that it is good, from 0 (not at all) to 10 (certain)")


class ImproveSummary(dspy.Signature):
    """Write a better summary of the passage than those that several writers gave of it.

    Keep what is right in them, correct what is not, add what matters and is missing.
    """

    passage: str = dspy.InputField(desc="the passage to summarise")
    candidates: dict[str, str] = dspy.InputField(desc="summaries so far by their labels")
    target_words: int = dspy.InputField(desc="length of the summary in words")
    summary: str = dspy.OutputField(desc="the better summary of the passage")


class DensifySummary(dspy.Signature):
    """Make the summary denser without making it longer.

    Find one to three informative entities of the document that the summary lacks: relevant, specific, new. Then rewrite
    the summary at the same length so that it covers every entity and detail of the previous one and the missing ones
    too. Make room by fusion and compression; never drop an entity.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    previous: str = dspy.InputField(desc="the summary to make denser; empty for the first one")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    missing_entities: list[str] = dspy.OutputField(desc="one to three entities that the summary lacks")
    summary: str = dspy.OutputField(desc="the denser summary at the same length")


__all__ = [
    "ChooseSummary",
    "CorrectSummary",
    "Critique",
    "CritiqueSummary",
    "DensifySummary",
    "FalseStatement",
    "ImproveSummary",
    "MergeSummaries",
    "RefineSummary",
    "SummarizePassage",
]
