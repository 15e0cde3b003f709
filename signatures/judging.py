"""What the judge of two summaries and the checker of one are asked."""

from typing import Annotated, Literal

import dspy
from pydantic import BaseModel, ConfigDict, Field

from summq.signatures.document import Document
from summq.signatures.parsing import Listing, Number, Text

Support = Literal["supported", "contradicted", "not_found"]


class Sentence(BaseModel):
    """A sentence of a summary, numbered from 1."""

    model_config = ConfigDict(frozen=True)

    number: int
    text: str


class SentenceCheck(BaseModel):
    """Whether the document supports one sentence."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: Number
    quote: Annotated[Text, Field(description="the sentence of the document that decides, word for word")] = ""
    support: Annotated[Text, Field(json_schema_extra={"enum": ["supported", "contradicted", "not_found"]})] = ""


class SentenceChecks(Listing):
    """Checks of sentences, by their numbers."""

    checks: list[SentenceCheck] = Field(json_schema_extra={"maxItems": 60})


class JudgeSummaries(dspy.Signature):
    """Judge which of two summaries of one document is better by the named criterion, and by nothing else.

    First give the reasons, with what each summary says; then the verdict. The order in which they are shown means
    nothing, and neither does length, unless the criterion is about it. If they are equally good, it is a tie.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    first: str = dspy.InputField(desc="one summary")
    second: str = dspy.InputField(desc="the other summary")
    criterion: str = dspy.InputField(desc="the criterion and what it means")
    reasons: str = dspy.OutputField(desc="the reasons in two or three sentences")
    verdict: Literal["first", "second", "tie"] = dspy.OutputField(desc="which of the two is better")


class CheckSentences(dspy.Signature):
    """Check each sentence of a summary against the document.

    A sentence is supported if the document says all that it says, contradicted if the document says otherwise, and
    not_found if the document does not tell. Quote first the sentence of the document that decides it, word for word.
    """

    document: Document = dspy.InputField(desc="the document, which alone is the evidence")
    sentences: list[Sentence] = dspy.InputField(desc="sentences of the summary, by number")
    checked: SentenceChecks = dspy.OutputField(desc="one check for each sentence, by number")


__all__ = ["CheckSentences", "JudgeSummaries", "Sentence", "SentenceCheck", "SentenceChecks", "Support"]
