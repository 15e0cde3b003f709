"""Compiling: a DSPy optimizer learns the prompts of one role after the other, for one backbone (DESIGN section 11).

Each role is scored on held-out rows before and after, and the scores are compared in pairs. Prompts that are not better
are reported as not better, and are not installed unless `install_anyway` is set.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError, LMError

from summq.eval.statistics import compare
from summq.optimizers.compiling.artifacts import ArtifactFolder, FinishedRole, versions
from summq.optimizers.compiling.base import Examples, Optimizer, OptimizerInputs, OptimizerPlan, Sizes
from summq.optimizers.compiling.guard import Guard, Halted, Scores, mean_of, require_passing, score_examples, source_of
from summq.optimizers.compiling.inputs import (
    CompileConfig,
    CompileData,
    CompileTask,
    ExampleSplits,
    Models,
    examples_for,
)
from summq.optimizers.compiling.prompts import apply_prompts, predictor_names, state_of, take_over
from summq.optimizers.compiling.registry import find_optimizer
from summq.optimizers.compiling.wording import budget_line, result_line
from summq.programs import SummQ
from summq.programs.artifact import Manifest, RoleRecord, field_names
from summq.programs.errors import BackboneError, RunError
from summq.programs.runtime.replies import first_line
from summq.programs.runtime.usage import Meter
from summq.signatures import fingerprint

WRITER = "optimizer"
"""The role under which calls of the prompt model are metered."""

LEAST_THRESHOLD = 1e-9  # DSPy takes 0 for no threshold


@dataclass(frozen=True)
class Compilation:
    """Compiles roles of a program inside a session.

    Args:
        folder: Where the compiled program is saved after each role. The same compilation again continues there:
            finished roles are not compiled again, and finished LM calls are not paid again (response cache).
        report: Called with a line before each role (what it may take) and after it (what came of it).
    """

    rows: CompileData
    models: Models
    config: CompileConfig
    folder: Path
    report: Callable[[str], None] = print

    def run(self, program: SummQ, tasks: Sequence[CompileTask]) -> SummQ:
        """A compiled copy of `program`, which itself stays as it is.

        Raises:
            ConfigError: Unknown optimizer, or too small a budget for it.
            DataError: Rows that a role can't learn on.
            BudgetSpent: A limit was reached; the roles finished so far are in the folder.
        """
        optimizer, artifact = find_optimizer(self.config.optimizer), ArtifactFolder(self.folder)
        compiled, records = program.deepcopy(), list[RoleRecord]()
        for task in tasks:
            conditions = self._conditions(compiled, task)
            done = artifact.finished(task.role, conditions)
            if done is None:
                done = self._compile(compiled, task, optimizer, conditions)
                artifact.keep(done)
            installed = done.record.better or self.config.install_anyway
            record = done.record.model_copy(update={"installed": installed})
            if record.installed:
                apply_prompts(compiled, done.state)
            self.report(result_line(record))
            records.append(record)
            artifact.save(compiled, program, self._manifest(compiled, records))
        finished: SummQ = compiled
        return finished

    def _compile(self, program: SummQ, task: CompileTask, optimizer: Optimizer, conditions: str) -> FinishedRole:
        """Score a role, optimize a copy of the program, and score the role in that."""
        examples = examples_for(task, self.rows, self.config)
        part, candidate = task.module(program), program.deepcopy()
        plan, guard = plan_for(task, program, examples, self.config), Guard(task.metric, self.config.metric_calls)
        meter = Meter(parent=dspy.settings.get("meter"))
        with dspy.context(meter=meter, role=WRITER):
            before = score_examples(part, examples.held_out, task.metric)
            self.report(budget_line(task.role, optimizer, plan, examples, before, meter.usage()))
            names = self._optimize(candidate, task, optimizer, plan, guard, examples)
            unwritten = self._require_writer(task.role, meter)
            after = score_examples(task.module(candidate), examples.held_out, task.metric)
        usage = meter.usage()
        record = RoleRecord(
            role=task.role,
            optimizer=optimizer.name,
            predictors=names,
            **_differences(before, after, examples.held_out, self.config.seed),
            failed_training=guard.failures.total(),
            failed_proposals=unwritten + guard.failed_proposals,
            metric_calls=guard.metric_calls,
            lm_calls=usage.calls,
            cost=usage.cost,
        )
        return FinishedRole(fingerprint=conditions, record=record, state=state_of(candidate, names))

    def _optimize(
        self,
        candidate: SummQ,
        task: CompileTask,
        optimizer: Optimizer,
        plan: OptimizerPlan,
        guard: Guard,
        examples: ExampleSplits,
    ) -> list[str]:
        """Give the candidate the prompts that the optimizer finds; returns the names of the changed predictors."""
        student = guard.student(task.module(candidate))
        names = predictor_names(candidate, student)
        with self._explain_failures(task.role, optimizer.name), log_redirect(self.folder / "compile.log"):
            inputs = OptimizerInputs(
                score=guard.score,
                feedback=guard.feedback,
                on_failure=guard.proposal_failed,
                train=examples.train,
                validation=examples.validation,
                lm=self.models.lm,
                prompt_model=self.models.prompt_model,
                threshold=_threshold(student, examples.train, guard) if optimizer.chooses_demos else 0.0,
                seed=self.config.seed,
                threads=self.config.threads,
            )
            compiled = optimizer.compile(student, inputs, plan)
        take_over(candidate, compiled, names)
        return list(names.values())

    @contextmanager
    def _explain_failures(self, role: str, optimizer: str) -> Iterator[None]:
        """Raise what ended an optimizer as what a user can act on."""
        try:
            yield
        except Halted as halted:
            raise halted.cause from halted
        except LMError as error:
            require_passing(error)
            raise RunError(f"{role}: {first_line(error)}: run again to continue") from error
        except AdapterParseError as error:
            writer = self.models.prompt_model.name
            raise RunError(f"{role}: {optimizer} can't read what {writer} writes: name another prompt model") from error

    def _require_writer(self, role: str, meter: Meter) -> int:
        """How many calls of the prompt model failed. Raises `BackboneError` if all did."""
        calls = [record for record in meter.records if record.role == WRITER]
        failed = [record for record in calls if record.error]
        if failed and len(failed) == len(calls):
            name = self.models.prompt_model.name
            raise BackboneError(
                f"{role}: {name} wrote no instruction ({failed[-1].error}): name another --prompt-model"
            )
        return len(failed)

    def _conditions(self, program: SummQ, task: CompileTask) -> str:
        """A fingerprint of all that decides the result of a role, with the prompts that it starts from."""
        names = predictor_names(program, task.module(program)).values()
        decisive = [
            versions(),
            self.rows.record().hash,
            self.models.lm.name,
            self.models.prompt_model.name,
            dict(self.models.roles),
            [self.config.optimizer, self.config.metric_calls, self.config.seed],
            program.config.model_dump(mode="json"),
            state_of(program, names),
        ]
        return fingerprint(json.dumps(decisive, default=str))

    def _manifest(self, program: SummQ, records: Sequence[RoleRecord]) -> Manifest:
        return Manifest(
            config=program.config,
            backbone=self.models.lm.name,
            role_backbones=dict(self.models.roles),
            prompt_model=self.models.prompt_model.name,
            data=self.rows.record(),
            optimizer=self.config.optimizer,
            seed=self.config.seed,
            roles=list(records),
            fields=field_names(program),
            versions=versions(),
        )


def plan_for(task: CompileTask, program: SummQ, examples: ExampleSplits, config: CompileConfig) -> OptimizerPlan:
    """How a role will be compiled. Raises `ConfigError` for an unknown optimizer or too small a budget."""
    predictors = len(task.module(program).predictors())
    sizes = Sizes(len(examples.train), len(examples.validation), predictors, config.metric_calls)
    return find_optimizer(config.optimizer).plan(sizes)


def _threshold(student: dspy.Module, train: Examples, guard: Guard) -> float:
    """The median score of the prompts as they are: demos are taken from runs that are better."""
    scores = [score for score in score_examples(student, train, guard.score) if score is not None]
    return max(median(scores), LEAST_THRESHOLD) if scores else LEAST_THRESHOLD


def _differences(before: Scores, after: Scores, held_out: Examples, seed: int) -> dict[str, Any]:
    """The scores of a role's record. It is better when the whole interval of the paired difference lies above 0."""
    paired = compare(after, before, [source_of(example) for example in held_out], seed=seed)
    return {
        "before": mean_of(before),
        "after": mean_of(after),
        "difference": paired.difference,
        "low": paired.low,
        "high": paired.high,
        "n": paired.n,
        "failed": paired.unpaired,
        "better": paired.low is not None and paired.low > 0,
    }


LOGGERS = ("dspy", "optuna", "gepa")


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


__all__ = ["Compilation", "plan_for"]
