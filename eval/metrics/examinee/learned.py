"""What the learned metric remembers: weights, what they were fitted on and what they reach."""

import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from summq.eval.statistics import Estimate
from summq.programs.examine import Examinee
from summq.signatures import QuestionCounts


class Stored(BaseModel):
    """Base of what is stored: frozen, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Reached(Stored):
    """How well one measure orders summaries.

    The mean of Kendall's tau-b within documents, tau-b over all summaries, and the shares of pairs that are ordered
    right: within documents, and of a summary and a damaged version of it.
    """

    tau: Estimate
    pooled_tau: Estimate
    pairs: Estimate
    damaged: Estimate | None = None


class AgreementRecord(Stored):
    """What several measures reach on the same summaries, by their names; `examinee` is the learned metric."""

    name: str
    documents: int
    summaries: int
    measures: Mapping[str, Reached]

    def line(self, measure: str) -> str:
        """Tau-b of one measure with its interval, in words."""
        return f"{self.measures[measure].tau} on {self.documents} documents"


class Learned(Stored):
    """Weights and all that belongs to them."""

    schema_version: int = Field(default=1, serialization_alias="schema", validation_alias="schema")
    weights: Mapping[str, float]
    usual: Mapping[str, float] = Field(description="mean of each feature over the summaries learned from: score 0.5")
    usual_words: float | None = Field(description="median length of the human summaries learned from; None: any length")
    accept: float = Field(description="median score of the human summaries: good enough to learn from")
    questions: QuestionCounts
    seed: int
    fitted_on: str
    target: str = Field(description="what the order was learned from")
    prompts: dict[str, Any] | None = Field(default=None, description="the examinee's, where they are compiled")
    agreement: tuple[AgreementRecord, ...] = ()

    def shares(self, features: Mapping[str, float]) -> dict[str, float]:
        """What each feature adds to the log-odds of the score."""
        return {name: weight * (features[name] - self.usual[name]) for name, weight in self.weights.items()}

    def score(self, features: Mapping[str, float]) -> float:
        """The score of a summary with such features."""
        return 1 / (1 + math.exp(-sum(self.shares(features).values())))

    def examinee(self) -> Examinee | None:
        """An examinee with the compiled prompts; None where there are none."""
        if self.prompts is None:
            return None
        examinee = Examinee(self.seed, open_book=False, blind=False)
        examinee.load_state(self.prompts)
        return examinee


__all__ = ["AgreementRecord", "Learned", "Reached"]
