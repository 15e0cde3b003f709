"""What a role learns on: examples made of rows, a judge of single replies, and the agents of a program that play it.

Running the whole program for each metric call would cost a hundred calls; so each role has a task of its own whose
right outcome is known from a document and its references.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, TypeVar

import dspy

from summq.eval.data import Row
from summq.programs import SummQ
from summq.programs.errors import ConfigError
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, parallel
from summq.programs.runtime.role import Role
from summq.programs.text.words import count_words
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


Build = Callable[[Row, Row, random.Random, int], Iterable[dspy.Example]]
"""Makes examples of a row, with another row (about something else), a source of randomness and the wanted words."""

Judge = Callable[[dspy.Example, dspy.Prediction], Assessment]
"""Judges what one agent replies to an example; `replies` holds its replies to the variants of one that has any."""

Combine = Callable[[list[float]], float]
"""What a component is worth, out of its agents' scores: what it hands on is the best draft, or what most vote for."""


@dataclass(frozen=True)
class RoleTask:
    """A task by the name of its role. The same rows and seed make the same examples.

    Args:
        role: The role's full name, for instance `summary_reviewer.review`.
        build: Makes the examples of one row.
        judge: Judges one agent's reply to one example.
        by_references: Whether building or judging takes ROUGE and BERTScore against references.
        combine: The score of the component: `max` where the best reply is taken, `median` where agents vote.
    """

    role: str
    build: Build
    judge: Judge
    by_references: bool = False
    combine: Combine = fmean

    @property
    def fingerprint(self) -> str:
        """The task: which examples it makes, and what judges them."""
        return f"{self.role}: {self.build.__qualname__}, {self.judge.__qualname__}"

    def examples(self, rows: Sequence[Row], seed: int) -> list[dspy.Example]:
        """The examples of all rows, those of one row together. `source` says which row an example is made of.

        All have the same wanted length: whoever is told the length of each reference is told something about it.
        """
        words = usual_words(rows)

        def of(place: int) -> list[dspy.Example]:
            row, other = rows[place], rows[(place + 1) % len(rows)]
            built = self.build(row, other, random.Random(f"{seed}/{self.role}/{row.id}"), words)
            return [example.copy(source=row.id) for example in built]

        built = parallel(of, range(len(rows)), at_once=DOCUMENTS_AT_ONCE)
        return [example for examples in built for example in examples]

    def metric(
        self, gold: dspy.Example, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> dspy.Prediction:
        """The score of the component, and feedback: on the reply in `pred_trace` if there is one, else on all."""
        with dspy.context(trace=None):  # a judge may ask agents of its own
            assessments = [self.judge(gold, reply) for reply in pred.replies]
        traced = {id(entry[2]) for entry in pred_trace or ()}
        shown = [
            assessment
            for assessment, reply in zip(assessments, pred.replies, strict=True)
            if traced & {id(one) for one in (reply, *reply.get("replies", ()))}
        ]
        return dspy.Prediction(
            score=self.combine([assessment.score for assessment in assessments]),
            feedback="\n\n".join(assessment.feedback for assessment in shown or assessments),
        )

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

    def forward(self, variants: Sequence[Mapping[str, Any]] = (), **inputs: Any) -> dspy.Prediction:
        """Call every agent with those inputs that its signature has.

        With `variants` each agent is called once for every variant, which adds to the inputs, and its prediction holds
        its replies.
        """

        def one(agent: Any) -> dspy.Prediction:
            if not variants:
                return call(agent, inputs)
            return dspy.Prediction(replies=parallel(lambda more: call(agent, {**inputs, **more}), variants))

        def call(agent: Any, given: Mapping[str, Any]) -> dspy.Prediction:
            reply: dspy.Prediction = agent(**{n: v for n, v in given.items() if n in agent.signature.input_fields})
            return reply

        return dspy.Prediction(replies=parallel(one, self.agents))


def usual_words(rows: Sequence[Row]) -> int:
    """The median length of all references, in words, to the nearest ten."""
    return max(10, 10 * round(median(count_words(text) for row in rows for text in row.references) / 10))


def agents_of(program: dspy.Module, role: str) -> list[Role]:
    """The predictors of a program that play a role, each once."""
    return [agent for _, agent in program.named_predictors() if isinstance(agent, Role) and agent.role == role]


Error = TypeVar("Error")


def score_issues(
    issues: Sequence[Issue],
    errors: Sequence[Error],
    is_about: Callable[[Issue, Error], bool],
    describe: Callable[[Error], str],
    alarms: Sequence[Issue] = (),
) -> Assessment:
    """F1 of the planted errors, over a flawed draft and the same one without flaw; saying nothing scores 0.

    Args:
        is_about: Whether an issue is about an error. Several may be about the same one.
        describe: An error in words, for the feedback.
        alarms: Issues raised about the draft without flaw, all of them false.
    """
    missed = [error for error in errors if not any(is_about(issue, error) for issue in issues)]
    false = [issue for issue in issues if not any(is_about(issue, error) for error in errors)]
    reasons = (
        *(f"Missed: {describe(error)}" for error in missed),
        *(f"Found: {describe(error)}" for error in errors if error not in missed),
        *(f"Raised without reason: {issue.kind}, {issue.target!r}: {issue.explanation}" for issue in (*false, *alarms)),
    )
    hits, right = len(errors) - len(missed), len(issues) - len(false)
    if not hits:
        return Assessment(0.0, reasons)
    recall, precision = hits / len(errors), right / (len(issues) + len(alarms))
    return Assessment(2 * recall * precision / (recall + precision), reasons)


__all__ = ["Agents", "Assessment", "RoleTask", "agents_of", "score_issues", "usual_words"]
