"""Plots of a study: its history, its Pareto front, and the importance of its parameters. Needs the extra `plots`."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from summq.optimizers.tuning.study import completed

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

LEAST_TRIALS = 4  # fewer say nothing about importance


def importances(study: "Study") -> dict[str, float]:
    """How much the quality depends on each parameter, as shares of 1 (PED-ANOVA); empty while there are few trials."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    if len(completed(study)) < LEAST_TRIALS:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PED-ANOVA explains low values: hence the minus
        return get_param_importances(study, evaluator=PedAnovaImportanceEvaluator(), target=lambda t: -t.values[0])


def plot_study(study: "Study", objectives: Sequence[str], folder: Path) -> list[Path]:
    """Write `history.png`, `importances.png` and, for two objectives, `pareto.png`. Without matplotlib, none."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    drawings: dict[str, Callable[[Any], None]] = {"history": lambda axes: _history(axes, completed(study))}
    if shares := importances(study):
        drawings["importances"] = lambda axes: _importances(axes, shares)
    if len(objectives) == 2:
        drawings["pareto"] = lambda axes: _pareto(axes, study, objectives)
    return [_drawn(folder / f"{name}.png", draw) for name, draw in drawings.items()]


def _drawn(path: Path, draw: Callable[[Any], None]) -> Path:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    draw(axes)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return path


def _history(axes: Any, trials: "Sequence[FrozenTrial]") -> None:
    qualities = [trial.values[0] for trial in trials]
    numbers = [trial.number for trial in trials]
    axes.scatter(numbers, qualities, label="trial")
    axes.step(numbers, [max(qualities[: k + 1]) for k in range(len(qualities))], where="post", label="best so far")
    axes.set(xlabel="trial", ylabel="quality")
    axes.legend()


def _importances(axes: Any, shares: dict[str, float]) -> None:
    names = list(shares)[::-1]
    axes.barh(names, [shares[name] for name in names])
    axes.set(xlabel="share of what the quality depends on")


def _pareto(axes: Any, study: "Study", objectives: Sequence[str]) -> None:
    trials, best = completed(study), sorted(study.best_trials, key=lambda trial: trial.values[1])
    axes.scatter([t.values[1] for t in trials], [t.values[0] for t in trials], label="trial")
    axes.plot([t.values[1] for t in best], [t.values[0] for t in best], "o-", color="C1", label="front")
    for trial in best:
        axes.annotate(str(trial.number), (trial.values[1], trial.values[0]), textcoords="offset points", xytext=(4, 4))
    axes.set(xlabel=f"{objectives[1]} for a document", ylabel=objectives[0])
    axes.legend()


__all__ = ["importances", "plot_study"]
