"""The whole program as a task: its summaries against references. A few passes after the roles have learned apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from summq.eval.data import Row
from summq.eval.metrics.reference import compared, reference_score
from summq.optimizers.compiling.base import Examples
from summq.optimizers.compiling.guard import DspyMetric
from summq.optimizers.compiling.inputs import CompileTask
from summq.optimizers.role_tasks import role_tasks
from summq.programs import SummQ

WHOLE_PROGRAM = "program"


def likeness(
    gold: dspy.Example, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
) -> dspy.Prediction:
    """ROUGE-1 and BERTScore of the summary against the references, with what is missing and what is too much."""
    found = reference_score()(pred.summary, gold.references)
    return dspy.Prediction(score=found.score, feedback="\n".join(compared(pred.summary, gold.references)))


@dataclass(frozen=True)
class EndToEnd:
    """Every predictor of the program at once, by the summaries that it ends with."""

    metric: DspyMetric = likeness
    role: str = WHOLE_PROGRAM

    @property
    def by_references(self) -> bool:
        """Whether summaries are compared with the references, and not rated by another metric."""
        return self.metric is likeness

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
    """The tasks of the named roles, of all roles that the program has if none is named; `program` is the whole of it.

    Args:
        whole: The metric of the whole program's summaries.

    Raises:
        ConfigError: An unknown role, or one that the program has no agent for.
    """
    parts = [role for role in roles if role != WHOLE_PROGRAM]
    tasks: list[CompileTask] = list(role_tasks(program, parts)) if parts or not roles else []
    return [*tasks, EndToEnd(whole)] if WHOLE_PROGRAM in roles else tasks


__all__ = ["WHOLE_PROGRAM", "EndToEnd", "likeness", "tasks_of"]
