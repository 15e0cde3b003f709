"""What every baseline is: a program that turns a document into a summary of a wanted length."""

from abc import abstractmethod
from typing import Annotated

import dspy
from pydantic import Field

from summq.programs.documents import as_document
from summq.signatures import Document

TARGET_WORDS = 400
Count = Annotated[int, Field(ge=1)]


class Baseline(dspy.Module):
    """A system to compare with. `baseline(document=...)` returns a `dspy.Prediction` with `summary`.

    Args:
        target_words: Wanted length of the summary.
    """

    def __init__(self, target_words: Count = TARGET_WORDS) -> None:
        super().__init__()
        self.target_words = target_words

    def forward(self, document: str | Document) -> dspy.Prediction:
        """Summarise one document.

        Raises:
            DocumentError: The document is empty, or the text is the name of a file.
        """
        document = as_document(document)
        with dspy.context(document_key=document.key):
            return dspy.Prediction(summary=self.summarized(document))

    async def aforward(self, document: str | Document) -> dspy.Prediction:
        """The same, awaited."""
        prediction: dspy.Prediction = await dspy.asyncify(type(self).forward)(self, document)
        return prediction

    @abstractmethod
    def summarized(self, document: Document) -> str:
        """The summary of a document that is not empty."""


__all__ = ["TARGET_WORDS", "Baseline", "Count"]
