"""Evaluations and judgements whose calls a provider answers in batches, at half the price and within a day."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import dspy
from dspy.utils.exceptions import LMError

from summq.eval.data import Row
from summq.eval.preference import Judgement, Pair, judge_pairs
from summq.eval.report.results import Results
from summq.eval.run.cells import Cell
from summq.eval.run.plan import EvalPlan
from summq.eval.run.progress import Listener
from summq.eval.run.runner import evaluate
from summq.eval.systems import System, Written
from summq.eval.systems.program import Program
from summq.programs.errors import ConfigError, SummQError
from summq.programs.runs.jobs import distinct
from summq.programs.runtime.backbones import Backbone
from summq.programs.runtime.batches import Batches, answer, counted_uses
from summq.programs.runtime.providers import batch_connection
from summq.programs.runtime.specs import parse_spec
from summq.programs.settings import Settings

FOLDER = "batches"
BATCHED = "direct"
Tell = Callable[[str], None]


class BatchedSystem:
    """A system that makes one call for each document, with its calls answered from batches."""

    def __init__(self, system: Program, backbone: Backbone) -> None:
        self.name, self.identity = system.name, system.identity
        self._system = system
        system.backbone = backbone

    def summarize(self, row: Row, words: int) -> Written:
        """The summary. Raises `Unanswered` until a batch has answered."""
        with counted_uses():
            return self._system.summarize(row, words)


def evaluate_in_batches(
    plan: EvalPlan, out: Path, settings: Settings, listener: Listener = lambda progress: None, tell: Tell = print
) -> Results:
    """Like `evaluate`, with the calls of `direct` in batches; other systems, and the measures, make ordinary calls.

    Where a batch of an earlier process is not answered yet it is waited for, and submits nothing twice.

    Args:
        tell: Is told in a line what is waited for.

    Raises:
        ConfigError: The system is not among those of the plan, or there is a limit that batches can't keep.
        BackboneError: A backbone has no batch endpoint; a batch was refused.
    """
    require_batches(settings)
    specs = {
        system.name: system.backbone.name if system.backbone else settings.backbone
        for system in plan.systems
        if isinstance(system, Program) and system.spec == BATCHED
    }
    if not specs:
        raise ConfigError(f"--batch is for the system {BATCHED} (and the judge): name it in --systems")
    batches = _opened(specs.values(), out / FOLDER, tell)
    systems: list[System] = []
    for system in plan.systems:
        if isinstance(system, Program) and system.name in specs:
            spec = specs[system.name]
            systems.append(BatchedSystem(system, settings.connected(spec, batches[spec])))
        else:
            systems.append(system)

    def prepare(cells: Callable[[], Iterator[Cell]]) -> None:
        answer(list(batches.values()), lambda: _ask_all(cells()))

    results = evaluate(replace(plan, systems=systems), out, listener, prepare)
    for each in batches.values():
        each.forget()
    return results


def judge_in_batches(
    pairs: Sequence[Pair], criteria: Mapping[str, str], settings: Settings, out: Path, tell: Tell
) -> list[Judgement]:
    """Like `judge_pairs`, with all calls in batches. Errors are those of `evaluate_in_batches`."""
    require_batches(settings)
    (batches,) = _opened([settings.backbone], out / FOLDER, tell).values()
    with dspy.context(lm=settings.connected(settings.backbone, batches), role_lms={}):
        answer([batches], lambda: _judged(pairs, criteria))
        judgements = _judged(pairs, criteria)
    batches.forget()
    return judgements


def _judged(pairs: Sequence[Pair], criteria: Mapping[str, str]) -> list[Judgement]:
    with counted_uses():
        return judge_pairs(pairs, criteria)


def require_batches(settings: Settings) -> None:
    """Raise ConfigError for settings that batches can't keep to."""
    for limit in ("max_calls", "max_cost"):
        if getattr(settings, limit) is not None:
            flag = f"--{limit.replace('_', '-')}"
            raise ConfigError(
                f"--batch sends all calls at once and can't keep {flag}: leave it out, or take --limit rows"
            )
    if settings.roles:
        raise ConfigError("--batch knows one backbone: leave out the roles on others (--role)")


def _opened(specs: Iterable[str], folder: Path, tell: Tell) -> dict[str, Batches]:
    """The batches of each backbone, each in a folder of its own."""
    different = list(dict.fromkeys(specs))
    connections = [batch_connection(parse_spec(spec)) for spec in different]
    names = distinct([spec.partition("@")[0].replace("/", "-") for spec in different])
    return {
        spec: Batches(folder / name, connection, tell)
        for spec, name, connection in zip(different, names, connections, strict=True)
    }


def _ask_all(cells: Iterator[Cell]) -> None:
    """Ask for every summary that is not there yet, one after the other."""
    for cell in cells:
        if isinstance(cell.system, BatchedSystem) and cell.earlier is None and not cell.row.error:
            try:
                cell.system.summarize(cell.row, cell.plan.words_for(cell.row))
            except (LMError, SummQError):
                continue  # unanswered yet, or told when the row is run


__all__ = ["evaluate_in_batches", "judge_in_batches"]
