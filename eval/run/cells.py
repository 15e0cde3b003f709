"""One system on one row: its summary, and what the metrics say of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.utils.exceptions import LMError

from summq.eval.archive import Outcome
from summq.eval.data import Row
from summq.eval.metrics import Metric, Score, unscored
from summq.eval.run.plan import EvalPlan
from summq.eval.systems import System, Written
from summq.eval.systems.base import separate_cache
from summq.programs.errors import DataError, DocumentError, RunError
from summq.programs.runtime.replies import first_line, lost_agent
from summq.programs.runtime.role import UnusableReply
from summq.programs.runtime.usage import Meter


@dataclass(frozen=True)
class Cell:
    """One system on one row; `earlier` is what a run before this one finished of it."""

    plan: EvalPlan
    system: System
    row: Row
    earlier: Outcome | None = None

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that the summary was not measured by yet; a value that was left unscored stays so."""
        scored = self.earlier.metrics.keys() if self.earlier else frozenset()
        return [metric for metric in self.plan.metrics if any(c.key not in scored for c in metric.columns)]

    def run(self) -> Outcome:
        """Summarise and measure.

        Raises whatever will keep all other cells from running too.
        """
        if self.earlier:
            return self._scored_further(self.earlier)
        meter = Meter(parent=dspy.settings.get("meter"))
        words = self.plan.words_for(self.row)
        started = time.monotonic()
        with dspy.context(meter=meter, document_key=self.row.document.key):
            attempt = self._attempt(words)
        seconds = time.monotonic() - started
        written = attempt.written
        scores = self._scores(written.summary if written else None)
        return Outcome(
            id=self.row.id,
            system=self.system.name,
            summary=written.summary if written else None,
            metrics=_values(scores),
            usage=meter.usage(),
            error=attempt.error,
            seconds=seconds,
            words_wanted=(written.words_wanted if written else None) or words,
            cluster=self.row.cluster,
            asked=list(written.questions) if written else [],
            unscored=_reasons(scores),
            details=_details(scores),
        )

    def _scored_further(self, earlier: Outcome) -> Outcome:
        scores = self._scores(earlier.summary)
        return earlier.model_copy(
            update={
                "metrics": {**earlier.metrics, **_values(scores)},
                "unscored": {**earlier.unscored, **_reasons(scores)},
                "details": {**earlier.details, **_details(scores)},
            }
        )

    def _attempt(self, words: int) -> "Attempt":
        if self.row.error:
            return Attempt(error=self.row.error)
        try:
            return Attempt(self.system.summarize(self.row, words))
        except (LMError, UnusableReply) as error:
            return Attempt(error=lost_agent(self.system.name, error).error)
        except (RunError, DocumentError, DataError) as error:
            return Attempt(error=first_line(error))

    def _scores(self, summary: str | None) -> dict[str, Score]:
        """What each metric says; where there is no summary nothing is scored."""
        if summary is None:
            return {metric.name: unscored(metric.columns, "no summary") for metric in self.plan.metrics}
        row = self.plan.scored(self.row, self.system)
        with separate_cache("eval/scoring", self.plan.scorer):
            return {metric.name: _score(metric, summary, row) for metric in self.metrics}


def _score(metric: Metric, summary: str, row: Row) -> Score:
    """The score of a summary; unscored where the metric can't measure this document."""
    try:
        return metric.score(summary, row)
    except DocumentError as error:
        return unscored(metric.columns, first_line(error))


Scores = Mapping[str, Score]


def _values(scores: Scores) -> dict[str, float | None]:
    return {column: value for score in scores.values() for column, value in score.values.items()}


def _reasons(scores: Scores) -> dict[str, str]:
    return {name: score.reason for name, score in scores.items() if score.reason}


def _details(scores: Scores) -> dict[str, dict[str, Any]]:
    return {name: dict(score.details) for name, score in scores.items() if score.details}


@dataclass(frozen=True)
class Attempt:
    """A summary, or why there is none."""

    written: Written | None = None
    error: str | None = None


__all__ = ["Cell"]
