"""DSPy's optimizers as rows of data: what each learns, what it is given, and how its budget is planned."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import dspy

from summq.optimizers.compiling import plans
from summq.optimizers.compiling.plans import OptimizerPlan, Sizes
from summq.optimizers.compiling.proposer import BriefProposer
from summq.programs.errors import ConfigError

Examples = list[dspy.Example]
MANY = 10**6  # failures are counted in `guard.py`, which knows when to stop


@dataclass(frozen=True)
class OptimizerInputs:
    """What an optimizer is made of: metric as a number and with feedback, and the models.

    `threshold` is the score from which on a run is good enough for a demo; `on_failure` is told when the prompt model
    could not write an instruction.
    """

    score: Callable[..., float]
    feedback: Callable[..., dspy.Prediction]
    on_failure: Callable[[Exception], None]
    lm: dspy.LM
    prompt_model: dspy.LM
    threshold: float
    seed: int
    threads: int


@dataclass(frozen=True)
class Optimizer:
    """One row: `data` says which examples `compile` gets, `chooses_demos` whether it needs the threshold."""

    name: str
    learns: str
    data: Literal["train", "validation", "both"]
    plan: Callable[[Sizes], OptimizerPlan]
    make: Callable[[OptimizerInputs, OptimizerPlan], Any]
    chooses_demos: bool = False
    takes_seed: bool = False

    def compile(
        self, student: dspy.Module, inputs: OptimizerInputs, plan: OptimizerPlan, train: Examples, validation: Examples
    ) -> dspy.Module:
        """The compiled copy of `student`, which itself stays as it is."""
        arguments: dict[str, Any] = dict(plan.arguments or {})
        arguments["trainset"] = validation if self.data == "validation" else train
        if self.data == "both":
            arguments["valset"] = validation
        if self.takes_seed:
            arguments["seed"] = inputs.seed
        compiled = self.make(inputs, plan).compile(student, **arguments)
        if getattr(compiled, "flag_compilation_error_occurred", False):
            raise RuntimeError(f"{self.name}: a step failed; the log of dspy has the reason")
        return compiled


def _bootstrap(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return dspy.BootstrapFewShot(
        metric=m.score, metric_threshold=m.threshold, max_labeled_demos=0, max_errors=MANY, **plan.settings
    )


def _bootstrap_random(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return dspy.BootstrapFewShotWithRandomSearch(
        metric=m.score,
        metric_threshold=m.threshold,
        max_labeled_demos=0,
        max_errors=MANY,
        num_threads=m.threads,
        **plan.settings,
    )


def _mipro(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return _Mipro(
        metric=m.score,
        metric_threshold=m.threshold,
        prompt_model=m.prompt_model,
        task_model=m.lm,
        auto=None,
        max_labeled_demos=0,
        max_errors=MANY,
        num_threads=m.threads,
        seed=m.seed or 9,  # 0 would be taken for none given
        track_stats=False,
        **plan.settings,
    )


def _copro(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    # DSPy's usual 1.4 is refused by some providers and makes small models babble.
    return _Copro(metric=m.score, prompt_model=m.prompt_model, init_temperature=1.0, threads=m.threads, **plan.settings)


def _simba(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return dspy.SIMBA(metric=m.feedback, prompt_model=m.prompt_model, num_threads=m.threads, **plan.settings)


def _gepa(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return dspy.GEPA(
        metric=m.feedback,
        reflection_lm=m.prompt_model,
        instruction_proposer=BriefProposer(m.on_failure),
        num_threads=m.threads,
        seed=m.seed,
        **plan.settings,
    )


def _better_together(m: OptimizerInputs, plan: OptimizerPlan) -> Any:
    return _BetterTogether(
        lm=m.lm,
        metric=m.score,
        instructions=_gepa(m, plan.settings["instructions"]),
        demos=_bootstrap_random(m, plan.settings["demos"]),
    )


class _Mipro(dspy.MIPROv2):
    """Whole validation sets, and no prompt that holds the training set or the program's source."""

    def compile(self, student: dspy.Module, **arguments: Any) -> Any:
        return super().compile(
            student, minibatch=False, data_aware_proposer=False, program_aware_proposer=False, **arguments
        )


class _Copro(dspy.COPRO):
    """Takes the number of threads where it takes everything else."""

    def __init__(self, threads: int, **settings: Any) -> None:
        super().__init__(**settings)
        self.threads = threads

    def compile(self, student: dspy.Module, *, trainset: Examples) -> Any:
        evaluation = {"num_threads": self.threads, "display_progress": False}
        return super().compile(student, trainset=trainset, eval_kwargs=evaluation)


class _BetterTogether(dspy.BetterTogether):
    """Gives a copy of the student the language model that it insists on; prompts are taken over without it."""

    def __init__(self, lm: dspy.LM, **settings: Any) -> None:
        super().__init__(**settings)
        self.lm = lm

    def compile(self, student: dspy.Module, **arguments: Any) -> Any:
        student = student.deepcopy()
        student.set_lm(self.lm)
        return super().compile(student, strategy="instructions -> demos", **arguments)


OPTIMIZERS: dict[str, Optimizer] = {
    row.name: row
    for row in (
        Optimizer("bootstrap", "demos", "train", plans.bootstrap, _bootstrap, chooses_demos=True),
        Optimizer("bootstrap-random", "demos", "both", plans.bootstrap_random, _bootstrap_random, chooses_demos=True),
        Optimizer("mipro", "instructions and demos", "both", plans.mipro, _mipro, chooses_demos=True),
        Optimizer("copro", "instructions", "validation", plans.copro, _copro),
        Optimizer("simba", "instructions and demos", "train", plans.simba, _simba, takes_seed=True),
        Optimizer("gepa", "instructions", "both", plans.gepa, _gepa),
        Optimizer(
            "better-together",
            "instructions and demos",
            "both",
            plans.better_together,
            _better_together,
            chooses_demos=True,
            takes_seed=True,
        ),
    )
}


def optimizer(name: str) -> Optimizer:
    """The row of that name. Raises `ConfigError` with the known names for any other."""
    if name not in OPTIMIZERS:
        raise ConfigError(f"unknown optimizer {name!r}: use one of {', '.join(OPTIMIZERS)}")
    return OPTIMIZERS[name]


__all__ = ["OPTIMIZERS", "Optimizer", "OptimizerInputs", "optimizer"]
