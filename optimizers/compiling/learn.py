"""One role on one fold: its scores before, what an optimizer finds, and its scores after."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import dspy
from dspy.utils.exceptions import AdapterParseError, LMError

from summq.optimizers.compiling.artifacts import FoldResult
from summq.optimizers.compiling.base import Optimizer, OptimizerInputs, OptimizerPlan, Sizes
from summq.optimizers.compiling.guard import (
    Guard,
    Halted,
    is_perfect,
    require_passing,
    score_examples,
    source_of,
)
from summq.optimizers.compiling.inputs import (
    CompileConfig,
    CompileData,
    CompileTask,
    ExampleSplits,
    Models,
    most_examples,
)
from summq.optimizers.compiling.prompts import state_of
from summq.optimizers.compiling.registry import find_optimizer
from summq.optimizers.compiling.student import Lesson, Student, lessons_of, teach
from summq.optimizers.compiling.wording import before_line
from summq.optimizers.role_tasks.base import Agents
from summq.programs import SummQ
from summq.programs.errors import BackboneError, RunError
from summq.programs.runtime.replies import first_line
from summq.programs.runtime.usage import Meter

WRITER = "optimizer"
"""The role under which calls of the prompt model are metered."""
LOGGERS = ("dspy", "optuna", "gepa")


@dataclass(frozen=True)
class RoleLearner:
    """Learns one role from the examples of one fold.

    Args:
        log: The file that takes what optimizers print.
    """

    task: CompileTask
    examples: ExampleSplits
    models: Models
    config: CompileConfig
    log: Path
    report: Callable[[str], None]

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer of the configuration."""
        return find_optimizer(self.config.optimizer)

    def run(self, program: SummQ, fold: int, conditions: str) -> FoldResult:
        """Score the role, optimize a copy of the program, and score the role in that.

        A role that is perfect already is not optimized, and prompts that have not changed are not scored again.
        """
        task, rollouts = self.task, self.config.rollouts
        candidate: SummQ = program.deepcopy()
        guard = Guard(task.metric, self.config.metric_calls)
        meter, unwritten, names = Meter(parent=dspy.settings.get("meter")), 0, list[str]()
        with dspy.context(meter=meter, role=WRITER):
            before = score_examples(task.module(program), self.examples.held_out, task.metric, rollouts)
            usage = meter.usage()
            self.report(before_line(task.role, fold, before, (usage.calls + usage.cache_hits) / len(before) / rollouts))
            after = before
            if not is_perfect(before):
                lessons = self._optimize(candidate, guard)
                unwritten = self._require_writer(meter)
                changed = lessons != lessons_of(Student(task.module(program)))
                names = teach(candidate, lessons)
                if changed:
                    after = score_examples(task.module(candidate), self.examples.held_out, task.metric, rollouts)
        usage = meter.usage()
        return FoldResult(
            fingerprint=conditions,
            role=task.role,
            fold=fold,
            predictors=names,
            state=state_of(candidate, names),
            before=before,
            after=after,
            sources=[source_of(example) for example in self.examples.held_out],
            failed_training=guard.failures.total(),
            failed_proposals=unwritten + guard.failed_proposals,
            metric_calls=guard.metric_calls,
            lm_calls=usage.calls,
            cost=usage.cost,
        )

    def _optimize(self, candidate: SummQ, guard: Guard) -> dict[str, Lesson]:
        """What the optimizer finds, by role."""
        plan = plan_for(self.task, candidate, self.examples, self.config)
        student = guard.student(Student(self._part(candidate)))
        with self._explain_failures(), log_redirect(self.log):
            inputs = OptimizerInputs(
                score=guard.score,
                feedback=guard.feedback,
                on_failure=guard.proposal_failed,
                train=self.examples.train,
                validation=self.examples.validation,
                lm=self.models.lm,
                prompt_model=self.models.prompt_model,
                seed=self.config.seed,
                threads=self.config.threads,
            )
            return lessons_of(self.optimizer.compile(student, inputs, plan))

    def _part(self, program: SummQ) -> dspy.Module:
        """What learns: the agents of the role, or one for all of them, who learn the same."""
        part = self.task.module(program)
        return Agents(part.agents[:1]) if self.optimizer.one_agent and isinstance(part, Agents) else part

    @contextmanager
    def _explain_failures(self) -> Iterator[None]:
        """Raise what ended an optimizer as what a user can act on."""
        role = self.task.role
        try:
            yield
        except Halted as halted:
            raise halted.cause from halted
        except LMError as error:
            require_passing(error)
            raise RunError(f"{role}: {first_line(error)}: run again to continue") from error
        except AdapterParseError as error:
            writer = self.models.prompt_model.name
            raise RunError(
                f"{role}: {self.optimizer.name} can't read what {writer} writes: name another prompt model"
            ) from error

    def _require_writer(self, meter: Meter) -> int:
        """How many calls of the prompt model failed. Raises `BackboneError` if all did."""
        calls = [record for record in meter.records if record.role == WRITER]
        failed = [record for record in calls if record.error]
        if failed and len(failed) == len(calls):
            name = self.models.prompt_model.name
            raise BackboneError(
                f"{self.task.role}: {name} wrote no instruction ({failed[-1].error}): name another --prompt-model"
            )
        return len(failed)


@dataclass(frozen=True)
class FoldJob:
    """One role of a program on one fold, for another process; `conditions` is the fingerprint of all that decides."""

    task: CompileTask
    examples: ExampleSplits
    models: Models
    config: CompileConfig
    program: SummQ
    fold: int
    conditions: str


@dataclass(frozen=True)
class LearnedFold:
    """What came of it, what was said meanwhile, and what the optimizer printed."""

    result: FoldResult
    lines: list[str]
    log: str


def learn_fold(job: FoldJob) -> LearnedFold:
    """Learn a role on a fold in this process, for the process that keeps the results."""
    lines = list[str]()
    with TemporaryDirectory(prefix="summq-compile-") as folder, dspy.context(lm=job.models.lm):
        log = Path(folder) / "compile.log"
        learner = RoleLearner(job.task, job.examples, job.models, job.config, log, lines.append)
        result = learner.run(job.program, job.fold, job.conditions)
        return LearnedFold(result, lines, log.read_text("utf-8") if log.exists() else "")


def require_budget(task: CompileTask, program: SummQ, rows: CompileData, config: CompileConfig) -> None:
    """Raise `ConfigError` for an unknown optimizer or too small a budget, before any example is made."""
    part = max(1, min(len(rows.train) // 2, most_examples(config)))
    predictors = len(Student(task.module(program)).predictors())
    find_optimizer(config.optimizer).plan(Sizes(part, part, predictors, config.metric_calls))


def plan_for(task: CompileTask, program: SummQ, examples: ExampleSplits, config: CompileConfig) -> OptimizerPlan:
    """How a role will be learned in one fold. Raises `ConfigError` for an unknown optimizer or too small a budget."""
    predictors = len(Student(task.module(program)).predictors())
    sizes = Sizes(len(examples.train), len(examples.validation), predictors, config.metric_calls)
    return find_optimizer(config.optimizer).plan(sizes)


@contextmanager
def log_redirect(path: Path) -> Iterator[None]:
    """While this is open, append what the process prints and what the optimizers log to `path`."""
    with path.open("a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        handler = logging.StreamHandler(file)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        loggers = [logging.getLogger(name) for name in LOGGERS]
        usual = [(logger, logger.handlers[:], logger.propagate) for logger in loggers]
        for logger in loggers:
            logger.handlers, logger.propagate = [handler], False
        try:
            yield
        finally:
            for logger, handlers, propagate in usual:
                logger.handlers, logger.propagate = handlers, propagate


__all__ = ["FoldJob", "LearnedFold", "RoleLearner", "learn_fold", "plan_for", "require_budget"]
