"""Compiling: a DSPy optimizer learns the prompts of each role, for one backbone.

Rows are used by cross-fitting: each part of them is scored with prompts that were learned from the others, before and
after, several times. Once all roles are scored, a permutation test with Holm's correction decides which are better;
those are installed. Then the assembled program is compared with the one before.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from summq.optimizers.compiling.artifacts import ArtifactFolder, AssembledResult, FoldResult, versions
from summq.optimizers.compiling.end_to_end import WHOLE_PROGRAM, EndToEnd
from summq.optimizers.compiling.guard import DspyMetric
from summq.optimizers.compiling.inputs import (
    CompileConfig,
    CompileData,
    CompileTask,
    ExampleSplits,
    Models,
    examples_for,
)
from summq.optimizers.compiling.learn import FoldJob, LearnedFold, RoleLearner, plan_for
from summq.optimizers.compiling.prompts import apply_prompts, predictor_names, state_of
from summq.optimizers.compiling.verdicts import Measured, corrected
from summq.optimizers.compiling.whole import Assembly, Runs
from summq.optimizers.compiling.wording import budget_lines, kept_line, program_line, result_line
from summq.programs import SummQ
from summq.programs.artifact import Manifest, ProgramRecord, RoleRecord, field_names
from summq.programs.runtime.files import sole_user
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.usage import known_sum
from summq.signatures import fingerprint


@dataclass(frozen=True)
class Compilation:
    """Compiles roles of a program inside a session.

    Args:
        folder: Where the compiled program is saved. The same compilation again continues there: finished roles are not
            compiled again, and finished LM calls are not paid again (response cache).
        report: Called with lines: the budget before anything is scored, each role's score, and what came of it.
        whole: The metric by which the assembled program is compared with the one before; None: it is not.
        learned: Called after each role.
        elsewhere: Learns a role on a fold in another process; None: one after the other, in this one.
        at_once: How many of them at once.
    """

    rows: CompileData
    models: Models
    config: CompileConfig
    folder: Path
    report: Callable[[str], None] = print
    whole: DspyMetric | None = None
    learned: Callable[[], None] = lambda: None
    elsewhere: Callable[[FoldJob], LearnedFold] | None = None
    at_once: int = 1

    def run(self, program: SummQ, tasks: Sequence[CompileTask]) -> SummQ:
        """A compiled copy of `program`, which itself stays as it is; another process on the same folder is waited for.

        Raises:
            ConfigError: Unknown optimizer, or too small a budget for it.
            DataError: Rows that a role can't learn on.
            BudgetSpent: A limit was reached; the roles finished so far are in the folder.
        """
        artifact = ArtifactFolder(self.folder)
        with sole_user(self.folder / ".lock", self.folder):
            return self._run(program, tasks, artifact)

    def _run(self, program: SummQ, tasks: Sequence[CompileTask], artifact: ArtifactFolder) -> SummQ:
        folds = self.rows.folds(self.config.folds, self.config.seed)
        splits = {task.role: [examples_for(task, rows, self.config) for rows in folds] for task in tasks}
        self._announce(program, tasks, splits)
        programs: list[SummQ] = [program.deepcopy() for _ in folds]
        records, results = list[RoleRecord](), dict[str, list[FoldResult]]()
        for stage in _stages(tasks):
            results |= self._learn(programs, stage, splits, artifact)
            records = self._records(results, len(tasks))
            for record in records[-len(stage) :]:
                for compiled, result in zip(programs, results[record.role], strict=True):
                    if record.installed:
                        apply_prompts(compiled, result.state)
        for record in records:
            self.report(result_line(record))
        assembled, best = self._assembled(program, programs, records, folds, artifact)
        artifact.save(programs[best], program, self._manifest(programs[best], records, assembled))
        return programs[best]

    def _learn(
        self,
        programs: Sequence[SummQ],
        stage: Sequence[CompileTask],
        splits: Mapping[str, Sequence[ExampleSplits]],
        artifact: ArtifactFolder,
    ) -> dict[str, list[FoldResult]]:
        """What comes of each role of a stage in each fold, now or in an earlier run."""
        jobs = [
            FoldJob(task, examples, self.models, self.config, program, fold, self._conditions(program, task))
            for task in stage
            for fold, (program, examples) in enumerate(zip(programs, splits[task.role], strict=True))
        ]
        left, lock = Counter(job.task.role for job in jobs), Lock()

        def learn(job: FoldJob) -> FoldResult:
            result = self._fold(job, artifact)
            with lock:
                left[result.role] -= 1
                if not left[result.role]:
                    self.learned()
            return result

        results = parallel(learn, jobs, at_once=self.at_once) if self.elsewhere else [learn(job) for job in jobs]
        return {task.role: [result for result in results if result.role == task.role] for task in stage}

    def _fold(self, job: FoldJob, artifact: ArtifactFolder) -> FoldResult:
        done = artifact.finished(job.task.role, job.fold, job.conditions)
        if done is not None:
            self.report(kept_line(job.task.role, job.fold))
            return done
        done = self._learned(job)
        artifact.keep(done)
        return done

    def _learned(self, job: FoldJob) -> FoldResult:
        log = self.folder / "compile.log"
        if self.elsewhere is None:
            learner = RoleLearner(job.task, job.examples, self.models, self.config, log, self.report)
            return learner.run(job.program, job.fold, job.conditions)
        learned = self.elsewhere(job)
        for line in learned.lines:
            self.report(line)
        with log.open("a", encoding="utf-8") as file:
            file.write(learned.log)
        return learned.result

    def _records(self, results: dict[str, list[FoldResult]], roles: int) -> list[RoleRecord]:
        """The records of all roles scored so far, out of so many in all."""
        measured = [_pooled(folds, self.config.seed) for folds in results.values()]
        records = []
        for folds, one, p in zip(results.values(), measured, corrected(measured, roles), strict=True):
            values = one.values(p, roles)
            records.append(
                RoleRecord(
                    role=folds[0].role,
                    optimizer=self.config.optimizer,
                    predictors=folds[0].predictors,
                    rollouts=self.config.rollouts,
                    folds=len(folds),
                    installed=bool(folds[0].predictors) and (values["better"] or self.config.install_anyway),
                    failed_training=sum(fold.failed_training for fold in folds),
                    failed_proposals=sum(fold.failed_proposals for fold in folds),
                    metric_calls=sum(fold.metric_calls for fold in folds),
                    lm_calls=sum(fold.lm_calls for fold in folds),
                    cost=known_sum(fold.cost for fold in folds),
                    **values,
                )
            )
        return records

    def _assembled(
        self,
        before: SummQ,
        programs: Sequence[SummQ],
        records: Sequence[RoleRecord],
        folds: Sequence[CompileData],
        artifact: ArtifactFolder,
    ) -> tuple[ProgramRecord | None, int]:
        """The assembled program against the one before, now or in an earlier run, and the fold that does best in it."""
        installed = {record.role: record.predictors for record in records if record.installed}
        if self.whole is None or not installed:
            return None, 0
        metric = EndToEnd(self.whole).fingerprint
        states = [state_of(one) for one in (before, *programs)]
        conditions = fingerprint(
            json.dumps([self._setting(before), metric, self.config.program_rows, states], default=str)
        )
        done = artifact.assembled(conditions)
        if done is None:
            done = self._measured(before, programs, installed, folds, conditions)
            artifact.keep_assembled(done)
        self.report(program_line(done.record))
        return done.record, done.best

    def _measured(
        self,
        before: SummQ,
        programs: Sequence[SummQ],
        installed: Mapping[str, Sequence[str]],
        folds: Sequence[CompileData],
        conditions: str,
    ) -> AssembledResult:
        assert self.whole is not None
        each = max(1, self.config.program_rows // len(folds))
        runs = Runs([rows.held_out[:each] for rows in folds], self.whole, self.config.seed)
        assembly = Assembly(runs, before, programs)
        return AssembledResult(fingerprint=conditions, record=assembly.record(installed), best=assembly.best)

    def _announce(self, program: SummQ, tasks: Sequence[CompileTask], splits: dict[str, list[ExampleSplits]]) -> None:
        plans = {task.role: [plan_for(task, program, one, self.config) for one in splits[task.role]] for task in tasks}
        for line in budget_lines(plans, splits, self.config, whole=self.whole is not None):
            self.report(line)

    def _conditions(self, program: SummQ, task: CompileTask) -> str:
        """A fingerprint of all that decides the result of a role, with the prompts that it starts from."""
        names = predictor_names(program, task.module(program))
        decisive = [self._setting(program), task.fingerprint, state_of(program, names)]
        return fingerprint(json.dumps(decisive, default=str))

    def _setting(self, program: SummQ) -> list[Any]:
        """What decides all results alike."""
        config = self.config
        return [
            versions(),
            self.rows.record().hash,
            self.models.lm.name,
            self.models.prompt_model.name,
            dict(self.models.roles),
            [config.optimizer, config.metric_calls, config.seed, config.rollouts, config.folds],
            program.config.model_dump(mode="json"),
        ]

    def _manifest(self, program: SummQ, records: Sequence[RoleRecord], assembled: ProgramRecord | None) -> Manifest:
        return Manifest(
            config=program.config,
            backbone=self.models.lm.name,
            role_backbones=dict(self.models.roles),
            prompt_model=self.models.prompt_model.name,
            data=self.rows.record(),
            optimizer=self.config.optimizer,
            seed=self.config.seed,
            roles=list(records),
            program=assembled,
            fields=field_names(program),
            versions=versions(),
        )


def _stages(tasks: Sequence[CompileTask]) -> list[list[CompileTask]]:
    """The whole program comes after its roles, and starts from what they have learned."""
    roles = [task for task in tasks if task.role != WHOLE_PROGRAM]
    return [stage for stage in (roles, [task for task in tasks if task.role == WHOLE_PROGRAM]) if stage]


def _pooled(folds: Sequence[FoldResult], seed: int) -> Measured:
    """All examples of all folds, each scored with prompts that were not learned from it."""
    before, after, sources = (
        [value for fold in folds for value in getattr(fold, name)] for name in ("before", "after", "sources")
    )
    return Measured(before, after, sources, seed)


__all__ = ["Compilation"]
