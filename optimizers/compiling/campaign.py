"""Compiles one program for several backbones, and scores each result on all of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import dspy

from summq.eval.metrics.reference import reference_score
from summq.eval.statistics import Estimate, summarise
from summq.optimizers.compiling.compile import Compilation
from summq.optimizers.compiling.end_to_end import likeness, tasks_of
from summq.optimizers.compiling.guard import DspyMetric, score_examples, source_of
from summq.optimizers.compiling.inputs import CompileConfig, CompileData, CompileTask, Models
from summq.optimizers.compiling.learn import learn_fold, require_budget
from summq.optimizers.compiling.registry import find_optimizer
from summq.optimizers.compiling.wording import campaign_line, interval
from summq.programs import SummQ
from summq.programs.errors import BackboneError, BudgetSpent
from summq.programs.runtime.backbones import Backbone
from summq.programs.runtime.engines import LOCAL, Engine
from summq.programs.runtime.files import write_text
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.progress import Count, RunWatch
from summq.programs.settings import Settings
from summq.signatures import Usage

CROSS = "cross.md"


@dataclass
class Campaign:
    """Compiles for several backbones under one budget; `spent` is the usage of each.

    Args:
        settings: Program, roles and limits; its backbone is replaced by each of `backbones`.
        prompt_model: The backbone that writes instructions; None: each one for itself.
        roles: The roles to compile; all if empty.
        whole: The metric of the summaries where the whole program is compiled.
        folder: Where the artifact is written; with several backbones, a folder inside for each.
        watch: Is told how many of the roles, those of each backbone, are done.
        engine: Where roles learn: in this process one after the other, or elsewhere side by side.
    """

    settings: Settings
    backbones: Sequence[str]
    prompt_model: str | None
    roles: Sequence[str]
    rows: CompileData
    config: CompileConfig
    folder: Path
    report: Callable[[str], None]
    whole: DspyMetric = likeness
    watch: RunWatch = field(default_factory=RunWatch)
    engine: Engine = LOCAL

    def __post_init__(self) -> None:
        self.spent: list[Usage] = []

    def run(self) -> dict[str, Path]:
        """Compile; returns the artifact folders by backbone.

        Raises:
            BudgetSpent: What was finished is in the folders; the same call again continues.
            BackboneError: A backbone can't be reached or can't write, or its price is unknown although cost is limited.
            ConfigError: Unknown optimizer or role, too small a budget, no encoder; raised before anything starts.
        """
        original = self.settings.summq()
        writers = {backbone: self._writer_for(backbone) for backbone in self.backbones}
        self._require_possible(original, list(writers.values()))
        folders = {backbone: self._folder_for(backbone) for backbone in self.backbones}
        roles = len(tasks_of(original, self.roles, self.whole))
        self.watch.count(Count(0, len(folders) * roles, "roles"))
        if self.engine.remote:
            self._compile_at_once(original, writers, folders)
        else:
            for backbone, folder in folders.items():
                self._compile(original, backbone, writers[backbone], folder)
        if len(folders) > 1:
            self._cross(original, folders)
        return folders

    def _writer_for(self, backbone: str) -> Backbone:
        """The prompt model for a backbone."""
        writer = self.settings.connected(self.prompt_model or backbone)
        if self.settings.max_cost is not None and not writer.priced:
            raise BackboneError(f"the price of {writer.name} is not known, so a limit on cost can't be kept")
        return writer

    def _require_possible(self, original: SummQ, writers: Sequence[Backbone]) -> None:
        """Raise now what would otherwise end a compilation after it has spent calls."""
        tasks = tasks_of(original, self.roles, self.whole)
        if self.whole is likeness or any(task.by_references for task in tasks):
            reference_score().require_encoder()
        for rows in self.rows.folds(self.config.folds, self.config.seed):
            for task in tasks:
                require_budget(task, original, rows, self.config)
        if "instructions" in find_optimizer(self.config.optimizer).learns:
            for writer in writers:
                _require_writing(writer)

    def _compile(self, original: SummQ, backbone: str, prompt_model: Backbone, folder: Path) -> None:
        settings, tasks = self._settings_for(backbone), tasks_of(original, self.roles, self.whole)
        self.report(campaign_line(backbone, len(tasks), self.config, settings))
        with settings.session() as session:
            try:
                models = Models(session.lm, prompt_model, settings.roles)
                compilation = Compilation(
                    self.rows, models, self.config, folder, self.report, self.whole, self.watch.advance
                )
                compilation.run(original, tasks)
            finally:
                self.spent.append(session.meter.usage())

    def _compile_at_once(self, original: SummQ, writers: Mapping[str, Backbone], folders: Mapping[str, Path]) -> None:
        """For all backbones, all roles and all folds at once; the usage is that of all together."""
        settings, tasks = self._settings_for(self.backbones[0]), tasks_of(original, self.roles, self.whole)

        def compile_for(backbone: str) -> None:
            self.report(campaign_line(backbone, len(tasks), self.config, settings))
            models = Models(settings.connected(backbone), writers[backbone], settings.roles)
            with dspy.context(lm=models.lm):
                Compilation(
                    self.rows,
                    models,
                    self.config,
                    folders[backbone],
                    self.report,
                    self.whole,
                    self.watch.advance,
                    elsewhere=learn,
                    at_once=self.engine.workers,
                ).run(original, tasks)

        with settings.session() as session:
            try:
                with self.engine.running(learn_fold, settings.session, 1) as learn:
                    parallel(compile_for, self.backbones, at_once=len(self.backbones))
            finally:
                self.spent.append(session.meter.usage())

    def _cross(self, original: SummQ, folders: dict[str, Path]) -> None:
        """Write `cross.md`: programs compiled for one backbone and run on another."""
        programs = {UNCOMPILED: original, **{name: SummQ.from_artifact(folder) for name, folder in folders.items()}}
        cells, tasks = [], tasks_of(original, self.roles, self.whole)
        for backbone in folders:
            with self._settings_for(backbone).session() as session:
                try:
                    cells += run_across(programs, backbone, tasks, self.rows, self.config.seed)
                finally:
                    self.spent.append(session.meter.usage())
        write_text(self.folder / CROSS, cross_table(cells))

    def _folder_for(self, backbone: str) -> Path:
        return self.folder if len(self.backbones) == 1 else self.folder / re.sub(r"[^\w.-]+", "-", backbone)

    def _settings_for(self, backbone: str) -> Settings:
        """The settings with what is left of the budget."""
        calls, cost = self.settings.max_calls, self.settings.max_cost
        if calls is not None:
            calls -= sum(usage.calls for usage in self.spent)
        if cost is not None:
            cost -= sum(usage.cost or 0.0 for usage in self.spent)
        if (calls is not None and calls < 1) or (cost is not None and cost <= 0):
            raise BudgetSpent("stopped between two backbones: the budget is spent (--max-calls, --max-cost)")
        return self.settings.model_copy(update={"backbone": backbone, "max_calls": calls, "max_cost": cost})


def _require_writing(writer: Backbone) -> None:
    if writer.name.partition(":")[0] == "offline":
        raise BackboneError(
            f"{writer.name} answers SummQ's own roles by rule and writes no instructions: name a --prompt-model, "
            "or an --optimizer that learns only demos (bootstrap, bootstrap-random)"
        )


UNCOMPILED = "nothing (as it was)"


@dataclass(frozen=True)
class CrossScore:
    """The held-out score of one role, of a program compiled for one backbone and run on another."""

    role: str
    compiled_for: str
    run_on: str
    score: Estimate


def run_across(
    programs: Mapping[str, SummQ], run_on: str, tasks: Sequence[CompileTask], rows: CompileData, seed: int = 0
) -> list[CrossScore]:
    """The scores of all programs, by what they were compiled for, on the backbone of the current session."""
    cells = []
    for task in tasks:
        held_out = task.examples(rows.held_out, seed)
        sources = [source_of(example) for example in held_out]
        for compiled_for, program in programs.items():
            with dspy.context(role="optimizer"):
                scores = score_examples(task.module(program), held_out, task.metric)
            cells.append(CrossScore(task.role, compiled_for, run_on, summarise(scores, sources, seed=seed)))
    return cells


def cross_table(cells: Sequence[CrossScore]) -> str:
    """A Markdown table for each role: a row for what was compiled for, a column for what it was run on."""
    return "\n".join(_table(role, cells) for role in dict.fromkeys(cell.role for cell in cells))


def _table(role: str, cells: Sequence[CrossScore]) -> str:
    own = {(cell.compiled_for, cell.run_on): cell.score for cell in cells if cell.role == role}
    columns = list(dict.fromkeys(run_on for _, run_on in own))
    lines = [f"## {role}", "", f"| compiled for | {' | '.join(f'run on {name}' for name in columns)} |"]
    lines.append("| --- " * (1 + len(columns)) + "|")
    for compiled_for in dict.fromkeys(name for name, _ in own):
        shown = " | ".join(_cell(own[compiled_for, name]) for name in columns)
        lines.append(f"| {compiled_for} | {shown} |")
    return "\n".join([*lines, ""])


def _cell(score: Estimate) -> str:
    failed = f", {score.failed} failed" if score.failed else ""
    return f"{interval(score.mean, score.low, score.high)}, n {score.n}{failed}"


__all__ = ["CROSS", "UNCOMPILED", "Campaign", "cross_table", "run_across"]
