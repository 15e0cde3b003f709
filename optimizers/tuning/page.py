"""`report.html` of a study: the chosen trial, the front, the history, what the quality depends on, all trials."""

from pathlib import Path
from typing import TYPE_CHECKING

from summq.optimizers.tuning.plots import LEAST_TRIALS, importances, study_figures
from summq.optimizers.tuning.selection import cheapest_of_best, find_trial, front
from summq.optimizers.tuning.study import ERROR, completed
from summq.programs.pages.page import render
from summq.programs.pages.pictures import picture
from summq.programs.runtime.files import write_text

if TYPE_CHECKING:
    from optuna import Study

REPORT = "report.html"
CAPTIONS = {
    "pareto": "Every trial by what it costs and how good it is; numbers name the trials of the front",
    "history": "Quality of each trial, and the best so far",
    "importances": "Which parameters the quality depends on (PED-ANOVA)",
}


def write_page(study: "Study", folder: Path, chosen: int | None = None) -> Path:
    """Write the page of a study into `folder`; hands back its path.

    Args:
        chosen: The number of the trial that was written as chosen.toml; without one the page names the cheapest of the
            best on the study's own rows.
    """
    write_text(folder / REPORT, study_page(study, chosen))
    return folder / REPORT


def study_page(study: "Study", chosen: int | None = None) -> str:
    """The page as HTML."""
    trials = study.get_trials(deepcopy=False)
    objectives = study.user_attrs["objectives"]
    done = completed(study)
    picked = (cheapest_of_best(study) if chosen is None else find_trial(study, str(chosen))) if done else None
    figures = study_figures(study, objectives)
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


__all__ = ["REPORT", "study_page", "write_page"]
