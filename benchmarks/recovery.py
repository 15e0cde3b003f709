"""Does compiling find what is there, and nothing else? On the teachable model, whose true effects are declared.

    python benchmarks/recovery.py --optimizers gepa bootstrap --seeds 0 1 2 3 --out docs/results/recovery.jsonl

In each world three of the four roles that write have something to learn, worth one standard deviation of the paired
difference of a row (a null world: nothing); the others never have. Each compilation is a row of the file; those that
are there are not run again. Afterwards the assembled program is run on documents that no part of the compilation has
seen. `--table` prints what was reached.
"""

import argparse
import random
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import dspy
from rows import Rows
from teachable import BASE, CHOOSERS, ROLES, World, backbone, quality_in

from summq.eval.data import Row
from summq.eval.statistics import compare
from summq.optimizers.compiling.compile import Compilation
from summq.optimizers.compiling.inputs import CompileConfig, CompileData, Models
from summq.optimizers.compiling.registry import OPTIMIZERS
from summq.optimizers.compiling.whole import Runs
from summq.optimizers.role_tasks.base import Agents, agents_of
from summq.programs import SummQ
from summq.programs.artifact import read_manifest
from summq.programs.runtime.cache import forget
from summq.programs.runtime.session import session
from summq.signatures import Document, Issue

REAL = 3
TRAIN, HELD_OUT, UNSEEN = 16, 24, 32
GAIN = 0.12 / 0.8  # one standard deviation of a row's difference over two rollouts, less what luck gives anyway
METRIC_CALLS = 200  # the usual number


@dataclass(frozen=True)
class TeachableTask:
    """A role of the teachable model, scored by the quality that its replies say they have."""

    role: str
    world: World
    by_references: bool = False

    @property
    def fingerprint(self) -> str:
        """The world."""
        return repr(self.world)

    def examples(self, rows: Sequence[Row], seed: int) -> list[dspy.Example]:
        """One example for each row, with whatever the role reads."""
        return [self._example(row) for row in rows]

    def module(self, program: SummQ) -> dspy.Module:
        """The agents of the role."""
        return Agents(agents_of(program, self.role))

    def metric(self, gold: Any, pred: Any, *_: Any) -> dspy.Prediction:
        """The mean quality of all agents' replies; as feedback, what the world hints at."""
        scores = [self._score(gold, reply) for reply in pred.replies]
        return dspy.Prediction(score=fmean(scores), feedback=self.world.hint(self.role, gold.source))

    def _score(self, gold: Any, reply: Any) -> float:
        if self.role in CHOOSERS:
            return float((reply.better if "better" in reply else reply.best) == gold.right)
        return min(1.0, max(0.0, quality_in(str(reply))))

    def _example(self, row: Row) -> dspy.Example:
        good, bad = (f"Quality {quality:.3f}; DOCUMENT {row.id}" for quality in (0.6, 0.2))
        draw = random.Random(f"{self.role}/{row.id}")
        labels = draw.sample("AB", 2)
        texts = draw.sample([good, bad], 2)
        inputs: dict[str, Any] = {"document": row.document, "target_words": 50, "questions": [], "summary": bad}
        if self.role == "summary_generator.revise":
            inputs |= {"previous": f"Quality {BASE:.3f}", "feedback": [Issue(kind="omission", explanation="More.")]}
        inputs |= {"first": texts[0], "second": texts[1]}
        labelled = dict(sorted(zip(labels, (good, bad), strict=True)))
        inputs["candidates"] = (
            labelled if self.role == "summary_ranker" else [f"Quality {BASE:.3f}; DOCUMENT {row.id}"] * 2
        )
        right = labels[0] if self.role == "summary_ranker" else ("first", "second")[texts.index(good)]
        return dspy.Example(**inputs, source=row.id, right=right).with_inputs(*inputs)


def quality(gold: Any, pred: Any, *_: Any) -> float:
    """What the whole program's summary says it is worth."""
    return quality_in(pred.summary)


def world_of(seed: int, real: int = REAL) -> World:
    """A world in which so many roles have something to learn."""
    writers = [role for role in ROLES if role not in CHOOSERS]
    return World(seed, dict.fromkeys(random.Random(f"roles/{seed}").sample(writers, real), GAIN))


def rows(start: int, number: int) -> list[Row]:
    """Documents with nothing in them but their names."""
    return [Row(f"d{k}", Document(id=f"d{k}", text=f"DOCUMENT d{k}"), ("-",)) for k in range(start, start + number)]


def program() -> SummQ:
    """Two generators, one reviewer, one revision, no quiz: all that the teachable model plays."""
    return SummQ.preset("solo", summary_generators=2, quiz_stream=False, max_iterations=2, prime_prefix=False)


def compiled(optimizer: str, seed: int, real: int, folds: int) -> dict[str, Any]:
    """Compile one world; what was installed, what there was, and how the program does on unseen documents."""
    world, folder = world_of(seed, real), Path(tempfile.mkdtemp())
    data = CompileData("worlds", rows(0, TRAIN), rows(100, HELD_OUT))
    config = CompileConfig(optimizer, METRIC_CALLS, seed=seed, threads=2, folds=folds)
    forget()  # replies of one world are none of another's
    try:
        lm = backbone(world)
        with session(lm, cache_dir=""):
            tasks = [TeachableTask(role, world) for role in ROLES]
            compilation = Compilation(data, Models(lm, lm), config, folder, lambda line: None, quality)
            after = compilation.run(program(), tasks)
            runs = Runs([rows(1000, UNSEEN)], quality)
            old, new = (runs.scores(runs.of([one]).summaries) for one in (program(), after))
        manifest = read_manifest(folder)
    finally:
        shutil.rmtree(folder)
    unseen = compare(new, old)
    return {
        "optimizer": optimizer,
        "seed": seed,
        "real": sorted(world.gains),
        "folds": folds,
        "held_out": HELD_OUT,
        "installed": sorted(record.role for record in manifest.roles if record.installed),
        "undecided": sorted(record.role for record in manifest.roles if record.verdict == "undecided"),
        "program_better": manifest.program is not None and manifest.program.better,
        "unseen_difference": unseen.difference,
        "unseen_low": None if unseen.low is None else float(unseen.low),
        "unseen_high": None if unseen.high is None else float(unseen.high),
        "metric_calls": sum(record.metric_calls for record in manifest.roles),
    }


def table(path: Path) -> str:
    """What was reached, by optimizer: installs of real and null roles, and the program on unseen documents."""
    found = list(Rows(path))
    lines = [
        "| optimizer | folds | worlds | real gains installed | null roles installed | compiles with a null install | "
        "program better on unseen documents | null worlds | of them with an install |",
        "| --- " * 9 + "|",
    ]
    for name, folds in dict.fromkeys((row["optimizer"], row["folds"]) for row in found):
        own = [row for row in found if (row["optimizer"], row["folds"]) == (name, folds)]
        worlds, null = [row for row in own if row["real"]], [row for row in own if not row["real"]]
        real = sum(len(row["real"]) for row in worlds)
        hits = sum(len(set(row["real"]) & set(row["installed"])) for row in worlds)
        nulls = sum(len(ROLES) - len(row["real"]) for row in own)
        wrong = [len(set(row["installed"]) - set(row["real"])) for row in own]
        better = sum((row["unseen_low"] or 0) > 0 for row in worlds)
        cells = (
            f"{hits} of {real}",
            f"{sum(wrong)} of {nulls}",
            f"{sum(map(bool, wrong))} of {len(own)}",
            f"{better} of {len(worlds)}",
            len(null),
            sum(bool(row["installed"]) for row in null),
        )
        lines.append(f"| {name} | {folds} | {len(worlds)} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    """Compile every world that is not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizers", nargs="+", default=list(OPTIMIZERS))
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(20)))
    parser.add_argument("--null", action="store_true", help="worlds in which nothing can be learned")
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs/results/recovery.jsonl"))
    parser.add_argument("--table", action="store_true", help="only print what was reached")
    options = parser.parse_args()
    kept = Rows(options.out)
    done = {(row["optimizer"], row["seed"], bool(row["real"]), row["folds"]) for row in kept}
    for seed in options.seeds if not options.table else []:
        for name in options.optimizers:
            if (name, seed, not options.null, options.folds) not in done:
                row = compiled(name, seed, 0 if options.null else REAL, options.folds)
                kept.add(row)
                print(row, flush=True)
    print(table(options.out))


if __name__ == "__main__":
    main()
