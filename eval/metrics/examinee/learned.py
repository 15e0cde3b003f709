"""What the learned metric remembers: weights, what they were fitted on and what they reach."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from summq.eval.metrics.examinee.features import EXAM_FEATURES, FEATURES, REFERENCE_FEATURES
from summq.eval.statistics import Estimate
from summq.programs.examine import Examinee
from summq.signatures import QuestionCounts

GATE_SHARE = 0.95


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


class Gate(Stored):
    """How a metric orders one kind of damage.

    Of `pairs` of a better summary (a human one, or the draft that was damaged) and a damaged one, the share in which
    the better one scores higher; ties count half.
    """

    damage: str
    pairs: int
    share: float

    @property
    def passed(self) -> bool:
        """Whether it orders as many as a metric that is to be trusted must."""
        return self.share >= GATE_SHARE


class GateRecord(Stored):
    """The gates on one set of documents."""

    name: str
    documents: int
    gates: tuple[Gate, ...]


class Learned(Stored):
    """Weights and all that belongs to them. A feature without a weight is not computed."""

    schema_version: int = Field(default=1, serialization_alias="schema", validation_alias="schema")
    weights: Mapping[str, float]
    enough: Mapping[str, float] = Field(
        default={}, description="what human summaries reach of each feature: more of it is worth no more"
    )
    usual: Mapping[str, float] = Field(description="mean of each feature over the summaries learned from: score 0.5")
    usual_words: float | None = Field(description="median length of the human summaries learned from; None: any length")
    accept: float = Field(description="median score of the human summaries: good enough to learn from")
    questions: QuestionCounts
    seed: int
    fitted_on: str
    target: str = Field(description="what the order was learned from")
    prompts: dict[str, Any] | None = Field(default=None, description="the examinee's, where they are compiled")
    agreement: tuple[AgreementRecord, ...] = ()
    gates: tuple[GateRecord, ...] = ()

    @property
    def uses_exam(self) -> bool:
        """Whether a summary has to take a quiz, which makes calls."""
        return not EXAM_FEATURES.keys().isdisjoint(self.weights)

    @property
    def uses_references(self) -> bool:
        """Whether it can rate only summaries of documents with references."""
        return not REFERENCE_FEATURES.keys().isdisjoint(self.weights)

    @property
    def doubt(self) -> str | None:
        """Why its scores should not be trusted, in one line; None where there is no reason."""
        if not self.gates:
            return "it was never tried on damaged summaries, so what games it is not known: learn it again"
        failed = [f"{gate.damage} ({gate.share:.0%})" for r in self.gates for gate in r.gates if not gate.passed]
        if not failed:
            return None
        return f"it orders fewer than {GATE_SHARE:.0%} of damaged summaries below good ones: {', '.join(failed)}"

    def shares(self, features: Mapping[str, float]) -> dict[str, float]:
        """What each feature adds to the log-odds of the score."""
        return {
            name: weight * (min(features[name], self.enough.get(name, math.inf)) - self.usual[name])
            for name, weight in self.weights.items()
        }

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


def described(learned: Learned) -> str:
    """What the metric weighs, what it was fitted to, how well it orders, and why not to trust it, if so."""
    needs = ["references"] * learned.uses_references + ["an exam of every summary"] * learned.uses_exam
    return "\n\n".join(
        (
            f"Fitted on {learned.fitted_on} to {learned.target}; needs {' and '.join(needs) or 'the document alone'}.",
            _table(("feature", "what it is", "weight", "enough"), _weights(learned)),
            _table(
                ("agreement (Kendall's tau-b)", "documents", "summaries", "within documents", "over all"),
                _agreement(learned),
            ),
            _table(("gate", "pairs", "ordered right", ""), _gates(learned)),
            f"Don't trust it: {learned.doubt}." if learned.doubt else "It passes all gates.",
        )
    )


def _weights(learned: Learned) -> Iterator[Sequence[str]]:
    """Weights in log-odds for each unit; `enough` is the value from which more counts nothing."""
    for name, weight in sorted(learned.weights.items(), key=lambda item: -abs(item[1])):
        enough = learned.enough.get(name)
        yield name, FEATURES[name], f"{weight:.2f}", "-" if enough is None else f"{enough:.2f}"


def _agreement(learned: Learned) -> Iterator[Sequence[str]]:
    for record in learned.agreement:
        for name, reached in record.measures.items():
            title = f"{record.name}: {name}"
            yield title, str(record.documents), str(record.summaries), str(reached.tau), str(reached.pooled_tau)


def _gates(learned: Learned) -> Iterator[Sequence[str]]:
    for record in learned.gates:
        for gate in record.gates:
            verdict = "passed" if gate.passed else "FAILED"
            yield f"{record.name}: {gate.damage}", str(gate.pairs), f"{gate.share:.3f}", verdict


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


__all__ = ["AgreementRecord", "Gate", "GateRecord", "Learned", "Reached", "described"]
