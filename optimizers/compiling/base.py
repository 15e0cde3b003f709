"""What an optimizer of the registry is: a plan for a number of metric calls, and a run that keeps to it.

Nothing is left to an optimizer's own idea of a "light" run, which takes thousands of metric calls here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import dspy

from summq.programs.errors import ConfigError

Examples = list[dspy.Example]


@dataclass(frozen=True)
class Sizes:
    """How many examples to learn from and to choose by, predictors to compile, and metric calls to spend."""

    train: int
    validation: int
    predictors: int
    metric_calls: int


@dataclass(frozen=True)
class OptimizerPlan:
    """What a run is started with, and at most how many calls of the metric and of the prompt model it takes.

    Args:
        settings: Arguments of DSPy's optimizer.
        arguments: Arguments of its `compile`.
        rounds: How often each example is run before, to tell runs that exceed others.
    """

    settings: Mapping[str, Any]
    metric_calls: int
    prompt_calls: int = 0
    arguments: Mapping[str, Any] | None = None
    rounds: int = 1


@dataclass(frozen=True)
class OptimizerInputs:
    """What every optimizer is given besides the program: the metric, the examples and the language models.

    Args:
        score: The metric as a number from 0 to 1, higher is better.
        feedback: The metric as a prediction with `score` and `feedback`.
        on_failure: Called with the error when the prompt model could not write an instruction.
        train: Examples to learn from.
        validation: Examples to choose by.
        lm: The language model to compile for.
        prompt_model: The language model that writes instructions.
        threads: How many examples are run at the same time.
    """

    score: Callable[..., float]
    feedback: Callable[..., dspy.Prediction]
    on_failure: Callable[[Exception], None]
    train: Examples
    validation: Examples
    lm: dspy.LM
    prompt_model: dspy.LM
    seed: int
    threads: int


class Optimizer(ABC):
    """One of DSPy's optimizers, under the name that `--optimizer` takes.

    `data` says which examples it uses, `share` that no set of examples is larger than this part of the metric calls,
    `one_agent` that a role learns from the replies of one agent: with several, DSPy takes any one's reply for a demo,
    whoever's the score was.
    """

    name: ClassVar[str]
    learns: ClassVar[str]
    data: ClassVar[Literal["train", "validation", "both"]]
    share: ClassVar[int] = 12
    one_agent: ClassVar[bool] = False

    @abstractmethod
    def plan(self, sizes: Sizes) -> OptimizerPlan:
        """How the metric calls are spent. Raises `ConfigError` when they are too few for this optimizer."""

    @abstractmethod
    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        """A compiled copy of `student`, which itself is not changed."""

    def require(self, least: int, sizes: Sizes) -> None:
        """Raise `ConfigError` when there are fewer than `least` metric calls."""
        if sizes.metric_calls < least:
            raise ConfigError(
                f"{self.name} needs at least {least} metric calls for {sizes.train} training and {sizes.validation} "
                f"validation examples and {sizes.predictors} predictors, not {sizes.metric_calls}: "
                "raise --metric-calls"
            )


__all__ = ["Examples", "Optimizer", "OptimizerInputs", "OptimizerPlan", "Sizes"]
