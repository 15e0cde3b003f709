"""The whole program as a task, by its final summaries: a last step after each role was compiled by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from summq.eval.data import Row
from summq.eval.metrics.reference import reference_remarks, reference_score
from summq.optimizers.compiling.base import Examples
from summq.optimizers.compiling.guard import DspyMetric
from summq.optimizers.compiling.inputs import CompileTask
from summq.optimizers.role_tasks import role_tasks
from summq.programs import SummQ

WHOLE_PROGRAM = "program"


def likeness(
    gold: dspy.Example, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
) -> dspy.Prediction:
    """The mean of ROUGE-1 and BERTScore against the references; the feedback says what is missing and what is extra."""
    score = reference_score()(pred.summary, gold.references).score
    return dspy.Prediction(score=score, feedback="\n".join(reference_remarks(pred.summary, gold.references)))


@dataclass(frozen=True)
class EndToEnd:
    """All predictors of the program at once, scored by its summaries."""

    metric: DspyMetric = likeness
    role: str = WHOLE_PROGRAM

    @property
    def by_references(self) -> bool:
        """Whether `metric` compares summaries with references."""
        return self.metric is likeness

    @property
    def fingerprint(self) -> str:
        """The metric's own, or its name."""
        own = getattr(self.metric, "fingerprint", None)
        return str(own or getattr(self.metric, "__qualname__", type(self.metric).__qualname__))

    def examples(self, rows: Sequence[Row], seed: int) -> Examples:
        """One example for each row."""
        return [
            dspy.Example(document=row.document, references=row.references, source=row.id).with_inputs("document")
            for row in rows
        ]

    def module(self, program: SummQ) -> dspy.Module:
        """The program itself."""
        return program


def tasks_of(program: SummQ, roles: Sequence[str], whole: DspyMetric = likeness) -> list[CompileTask]:
    """The tasks of the named roles, or of all roles of the program; the name `program` stands for the whole program.

    Args:
        whole: The metric of the whole program's summaries.

    Raises:
        ConfigError: An unknown role, or one that the program has no agent for.
    """
    parts = [role for role in roles if role != WHOLE_PROGRAM]
    tasks: list[CompileTask] = list(role_tasks(program, parts)) if parts or not roles else []
    return [*tasks, EndToEnd(whole)] if WHOLE_PROGRAM in roles else tasks


__all__ = ["EndToEnd", "likeness", "tasks_of"]
