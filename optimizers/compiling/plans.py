"""What each DSPy optimizer does with a budget of metric calls: its settings, and how much they come to at most.

Nothing is left to an optimizer's own idea of a "light" run, which takes thousands of metric calls here. The formulas
follow dspy 3.4 line by line; the tests hold them against what the optimizers really do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from summq.programs.errors import ConfigError

SHARE = 12
"""No set of examples is larger than a twelfth of the metric calls: a prompt has to be tried on all of them."""
MINIBATCH = 3
MOST_DEMOS = 3


@dataclass(frozen=True)
class Sizes:
    """How many examples to learn from and to choose by, predictors to compile, and metric calls to spend."""

    train: int
    validation: int
    predictors: int
    metric_calls: int


@dataclass(frozen=True)
class OptimizerPlan:
    """Arguments of an optimizer and of its `compile`, and at most how many metric and prompt model calls they take."""

    settings: Mapping[str, Any]
    metric_calls: int
    prompt_calls: int = 0
    arguments: Mapping[str, Any] | None = None


def bootstrap(sizes: Sizes) -> OptimizerPlan:
    """Demos are the runs on training examples that score above the median, which takes a pass of its own."""
    rounds = min(3, sizes.metric_calls // sizes.train - 1)
    _require(rounds >= 1, "bootstrap", 2 * sizes.train, sizes)
    settings = {"max_bootstrapped_demos": MOST_DEMOS, "max_rounds": rounds}
    return OptimizerPlan(settings, (rounds + 1) * sizes.train)


def bootstrap_random(sizes: Sizes) -> OptimizerPlan:
    """Several sets of demos, each tried on the validation examples, against none."""

    def calls(sets: int) -> int:
        return (sets + 2) * (sizes.train + sizes.validation)

    sets = min(10, sizes.metric_calls // (sizes.train + sizes.validation) - 2)
    _require(sets >= 1, "bootstrap-random", calls(1), sizes)
    settings = {"max_bootstrapped_demos": MOST_DEMOS, "num_candidate_programs": sets}
    without_labels = [-3, *range(-1, sets)]
    return OptimizerPlan(settings, calls(sets), arguments={"restrict": without_labels})


def mipro(sizes: Sizes) -> OptimizerPlan:
    """Instructions and sets of demos, and trials that combine them."""
    candidates = max(3, min(10, sizes.metric_calls // (3 * sizes.train)))
    trials = min(30, (sizes.metric_calls - candidates * sizes.train) // sizes.validation - 1)
    least = 3 * sizes.train + 3 * sizes.validation
    _require(trials >= 2, "mipro", least, sizes)
    return OptimizerPlan(
        {"num_candidates": candidates, "max_bootstrapped_demos": MOST_DEMOS},
        candidates * sizes.train + (trials + 1) * sizes.validation,
        candidates * sizes.predictors,
        {"num_trials": trials},
    )


def copro(sizes: Sizes) -> OptimizerPlan:
    """Rounds of instructions, each round written in the light of the scores of those before."""

    def candidates(breadth: int, depth: int) -> int:
        again = 1 if sizes.predictors == 1 else (depth + 1) / 2  # several predictors: old candidates are tried again
        return int(sizes.predictors * breadth * depth * again)

    room = sizes.metric_calls // sizes.validation
    shapes = [(breadth, depth) for depth in (1, 2, 3) for breadth in range(2, 11)]
    fitting = [shape for shape in shapes if candidates(*shape) <= room]
    _require(bool(fitting), "copro", candidates(2, 1) * sizes.validation, sizes)
    breadth, depth = max(fitting, key=lambda shape: (min(shape[0], 4), shape[1], shape[0]))
    proposals = sizes.predictors * (breadth * depth - 1)
    return OptimizerPlan({"breadth": breadth, "depth": depth}, candidates(breadth, depth) * sizes.validation, proposals)


def simba(sizes: Sizes) -> OptimizerPlan:
    """Steps of rules and demos drawn from what went well and badly within a batch."""
    candidates, batch = 3, min(8, sizes.train)

    def calls(steps: int) -> int:
        return steps * (2 * candidates + 1) * batch + (min(steps, candidates) + 1) * sizes.train

    steps = max((s for s in range(1, 9) if calls(s) <= sizes.metric_calls), default=0)
    _require(steps >= 1, "simba", calls(1), sizes)
    settings = {"bsize": batch, "num_candidates": candidates, "max_steps": steps, "max_demos": MOST_DEMOS}
    return OptimizerPlan(settings, calls(steps), steps * (candidates + 1))


def gepa(sizes: Sizes) -> OptimizerPlan:
    """Reflection on minibatches until the metric calls are used up; the last evaluation may finish beyond them."""
    least = 2 * sizes.validation + 2 * MINIBATCH
    _require(sizes.metric_calls >= least, "gepa", least, sizes)
    limit = sizes.metric_calls - sizes.validation - 2 * MINIBATCH
    settings = {"max_metric_calls": limit, "reflection_minibatch_size": MINIBATCH}
    return OptimizerPlan(settings, sizes.metric_calls, 1 + (limit - sizes.validation) // (2 * MINIBATCH))


def better_together(sizes: Sizes) -> OptimizerPlan:
    """Instructions by `gepa`, then demos by `bootstrap-random`, each for about half of the metric calls."""
    scoring, least_demos = 3 * sizes.validation, 3 * (sizes.train + sizes.validation)
    least = scoring + least_demos + 2 * sizes.validation + 2 * MINIBATCH
    _require(sizes.metric_calls >= least, "better-together", least, sizes)
    for_demos = max(least_demos, min((sizes.metric_calls - scoring) // 2, sizes.metric_calls - least + least_demos))
    demos = bootstrap_random(replace(sizes, metric_calls=for_demos))
    instructions = gepa(replace(sizes, metric_calls=sizes.metric_calls - scoring - demos.metric_calls))
    return OptimizerPlan(
        {"instructions": instructions, "demos": demos},
        sizes.metric_calls,
        instructions.prompt_calls,
        {"optimizer_compile_args": {"demos": demos.arguments}},
    )


def _require(fits: bool, name: str, least: int, sizes: Sizes) -> None:
    if not fits:
        raise ConfigError(
            f"{name} needs at least {least} metric calls for {sizes.train} training and {sizes.validation} validation "
            f"examples and {sizes.predictors} predictors, not {sizes.metric_calls}: raise --metric-calls"
        )


__all__ = [
    "SHARE",
    "OptimizerPlan",
    "Sizes",
    "better_together",
    "bootstrap",
    "bootstrap_random",
    "copro",
    "gepa",
    "mipro",
    "simba",
]
