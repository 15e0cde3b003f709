"""Compiled for X, run on Y: what prompts are worth on backbones that they were not compiled for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dspy

from summq.eval.statistics import Estimate, summarise
from summq.optimizers.orders import Rows, Task
from summq.optimizers.scoring import score_examples, source_of
from summq.optimizers.wording import number
from summq.programs import SummQ

AS_IT_WAS = "nothing (as it was)"


@dataclass(frozen=True)
class Cell:
    """The held-out score of one role, of a program compiled for one backbone and run on another."""

    role: str
    compiled_for: str
    run_on: str
    score: Estimate


def run_across(
    programs: Mapping[str, SummQ], run_on: str, tasks: Sequence[Task], rows: Rows, seed: int = 0
) -> list[Cell]:
    """The scores of all programs, by what they were compiled for, on the backbone of the current session."""
    cells = []
    for task in tasks:
        held_out = task.examples(rows.held_out, seed)
        sources = [source_of(example) for example in held_out]
        for compiled_for, program in programs.items():
            with dspy.context(role="optimizer"):
                scores = score_examples(task.module(program), held_out, task.metric)
            cells.append(Cell(task.role, compiled_for, run_on, summarise(scores, sources, seed=seed)))
    return cells


def cross_table(cells: Sequence[Cell]) -> str:
    """A Markdown table for each role: a row for what was compiled for, a column for what it was run on."""
    return "\n".join(_table(role, cells) for role in dict.fromkeys(cell.role for cell in cells))


def _table(role: str, cells: Sequence[Cell]) -> str:
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
    return f"{number(score.mean)} [{number(score.low)}, {number(score.high)}], n {score.n}{failed}"


__all__ = ["AS_IT_WAS", "Cell", "cross_table", "run_across"]
