"""Does tuning choose a structure that is better where there is one, and SOLO where there is none?

    python benchmarks/recovery_tune.py --seeds 0 1 2 --out docs/results/recovery-tune.jsonl

On the teachable model. In one kind of world every revision adds something, so that a second iteration is worth its
calls; in the other (`--null`) nothing that a study can vary makes summaries better. SOLO drafts once. Each study is a
row of the file; those that are there are not run again.
"""

import argparse
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recovery import rows
from rows import Rows
from teachable import World, quality_in, serve

from summq.eval.data import Row
from summq.eval.metrics import Metric
from summq.optimizers.tuning.choice import Finals, Selection
from summq.optimizers.tuning.objectives import Quality
from summq.optimizers.tuning.space import Space
from summq.optimizers.tuning.tune import Tuning, tune
from summq.programs import SummQConfig
from summq.programs.runtime.cache import forget
from summq.programs.settings import Settings

STEP = 0.15
TRIALS, STUDIED, FRESH, UNSEEN = 10, 8, 24, 24
SPACE = Space.read(
    {
        "summary_generators": [1, 3],
        "summary_reviewers": [1, 3],
        "quiz_generators": 1,
        "quiz_reviewers": 1,
        "max_iterations": [1, 2],
        "debate_rounds": 0,
        "questions": False,
    }
)


@dataclass(frozen=True)
class SaidQuality(Quality):
    """What a summary of the teachable model says it is worth."""

    weights: str = "said=1"

    def __call__(self, summary: str, row: Row) -> float | None:
        """That value."""
        return quality_in(summary)

    @property
    def metrics(self) -> list[Metric]:
        """None of the registry."""
        return []


def studied(seed: int, step: float) -> dict[str, Any]:
    """Run a study in one world, and choose; what was chosen and how it does on unseen rows."""
    forget()  # replies of one world are none of another's
    with tempfile.TemporaryDirectory() as folder, serve(World(seed, step=step)) as provider:
        tuning = Tuning(
            name="recovery",
            storage=f"sqlite:///{folder}/study.db",
            space=SPACE,
            rows=rows(0, STUDIED),
            data_hash="worlds",
            settings=Settings(
                config=SummQConfig(quiz_stream=False, max_iterations=1, prime_prefix=False),
                backbone=f"hosted_vllm/teachable@{provider.url}",
            ),
            objectives=("quality", "calls"),
            quality=SaidQuality(),
            trials=TRIALS,
            seed=seed,
        )
        study = tune(tuning, report=lambda line: None)
        finals = Finals(tuning, rows(100, FRESH), rows(1000, UNSEEN), report=lambda line: None)
        return {"seed": seed, "step": step, **_found(finals.choose(study))}


def _found(selection: Selection) -> dict[str, Any]:
    chosen = next(one for one in selection.unseen if one.name == selection.chosen)
    return {
        "chosen": selection.chosen,
        "params": selection.params,
        "unseen_difference": chosen.to_solo.mean,
        "unseen_low": chosen.to_solo.low,
        "unseen_high": chosen.to_solo.high,
    }


def summary(path: Path) -> str:
    """What was reached, in two lines."""
    found = list(Rows(path))
    real, null = [row for row in found if row["step"]], [row for row in found if not row["step"]]
    better = sum(row["chosen"] != "solo" and (row["unseen_difference"] or 0) > 0 for row in real)
    sure = sum(row["chosen"] != "solo" and (row["unseen_low"] or 0) > 0 for row in real)
    solo = sum(row["chosen"] == "solo" for row in null)
    return (
        f"worlds with a better structure: one was chosen that is better on unseen documents in {better} of {len(real)} "
        f"(with an interval above 0 in {sure})\nworlds without: SOLO was chosen in {solo} of {len(null)}"
    )


def main() -> None:
    """Run every study that is not in the file yet, and print what was reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(20)))
    parser.add_argument("--null", action="store_true", help="worlds in which no structure is better than SOLO")
    parser.add_argument("--out", type=Path, default=Path("docs/results/recovery-tune.jsonl"))
    options = parser.parse_args()
    os.environ["SUMMQ_CACHE_DIR"] = ""  # in memory
    kept = Rows(options.out)
    done = {(row["seed"], row["step"]) for row in kept}
    step = 0.0 if options.null else STEP
    for seed in options.seeds:
        if (seed, step) not in done:
            row = studied(seed, step)
            kept.add(row)
            print(row, flush=True)
    print(summary(options.out))


if __name__ == "__main__":
    main()
