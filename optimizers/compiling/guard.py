"""Counts an optimizer's runs and failures, and stops it in time.

DSPy's optimizers score any run that raises an exception 0 and go on. Here such failures are counted, so that they are
reported; what no prompt can mend (a spent budget, a rejected key, a bug) stops the optimizer at once.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError, LMError

from summq.programs.errors import BudgetSpent, DocumentError, RunError
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import first_line, lost_agent
from summq.programs.runtime.role import UnusableReply
from summq.programs.summq import complete

DspyMetric = Callable[..., Any]
HOPELESS_AFTER = 10
PERFECT = 1 - 1e-9
PASSING = (DocumentError, LMError, RunError, UnusableReply)
"""Failures of single examples; after any other exception the optimizer is stopped."""


class Halted(BaseException):
    """Stops an optimizer, which would score any `Exception` 0 and go on; `cause` is what happened."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Guard:
    """Stands between an optimizer and the metric and program that it is given.

    `metric_calls`, `failures` (by their messages) and `failed_proposals` are the counts so far.

    Args:
        metric: Takes five arguments as GEPA's metrics do; returns a score from 0 to 1, or a prediction with `score`
            and `feedback`.
        max_metric_calls: After so many scores the optimizer is stopped with `BudgetSpent`; None for no limit.
    """

    def __init__(self, metric: DspyMetric, max_metric_calls: int | None = None) -> None:
        self._metric = metric
        self._limit = max_metric_calls
        self._lock = threading.Lock()
        self._runs = 0
        self.metric_calls = 0
        self.failures: Counter[str] = Counter()
        self.failed_proposals = 0

    def student(self, program: dspy.Module) -> "GuardedProgram":
        """The program with its runs counted, to be given to the optimizer."""
        return GuardedProgram(program, self)

    def score(self, gold: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> float:
        """The metric as a number between 0 and 1."""
        return float(self.feedback(gold, pred, trace, pred_name, pred_trace).score)

    def feedback(
        self, gold: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
    ) -> dspy.Prediction:
        """The metric as a prediction with `score` and `feedback`; a run that failed (`pred` is None) scores 0."""
        self._count(for_one_predictor=pred_name is not None)
        if pred is None:
            return dspy.Prediction(score=0.0, feedback="The run failed.")
        try:
            result = self._metric(gold, pred, trace, pred_name, pred_trace)
        except Exception as error:
            self.failed(error)
            raise
        if isinstance(result, dspy.Prediction):
            return dspy.Prediction(score=float(result.score), feedback=result.get("feedback", ""))
        return dspy.Prediction(score=float(result), feedback="")

    def run(self, program: dspy.Module, inputs: Mapping[str, Any]) -> Any:
        """Run the program on one example and count it. Raises `Halted` for what ends the whole search."""
        with self._lock:
            self._runs += 1
        try:
            return complete(program(**inputs))
        except Exception as error:
            self.failed(error)
            raise

    def failed(self, error: Exception) -> None:
        """Count a failure. Raises `Halted` where no further run could succeed."""
        try:
            require_passing(error)
        except Exception as fatal:
            raise Halted(fatal) from error
        with self._lock:
            self.failures[f"{type(error).__name__}: {first_line(error)}"] += 1
            all_failed = self.failures.total() == self._runs >= HOPELESS_AFTER
        if all_failed:
            raise Halted(RunError(f"the first {self._runs} runs all failed; the last one: {first_line(error)}"))

    def proposal_failed(self, error: Exception) -> None:
        """Count an instruction that the prompt model could not write. Raises `Halted` if it never will write one."""
        if not isinstance(error, AdapterParseError | ValueError):
            try:
                require_passing(error)
            except Exception as fatal:
                raise Halted(fatal) from error
        with self._lock:
            self.failed_proposals += 1

    def _count(self, *, for_one_predictor: bool) -> None:
        """Count a score. GEPA asks again for the feedback on one predictor of the same run, which does not count."""
        with self._lock:
            self.metric_calls += not for_one_predictor
            spent = self._limit is not None and self.metric_calls > self._limit
        if spent:
            raise Halted(BudgetSpent(f"stopped after {self._limit} metric calls (--metric-calls)"))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Guard":
        return self


class GuardedProgram(dspy.Module):
    """A program whose runs are counted. Its predictors are those of the program."""

    def __init__(self, program: dspy.Module, guard: Guard) -> None:
        super().__init__()
        self.program = program
        self.guard = guard

    def forward(self, **inputs: Any) -> Any:
        """Run the program under the guard."""
        return self.guard.run(self.program, inputs)


def require_passing(error: Exception) -> None:
    """Raise errors that are not those of one example: a spent budget, a provider that refuses all calls, a bug."""
    try:
        lost_agent("optimizer", error)
    except PASSING:
        return


Scores = list[float | None]
"""From 0 to 1, None where there is no score."""


def score_examples(
    module: dspy.Module, examples: Sequence[dspy.Example], metric: DspyMetric, rollouts: int = 1
) -> Scores:
    """The mean score of each example over its rollouts, None where all failed.

    Raises errors that are not those of one example.
    """

    def one(item: tuple[dspy.Example, int]) -> float:
        example, rollout = item
        lm = dspy.settings.lm
        with dspy.context(lm=lm.copy(rollout_id=f"measured {rollout}") if rollout else lm):
            return score_in(metric(example, complete(module(**example.inputs()))))

    outcomes = parallel_outcomes(one, [(example, rollout) for example in examples for rollout in range(rollouts)])
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            require_passing(outcome)
    scores = [None if isinstance(outcome, Exception) else outcome for outcome in outcomes]
    return [mean_of(scores[start : start + rollouts]) for start in range(0, len(scores), rollouts)]


def score_in(result: Any) -> float:
    """The number in what a metric returns: a score, or a prediction with one."""
    return float(result.score if isinstance(result, dspy.Prediction) else result)


def mean_of(scores: Scores) -> float | None:
    """The mean without the missing scores; None if all are missing."""
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None


def is_perfect(scores: Scores) -> bool:
    """Whether every example has the best score, so that nothing is left to learn."""
    return all(score is not None and score >= PERFECT for score in scores)


def source_of(example: dspy.Example) -> str | None:
    """The id of the row that an example was made of; intervals resample rows, not examples."""
    return None if example.get("source") is None else str(example.source)


__all__ = [
    "DspyMetric",
    "Guard",
    "Halted",
    "Scores",
    "is_perfect",
    "mean_of",
    "require_passing",
    "score_examples",
    "source_of",
]
