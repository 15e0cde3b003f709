"""What a role learns on: examples made of rows, a judge of single replies, and the agents of a program that play it.

Running the whole program for each metric call would cost a hundred calls; so each role has a task of its own whose
right outcome is known from a document and its references (DESIGN section 11).
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from statistics import fmean
from typing import Any, TypeVar

import dspy

from summq.eval.data import Row
from summq.programs import SummQ
from summq.programs.errors import ConfigError
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.role import Role
from summq.signatures import Issue


@dataclass(frozen=True)
class Assessment:
    """The score of one reply, from 0 to 1 (best), and the reasons: what is right in it and what is missing."""

    score: float
    reasons: tuple[str, ...] = ()

    @property
    def feedback(self) -> str:
        """Score and reasons as text for an optimizer that reflects."""
        return "\n".join((f"Score {self.score:.2f} of 1.", *self.reasons))


Build = Callable[[Row, Row, random.Random], Iterable[dspy.Example]]
"""Makes examples of a row, with another row (about something else) and a source of randomness."""

Judge = Callable[[dspy.Example, dspy.Prediction], Assessment]


@dataclass(frozen=True)
class RoleTask:
    """A task by the name of its role. The same rows and seed make the same examples.

    Args:
        role: The role's full name, for instance `summary_reviewer.review`.
        build: Makes the examples of one row.
        judge: Judges one agent's reply to one example.
        by_references: Whether building or judging takes ROUGE and BERTScore against references.
    """

    role: str
    build: Build
    judge: Judge
    by_references: bool = False

    @property
    def fingerprint(self) -> str:
        """The task: which examples it makes, and what judges them."""
        return f"{self.role}: {self.build.__qualname__}, {self.judge.__qualname__}"

    def examples(self, rows: Sequence[Row], seed: int) -> list[dspy.Example]:
        """The examples of all rows: the first of each row, then the second of each, and so on.

        `source` says which row an example is made of.
        """
        batches = []
        for place, row in enumerate(rows):
            other = rows[(place + 1) % len(rows)]
            built = self.build(row, other, random.Random(f"{seed}/{self.role}/{row.id}"))
            batches.append([example.copy(source=row.id) for example in built])
        return [example for example in chain.from_iterable(zip_longest(*batches)) if example is not None]

    def metric(
        self, gold: dspy.Example, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> dspy.Prediction:
        """The mean score of all agents of the role, and feedback: on the named agent, else on all."""
        with dspy.context(trace=None):  # a judge may ask agents of its own
            assessments = [self.judge(gold, reply) for reply in pred.replies]
        place = re.search(r"agents\[(\d+)\]", pred_name or "")
        shown = [assessments[int(place.group(1))]] if place else assessments
        score = fmean(assessment.score for assessment in assessments)
        return dspy.Prediction(score=score, feedback="\n\n".join(assessment.feedback for assessment in shown))

    def module(self, program: SummQ) -> "Agents":
        """The agents of a program that play the role.

        Raises:
            ConfigError: The program has none.
        """
        agents = agents_of(program, self.role)
        if not agents:
            raise ConfigError(f"this program has no {self.role}: choose a preset or a config with such agents")
        return Agents(agents)


class Agents(dspy.Module):
    """All agents of one role, each called by itself; `replies` holds their predictions in order."""

    def __init__(self, agents: Sequence[Role]) -> None:
        super().__init__()
        self.agents = list(agents)

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """Call every agent with those inputs that its signature has."""

        def one(agent: Role) -> dspy.Prediction:
            return agent(**{name: value for name, value in inputs.items() if name in agent.signature.input_fields})

        return dspy.Prediction(replies=parallel(one, self.agents))


def agents_of(program: dspy.Module, role: str) -> list[Role]:
    """The predictors of a program that play a role, each once."""
    return [agent for _, agent in program.named_predictors() if isinstance(agent, Role) and agent.role == role]


Error = TypeVar("Error")


def score_issues(
    issues: Sequence[Issue],
    errors: Sequence[Error],
    is_about: Callable[[Issue, Error], bool],
    describe: Callable[[Error], str],
) -> Assessment:
    """F1 of the planted errors; where none was planted, 1 / (1 + number of issues): about a clean draft none is best.

    Args:
        is_about: Whether an issue is about an error. Several may be about the same one.
        describe: An error in words, for the feedback.
    """
    missed = [error for error in errors if not any(is_about(issue, error) for issue in issues)]
    false = [issue for issue in issues if not any(is_about(issue, error) for error in errors)]
    reasons = (
        *(f"Missed: {describe(error)}" for error in missed),
        *(f"Found: {describe(error)}" for error in errors if error not in missed),
        *(f"Raised without reason: {issue.kind}, {issue.target!r}: {issue.explanation}" for issue in false),
    )
    if not errors:
        return Assessment(1 / (1 + len(issues)), reasons or ("There was nothing wrong, and nothing was raised.",))
    hits, right = len(errors) - len(missed), len(issues) - len(false)
    if not hits:
        return Assessment(0.0, reasons)
    recall, precision = hits / len(errors), right / len(issues)
    return Assessment(2 * recall * precision / (recall + precision), reasons)


__all__ = ["Agents", "Assessment", "RoleTask", "agents_of", "score_issues"]
