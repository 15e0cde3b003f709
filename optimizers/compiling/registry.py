"""DSPy's optimizers, by the name that `--optimizer` takes. To add one: write its class and name it in `OPTIMIZERS`.

The formulas for the calls follow dspy 3.4 line by line; the tests compare them with what the optimizers really do.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import dspy

from summq.optimizers.compiling.base import Examples, Optimizer, OptimizerInputs, OptimizerPlan, Sizes
from summq.optimizers.compiling.guard import mean_of, score_examples
from summq.optimizers.compiling.proposer import BriefProposer
from summq.programs.errors import ConfigError, there_are

MANY = 10**6  # failures are counted by `Guard`, which knows when to stop
MINIBATCH = 3
MOST_DEMOS = 3
MOST_ROUNDS = 5
ROUNDS_OF_SETS = 3  # where every set of demos is tried, too
LEAST_THRESHOLD = 1e-9  # DSPy takes 0 for no threshold
TIE = 1e-3  # what a score counts for beside what it is above others of its example, where runs do not vary


class Bootstrap(Optimizer):
    """Demos are the runs that most exceed the others of their example: every example is run several times before.

    Absolute scores would take whatever is written about easy documents.
    """

    name, learns, data, share, one_agent = "bootstrap", "demos", "both", 4, True

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        examples = sizes.train + sizes.validation
        self.require(2 * examples, sizes)
        rounds = min(MOST_ROUNDS, sizes.metric_calls // (2 * examples))
        settings = {"max_bootstrapped_demos": MOST_DEMOS, "max_rounds": rounds}
        return OptimizerPlan(settings, 2 * rounds * examples)

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        examples = [*inputs.train, *inputs.validation]
        excess, runs = _excess(student, examples, inputs, plan.settings["max_rounds"])
        ranked, best = _ranked(examples, runs)  # DSPy takes the first ones
        optimizer = dspy.BootstrapFewShot(
            metric=excess,
            metric_threshold=max(best[:MOST_DEMOS][-1], LEAST_THRESHOLD),
            max_labeled_demos=0,
            max_errors=MANY,
            **plan.settings,
        )
        return optimizer.compile(student, trainset=ranked)


class BootstrapRandom(Optimizer):
    """Sets of demos drawn from the runs that most exceed the others of their example, each tried on the validation set.

    None is compared with no demos at all: whether the role gains by them is for the held-out examples to say.
    """

    name, learns, data, one_agent = "bootstrap-random", "demos", "both", True

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        def calls(rounds: int, sets: int) -> int:
            return rounds * sizes.train + sets * (rounds * _promising(sizes.train) + sizes.validation)

        self.require(calls(rounds=1, sets=2), sizes)
        rounds = max(n for n in range(1, ROUNDS_OF_SETS + 1) if n == 1 or calls(n, 6) <= sizes.metric_calls)
        sets = max(n for n in range(2, 12) if calls(rounds, n) <= sizes.metric_calls)
        settings = {"max_bootstrapped_demos": MOST_DEMOS, "num_candidate_programs": sets - 1, "max_rounds": rounds}
        without_none_and_labels = list(range(-1, sets - 1))
        return OptimizerPlan(settings, calls(rounds, sets), arguments={"restrict": without_none_and_labels})

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        arguments = plan.arguments or {}
        return RandomSearch(inputs, plan).compile(student, trainset=inputs.train, valset=inputs.validation, **arguments)


class RandomSearch(dspy.BootstrapFewShotWithRandomSearch):
    """DSPy's, whose sets of demos are chosen among the better half of the examples by what their runs exceed others."""

    def __init__(self, inputs: OptimizerInputs, plan: OptimizerPlan) -> None:
        self.inputs = inputs
        super().__init__(
            metric=inputs.score,
            max_labeled_demos=0,
            max_errors=MANY,
            num_threads=inputs.threads,
            **plan.settings,
        )

    def compile(
        self, student: dspy.Module, *, trainset: Examples, valset: Examples, restrict: Sequence[int]
    ) -> dspy.Module:
        """A student with the demos that did best on `valset`; `restrict` holds the numbers of the sets to try."""
        excess, runs = _excess(student, trainset, self.inputs, self.max_rounds)
        ranked, best = _ranked(trainset, runs)
        promising = _promising(len(trainset))
        self.metric = _for_demos(excess, self.inputs)
        self.metric_threshold = max(best[:promising][-1], LEAST_THRESHOLD)
        return super().compile(student, trainset=ranked[:promising], valset=valset, restrict=restrict)


class Mipro(Optimizer):
    """Instructions and sets of demos, and trials that combine them, each on the whole validation set.

    Demos are runs that exceed others of their example. No prompt holds the training set or the program's source.
    """

    name, learns, data, one_agent = "mipro", "instructions and demos", "both", True

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        self.require(4 * sizes.train + 3 * sizes.validation, sizes)
        most = (sizes.metric_calls - 3 * sizes.validation) // sizes.train - 1
        candidates = max(3, min(10, sizes.metric_calls // (3 * sizes.train), most))
        rounds = max(1, min(ROUNDS_OF_SETS, most + 1 - candidates))
        training = (candidates + rounds) * sizes.train
        trials = min(30, (sizes.metric_calls - training) // sizes.validation - 1)
        return OptimizerPlan(
            {"num_candidates": candidates, "max_bootstrapped_demos": MOST_DEMOS},
            training + (trials + 1) * sizes.validation,
            candidates * sizes.predictors,
            {"num_trials": trials, "minibatch": False, "data_aware_proposer": False, "program_aware_proposer": False},
            rounds,
        )

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        excess, runs = _excess(student, inputs.train, inputs, plan.rounds)
        optimizer = dspy.MIPROv2(
            metric=_for_demos(excess, inputs),
            metric_threshold=max(median(run[0] for run in runs), LEAST_THRESHOLD),  # it looks at one run of each
            prompt_model=inputs.prompt_model,
            task_model=inputs.lm,
            auto=None,
            max_labeled_demos=0,
            max_errors=MANY,
            num_threads=inputs.threads,
            seed=inputs.seed or 9,  # DSPy takes 0 for no seed
            track_stats=False,
            **plan.settings,
        )
        arguments = plan.arguments or {}
        return optimizer.compile(student, trainset=inputs.train, valset=inputs.validation, **arguments)


class Copro(Optimizer):
    """Rounds of instructions, each round written in the light of the scores of those before."""

    name, learns, data = "copro", "instructions", "validation"

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        def candidates(breadth: int, depth: int) -> int:
            again = 1 if sizes.predictors == 1 else (depth + 1) / 2  # several predictors: old ones are tried again
            return int(sizes.predictors * breadth * depth * again)

        self.require(candidates(2, 1) * sizes.validation, sizes)
        shapes = [(breadth, depth) for depth in (1, 2, 3) for breadth in range(2, 11)]
        fitting = [shape for shape in shapes if candidates(*shape) <= sizes.metric_calls // sizes.validation]
        breadth, depth = max(fitting, key=lambda shape: (min(shape[0], 4), shape[1], shape[0]))
        return OptimizerPlan(
            {"breadth": breadth, "depth": depth},
            candidates(breadth, depth) * sizes.validation,
            sizes.predictors * (breadth * depth - 1),
        )

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        # DSPy's usual temperature of 1.4 is refused by some providers and makes small models babble.
        optimizer = dspy.COPRO(
            metric=inputs.score, prompt_model=inputs.prompt_model, init_temperature=1.0, **plan.settings
        )
        evaluation = {"num_threads": inputs.threads, "display_progress": False}
        return optimizer.compile(student, trainset=inputs.validation, eval_kwargs=evaluation)


class Simba(Optimizer):
    """Steps of rules and demos drawn from what went well and badly within a batch."""

    name, learns, data = "simba", "instructions and demos", "train"

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        candidates, batch = 3, min(8, sizes.train)

        def calls(steps: int) -> int:
            return steps * (2 * candidates + 1) * batch + (min(steps, candidates) + 1) * sizes.train

        self.require(calls(1), sizes)
        steps = max(steps for steps in range(1, 9) if calls(steps) <= sizes.metric_calls)
        settings = {"bsize": batch, "num_candidates": candidates, "max_steps": steps, "max_demos": MOST_DEMOS}
        return OptimizerPlan(settings, calls(steps), steps * (candidates + 1))

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        optimizer = dspy.SIMBA(
            metric=inputs.feedback, prompt_model=inputs.prompt_model, num_threads=inputs.threads, **plan.settings
        )
        return optimizer.compile(student, trainset=inputs.train, seed=inputs.seed)


class Gepa(Optimizer):
    """Reflection on minibatches until the metric calls are used up; the last evaluation may finish beyond them."""

    name, learns, data = "gepa", "instructions", "both"

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        self.require(_least_for_gepa(sizes), sizes)
        limit = sizes.metric_calls - sizes.validation - 2 * MINIBATCH
        settings = {"max_metric_calls": limit, "reflection_minibatch_size": MINIBATCH}
        return OptimizerPlan(settings, sizes.metric_calls, 1 + (limit - sizes.validation) // (2 * MINIBATCH))

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        return _reflection(inputs, plan).compile(student, trainset=inputs.train, valset=inputs.validation)


class BetterTogether(Optimizer):
    """Instructions by `gepa`, then demos by `bootstrap-random`, each for about half of the metric calls."""

    name, learns, data, one_agent = "better-together", "instructions and demos", "both", True

    def plan(self, sizes: Sizes) -> OptimizerPlan:
        scoring = 3 * sizes.validation
        least_demos = sizes.train + 2 * (_promising(sizes.train) + sizes.validation)
        least = scoring + least_demos + _least_for_gepa(sizes)
        self.require(least, sizes)
        for_demos = max(least_demos, min((sizes.metric_calls - scoring) // 2, sizes.metric_calls - least + least_demos))
        demos = BootstrapRandom().plan(replace(sizes, metric_calls=for_demos))
        instructions = Gepa().plan(replace(sizes, metric_calls=sizes.metric_calls - scoring - demos.metric_calls))
        return OptimizerPlan(
            {"instructions": instructions, "demos": demos},
            sizes.metric_calls,
            instructions.prompt_calls,
            {"optimizer_compile_args": {"demos": demos.arguments}},
        )

    def compile(self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan) -> dspy.Module:
        optimizer = dspy.BetterTogether(
            metric=inputs.score,
            instructions=_reflection(inputs, plan.settings["instructions"]),
            demos=RandomSearch(inputs, plan.settings["demos"]),
        )
        student = student.deepcopy()
        student.set_lm(inputs.lm)  # DSPy insists on it; only the prompts of the result are taken over
        compiled = optimizer.compile(
            student,
            trainset=inputs.train,
            valset=inputs.validation,
            strategy="instructions -> demos",
            seed=inputs.seed,
            **(plan.arguments or {}),
        )
        if compiled.flag_compilation_error_occurred:
            raise RuntimeError(f"{self.name}: a step failed; the log of dspy has the reason")
        return compiled


def _excess(
    student: dspy.Module, examples: Examples, inputs: OptimizerInputs, rounds: int
) -> tuple[Callable[..., float], list[list[float]]]:
    """A metric by which a run is better than others of its example, and its values for the runs of each example.

    The runs are those of DSPy's rounds.
    """
    runs = []
    for number in range(rounds):
        lm = inputs.lm.copy(rollout_id=number, temperature=1.0) if number else inputs.lm
        with dspy.context(lm=lm):
            runs.append(score_examples(student, examples, inputs.score))
    scores = {id(example): [run[place] for run in runs] for place, example in enumerate(examples)}
    usual = {example: mean_of(of_example) or 0.0 for example, of_example in scores.items()}

    def beyond(score: float, example: int) -> float:
        return score - usual[example] + TIE * score

    values = [[beyond(score or 0.0, example) for score in of_example] for example, of_example in scores.items()]
    return lambda gold, pred, trace=None: beyond(inputs.score(gold, pred, trace), id(gold)), values


def _ranked(examples: Examples, runs: list[list[float]]) -> tuple[Examples, list[float]]:
    """The examples by what the best of their runs exceeds the others, and by how much it does."""
    best = list(map(max, runs))
    order = sorted(range(len(examples)), key=best.__getitem__, reverse=True)
    return [examples[place] for place in order], [best[place] for place in order]


def _for_demos(excess: Callable[..., float], inputs: OptimizerInputs) -> Callable[..., float]:
    """The excess for those who look for demos, whom DSPy hands a trace; the score for those who score."""
    return lambda gold, pred, trace=None: inputs.score(gold, pred) if trace is None else excess(gold, pred, trace)


def _promising(examples: int) -> int:
    """Of so many examples the number from which sets of demos are drawn."""
    return max(MOST_DEMOS, examples // 2)


def _reflection(inputs: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return dspy.GEPA(
        metric=inputs.feedback,
        reflection_lm=inputs.prompt_model,
        instruction_proposer=BriefProposer(inputs.on_failure),
        num_threads=inputs.threads,
        seed=inputs.seed,
        **plan.settings,
    )


def _least_for_gepa(sizes: Sizes) -> int:
    return 2 * sizes.validation + 2 * MINIBATCH


OPTIMIZERS: dict[str, Optimizer] = {
    optimizer.name: optimizer
    for optimizer in (Bootstrap(), BootstrapRandom(), Mipro(), Copro(), Simba(), Gepa(), BetterTogether())
}


def find_optimizer(name: str) -> Optimizer:
    """The optimizer of that name. Raises `ConfigError` with the known names for any other."""
    if name not in OPTIMIZERS:
        raise ConfigError(f"unknown optimizer {name!r}: {there_are(OPTIMIZERS, name)}")
    return OPTIMIZERS[name]


__all__ = ["LEAST_THRESHOLD", "OPTIMIZERS", "find_optimizer"]
