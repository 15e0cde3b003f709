"""`report.html` of a study: the chosen trial, the front, the history, what the quality depends on, all trials."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from summq.optimizers.tuning.choice import Selection, number_of
from summq.optimizers.tuning.plots import LEAST_TRIALS, importances, save_figures, study_figures
from summq.optimizers.tuning.selection import cheapest_of_best, find_trial, front, front_table
from summq.optimizers.tuning.study import ERROR, completed
from summq.programs.pages.page import picture, render
from summq.programs.runtime.files import read_model, write_text

if TYPE_CHECKING:
    from optuna import Study

REPORT, FRONT, CHOICE, CHOSEN = "report.html", "front.md", "choice.json", "chosen.toml"
TRIAL = re.compile(r"# trial (\d+) of")
CAPTIONS = {
    "pareto": "Every trial by what it costs and how good it is; numbers name the trials of the front",
    "history": "Quality of each trial, and the best so far",
    "importances": "Which parameters the quality depends on (PED-ANOVA)",
}


def write_study(study: "Study", folder: Path, chosen: int | None = None) -> str:
    """Write `front.md`, the plots and the page of a study into `folder`; hands back what `front.md` holds.

    Args:
        chosen: The number of the trial that was written as chosen.toml; without one the page names the cheapest of the
            best on the study's own rows.
    """
    objectives = study.user_attrs["objectives"]
    table = front_table(study, objectives)
    if shares := "".join(f"- {name}: {share:.0%}\n" for name, share in importances(study).items()):
        table += f"\nWhat the quality depends on, beyond chance:\n\n{shares}"
    write_text(folder / FRONT, table)
    figures = study_figures(study, objectives)
    save_figures(figures, folder)
    write_text(folder / REPORT, study_page(study, figures, chosen))
    return table


def kept_choice(study: "Study", folder: Path) -> int | None:
    """The number of the trial that chosen.toml in the folder of a study was made of; None if that tells none."""
    choice, written = folder / CHOICE, folder / CHOSEN
    if choice.exists():
        return number_of(study, read_model(choice, Selection, "the choice of a study", "choose again").params)
    title = TRIAL.match(written.read_text("utf-8")) if written.exists() else None
    return int(title[1]) if title else None


def study_page(study: "Study", figures: Mapping[str, Any], chosen: int | None = None) -> str:
    """The page as HTML."""
    trials = study.get_trials(deepcopy=False)
    objectives = study.user_attrs["objectives"]
    done = completed(study)
    picked = (cheapest_of_best(study) if chosen is None else find_trial(study, str(chosen))) if done else None
    return render(
        __package__,
        "page.html.jinja",
        title=f"Study {study.study_name}",
        kicker="SummQ, search for a structure",
        objectives=objectives,
        trials=trials,
        done=done,
        front=[trial.number for trial in front(study)] if done else [],
        picked=picked,
        is_chosen=chosen is not None,
        params=sorted({name for trial in trials for name in trial.params}),
        importances=importances(study),
        few=len(done) < 10 * LEAST_TRIALS,
        pictures={name: picture(figures[name]) for name in CAPTIONS if name in figures},
        captions=CAPTIONS,
        error_key=ERROR,
        conditions=study.user_attrs,
    )


__all__ = ["kept_choice", "study_page", "write_study"]
