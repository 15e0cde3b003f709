"""Which structure to take: the front, run again on fresh rows and rollouts, against SOLO and COMBO.

What a study finds best is best on its own rows, partly by chance. So the front and the paper's presets are run on rows
that no trial has seen, several times, and a structure is taken instead of SOLO only where it is better there. The one
that is taken is scored once more on rows that had no say in anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from summq.eval.data import Row
from summq.eval.statistics import Estimate, compare, holm, summarise
from summq.optimizers.tuning.evaluate import Evaluator, ScoredDocument, TrialFailed, objective_value
from summq.optimizers.tuning.selection import front
from summq.optimizers.tuning.space import BASELINES
from summq.optimizers.tuning.study import completed
from summq.optimizers.tuning.tune import Tuning
from summq.programs.errors import RunError

if TYPE_CHECKING:
    from optuna import Study

ALPHA = 0.05
MOST_CANDIDATES = 5
SOLO, COMBO = BASELINES


class Difference(BaseModel):
    """A mean paired difference in quality, with its 95 % interval and a p-value."""

    model_config = ConfigDict(frozen=True)

    mean: float | None
    low: float | None
    high: float | None
    p: float | None

    def __str__(self) -> str:
        if self.mean is None:
            return "-"
        between = "" if self.low is None or self.high is None else f" [{self.low:+.4f}, {self.high:+.4f}]"
        return f"{self.mean:+.4f}{between}"


class Standing(BaseModel):
    """How a structure does on some rows: `objectives` are its means, `p` is Holm's for all candidates against SOLO."""

    model_config = ConfigDict(frozen=True)

    name: str
    params: dict[str, Any]
    quality: Estimate
    objectives: list[float]
    to_solo: Difference
    to_combo: Difference
    p: float | None = None

    @property
    def better(self) -> bool:
        """Whether it is better than SOLO, after correction for all candidates."""
        return self.p is not None and self.p < ALPHA and (self.to_solo.mean or 0.0) > 0


class Selection(BaseModel):
    """What was chosen, how all candidates did on fresh rows, and how the chosen one does on rows never seen."""

    model_config = ConfigDict(frozen=True)

    chosen: str
    params: dict[str, Any]
    fresh_rows: int
    rollouts: int
    fresh: list[Standing]
    unseen_rows: int
    unseen: list[Standing]


@dataclass(frozen=True)
class Finals:
    """The comparison after a study.

    Args:
        fresh: Rows that no trial has run on, by which is chosen.
        unseen: Rows that have no say in anything, for a last score.
        rollouts: Runs of each row.
        within: With calls or cost as an objective, the cheapest is taken that is no more than this below the best.
    """

    tuning: Tuning
    fresh: Sequence[Row]
    unseen: Sequence[Row]
    rollouts: int = 2
    within: float = 0.01
    report: Callable[[str], None] = print

    def choose(self, study: "Study") -> Selection:
        """Run the candidates and choose.

        Raises:
            DataError: No trial is finished.
            RunError: A document could not be summarised or scored.
        """
        candidates = self._candidates(study)
        documents = (len(candidates) * len(self.fresh) + 3 * len(self.unseen)) * self.rollouts
        self.report(
            f"choosing between {', '.join(candidates)} on {len(self.fresh)} fresh rows, {self.rollouts} rollouts each; "
            f"then a last score on {len(self.unseen)} rows never seen: at most {documents} documents"
        )
        try:
            with self.tuning.settings.session():
                fresh = self._standings(candidates, self.fresh)
                chosen = self.best(fresh)
                finalists = {name: candidates[name] for name in dict.fromkeys((chosen.name, *BASELINES))}
                unseen = self._standings(finalists, self.unseen)
        except TrialFailed as failure:
            raise RunError(f"{failure}: no structure can be chosen; run again to continue") from failure
        return Selection(
            chosen=chosen.name,
            params=chosen.params,
            fresh_rows=len(self.fresh),
            rollouts=self.rollouts,
            fresh=fresh,
            unseen_rows=len(self.unseen),
            unseen=unseen,
        )

    def _candidates(self, study: "Study") -> dict[str, dict[str, Any]]:
        """SOLO, COMBO, and the best of the front that are neither, by name."""
        solo, combo, *compiled = self.tuning.space.presets(self.tuning.settings.config)
        named = {SOLO: solo, COMBO: combo}
        more = {f"{name} compiled": params for name, params in zip(BASELINES, compiled, strict=False)}
        known = [*named.values(), *more.values()]
        trials = [trial for trial in front(study) if trial.params not in known][:MOST_CANDIDATES]
        return {**named, **more, **{f"trial {trial.number}": dict(trial.params) for trial in trials}}

    def _standings(self, candidates: dict[str, dict[str, Any]], rows: Sequence[Row]) -> list[Standing]:
        runs = {name: self._run(params, rows) for name, params in candidates.items()}
        means = {
            name: [fmean(one.quality for one in row) for row in zip(*rollouts, strict=True)]
            for name, rollouts in runs.items()
        }
        sources = [row.id for row in rows]
        standings = [
            Standing(
                name=name,
                params=candidates[name],
                quality=summarise(means[name], sources, seed=self.tuning.seed),
                objectives=[objective_value(one, list(chain(*rollouts))) for one in self.tuning.objectives],
                to_solo=self._difference(means[name], means[SOLO], sources),
                to_combo=self._difference(means[name], means[COMBO], sources),
            )
            for name, rollouts in runs.items()
        ]
        rivals = [standing for standing in standings if standing.name != SOLO]
        corrected = holm([1.0 if rival.to_solo.p is None else rival.to_solo.p for rival in rivals])
        by_name = {rival.name: p for rival, p in zip(rivals, corrected, strict=True)}
        return [standing.model_copy(update={"p": by_name.get(standing.name)}) for standing in standings]

    def _run(self, params: dict[str, Any], rows: Sequence[Row]) -> list[list[ScoredDocument]]:
        """The scores of each rollout."""
        tuning = self.tuning
        structure = tuning.space.structure(params, tuning.settings.config)
        return [
            Evaluator(structure, tuning.settings, tuning.quality, rollout + 1).score(rows)
            for rollout in range(self.rollouts)
        ]

    def _difference(self, one: Sequence[float], other: Sequence[float], sources: Sequence[str]) -> Difference:
        paired = compare(one, other, sources, seed=self.tuning.seed)
        return Difference(mean=paired.difference, low=paired.low, high=paired.high, p=paired.p)

    def best(self, standings: Sequence[Standing]) -> Standing:
        """SOLO, unless others are better: then the best of them, or the cheapest that is nearly as good."""
        better = [standing for standing in standings if standing.better]
        if not better:
            return next(standing for standing in standings if standing.name == SOLO)
        best = max(standing.objectives[0] for standing in better)
        within = self.within if len(self.tuning.objectives) > 1 else 0.0
        good = [standing for standing in better if standing.objectives[0] >= best - within]
        return min(good, key=lambda standing: (standing.objectives[1:], -standing.objectives[0]))


def number_of(study: "Study", params: Mapping[str, Any]) -> int | None:
    """The number of the first finished trial with these parameters."""
    return next((trial.number for trial in completed(study) if trial.params == params), None)


def split_rows(rows: Sequence[Row], trial_rows: int | None) -> tuple[Sequence[Row], Sequence[Row]]:
    """The rows that trials run on, and fresh ones: so many and the rest, or half and half."""
    number = (len(rows) + 1) // 2 if trial_rows is None else trial_rows
    return rows[:number], rows[number:]


def selection_table(selection: Selection, objectives: Sequence[str]) -> str:
    """The comparison as Markdown."""
    chosen = f"Chosen: {selection.chosen}"
    solo = ", since nothing is shown to be better than it" if selection.chosen == SOLO else ""
    return "\n".join(
        [
            f"{chosen}{solo}.",
            "",
            f"On {selection.fresh_rows} fresh rows, {selection.rollouts} rollouts:",
            "",
            *_lines(selection.fresh, objectives),
            "",
            f"On {selection.unseen_rows} rows that nothing was chosen by:",
            "",
            *_lines(selection.unseen, objectives),
            "",
        ]
    )


def _lines(standings: Sequence[Standing], objectives: Sequence[str]) -> list[str]:
    head = ["structure", "quality", *objectives[1:], "difference to SOLO", "p", "difference to COMBO"]
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    for one in standings:
        p = "-" if one.p is None else f"{one.p:.4f}"
        cells = [one.name, str(one.quality), *(f"{value:.4f}" for value in one.objectives[1:])]
        lines.append(f"| {' | '.join([*cells, str(one.to_solo), p, str(one.to_combo)])} |")
    return lines


__all__ = ["SOLO", "Finals", "Selection", "Standing", "number_of", "selection_table", "split_rows"]
