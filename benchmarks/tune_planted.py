"""Does a study find the structure that is best by construction?

    python benchmarks/tune_planted.py --data ../shared/data/reports --out runs/tune-planted --seeds 0 1 2 3 4

Two worlds, both on the offline reader, whose writers and reviewers err as often as they are told to. In one, writers
put a wrong fact into four of ten sentences, and a single reviewer overlooks three of ten and often makes one up. There
is one revision at most, so that further reviewers are worth their calls. In the other nobody errs: one is enough.
Quality is the share of sentences that the document bears out, judged without error. Each study has 40 trials.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

from summq.eval.data import load_rows
from summq.optimizers.tuning.choice import SOLO, Finals, split_rows
from summq.optimizers.tuning.objectives import Quality
from summq.optimizers.tuning.plots import importances, save_figures, study_figures
from summq.optimizers.tuning.selection import front_table
from summq.optimizers.tuning.space import Space
from summq.optimizers.tuning.tune import Tuning, tune
from summq.programs import SummQConfig
from summq.programs.runtime.files import make_folder
from summq.programs.settings import Settings

ERRING = "offline:generator=0.4,reviewer=0.3"
FAULTLESS = "offline:generator=0,reviewer=0"
WORDS = 700
TRIAL_ROWS = 9
WITHIN = 0.02  # the checker takes two in a hundred true sentences for wrong
SPACE = Space.read(
    {
        "summary_generators": 1,
        "summary_reviewers": [1, 5],
        "max_iterations": [1, 2],
        "quiz_generators": 1,
        "quiz_reviewers": [1, 2],
        "debate_rounds": [0, 2],
        "questions": 1,
    }
)


@dataclass(frozen=True)
class Found:
    """What a study chose, with its quality and calls, and those of one agent of each kind."""

    summary_reviewers: int
    quiz_reviewers: int
    max_iterations: int
    quality: float
    calls: float
    solo_quality: float
    solo_calls: float


def main() -> None:
    """Run the studies and print what they find."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data/reports")
    parser.add_argument("--out", type=Path, default=Path("runs/tune-planted"))
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="of the reader: which items it gets wrong")
    options = parser.parse_args()
    found = {
        f"{name}, seed {seed}": search(
            f"{backbone},seed={seed}", options.data, options.out / f"{name}-{seed}", options.trials
        )
        for name, backbone in (("erring", ERRING), ("faultless", FAULTLESS))
        for seed in options.seeds
    }
    print(*(f"{name}: {best}" for name, best in found.items()), sep="\n")


def search(backbone: str, data: str, folder: Path, trials: int) -> Found:
    """Run a study over training rows (again: continue it), keep its front and plots, and say what it chose."""
    rows = load_rows(data, "train")
    studied, fresh = split_rows(rows.rows, TRIAL_ROWS)
    tuning = Tuning(
        name="planted",
        storage=f"sqlite:///{make_folder(folder)}/study.db",
        space=SPACE,
        rows=studied,
        data_hash=rows.data_hash,
        settings=Settings(
            config=SummQConfig(target_words=WORDS, accept_accuracy=None),
            backbone=backbone,
            roles={"fact_checker": "offline"},
        ),
        objectives=("quality", "calls"),
        quality=Quality("faithful=1"),
        trials=trials,
    )
    study = tune(tuning)
    (folder / "front.md").write_text(front_table(study, tuning.objectives))
    save_figures(study_figures(study, tuning.objectives), folder)
    print((folder / "front.md").read_text(), importances(study), sep="\n")
    unseen = load_rows(data, "dev").rows
    selection = Finals(tuning, fresh, unseen, rollouts=1, within=WITHIN).choose(study)
    chosen, solo = (next(one for one in selection.unseen if one.name == name) for name in (selection.chosen, SOLO))
    structure = {name: chosen.params[name] for name in ("summary_reviewers", "quiz_reviewers", "max_iterations")}
    return Found(
        **structure,
        quality=chosen.objectives[0],
        calls=chosen.objectives[1],
        solo_quality=solo.objectives[0],
        solo_calls=solo.objectives[1],
    )


if __name__ == "__main__":
    main()
