"""The assembled program before and after, on rows that its prompts were not learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import dspy

from summq.eval.data import Row
from summq.eval.statistics import compare
from summq.optimizers.compiling.guard import DspyMetric, Scores, mean_of, require_passing, score_in
from summq.optimizers.compiling.prompts import apply_prompts, state_of
from summq.optimizers.compiling.verdicts import ALPHA
from summq.programs import SummQ
from summq.programs.artifact import ProgramRecord
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, parallel_outcomes
from summq.programs.runtime.usage import Meter, known_sum
from summq.programs.summq import complete
from summq.programs.text.stems import first_words
from summq.programs.text.words import count_words


@dataclass(frozen=True)
class Outcome:
    """The summaries of all rows in order, None where there is none, with calls and cost for a document."""

    summaries: Sequence[str | None]
    calls: float
    cost: float | None

    @property
    def words(self) -> float | None:
        """The mean length of the summaries."""
        lengths = [count_words(text) for text in self.summaries if text is not None]
        return fmean(lengths) if lengths else None


@dataclass(frozen=True)
class Runs:
    """Runs programs on held-out rows, by folds, and scores their summaries."""

    rows: Sequence[Sequence[Row]]
    metric: DspyMetric
    seed: int = 0

    @property
    def all_rows(self) -> list[Row]:
        """The rows of all folds."""
        return [row for fold in self.rows for row in fold]

    def of(self, programs: Sequence[SummQ]) -> Outcome:
        """Every row summarised by the program of its fold."""
        meters = [Meter(parent=dspy.settings.get("meter")) for _ in self.all_rows]
        pairs = [(program, row) for program, rows in zip(programs, self.rows, strict=True) for row in rows]

        def one(place: int) -> str:
            program, row = pairs[place]
            with dspy.context(meter=meters[place]):
                return str(complete(program(document=row.document)).summary)

        outcomes = parallel_outcomes(one, range(len(pairs)), at_once=DOCUMENTS_AT_ONCE)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                require_passing(outcome)
        summaries = [None if isinstance(outcome, Exception) else outcome for outcome in outcomes]
        records = [record for meter in meters for record in meter.records]
        cost = known_sum(record.full_cost for record in records)
        return Outcome(summaries, len(records) / len(meters), None if cost is None else cost / len(meters))

    def scores(self, summaries: Sequence[str | None]) -> Scores:
        """The score of each summary."""
        return [
            None if text is None else self._score(text, row) for text, row in zip(summaries, self.all_rows, strict=True)
        ]

    def _score(self, text: str, row: Row) -> float:
        gold = dspy.Example(document=row.document, references=row.references)
        return score_in(self.metric(gold, dspy.Prediction(summary=text)))


class Assembly:
    """A program before, and the compiled one of each fold. `best` is the fold whose program gains most."""

    def __init__(self, runs: Runs, before: SummQ, programs: Sequence[SummQ]) -> None:
        self.runs, self.programs = runs, programs
        self.old = before
        self.before, self.after = runs.of([before] * len(programs)), runs.of(programs)
        self.scores = (runs.scores(self.before.summaries), runs.scores(self.after.summaries))
        self.best = self._best()

    def record(self, installed: Mapping[str, Sequence[str]]) -> ProgramRecord:
        """The comparison. Where the compiled program is not better, each role is taken out of it once.

        Args:
            installed: The predictors of the roles that have new prompts.
        """
        old, new = self.scores
        sources = [row.id for row in self.runs.all_rows]
        paired = compare(new, old, sources, seed=self.runs.seed)
        matched = compare(*self._matched(), sources, seed=self.runs.seed)
        better = paired.p is not None and paired.p < ALPHA and (paired.difference or 0.0) > 0
        without = {} if better or len(installed) < 2 else {r: self._without(names) for r, names in installed.items()}
        return ProgramRecord(
            before=mean_of(old),
            after=mean_of(new),
            difference=paired.difference,
            low=paired.low,
            high=paired.high,
            p=paired.p,
            n=paired.n,
            failed=paired.unpaired,
            matched_difference=matched.difference,
            matched_low=matched.low,
            matched_high=matched.high,
            words_before=self.before.words,
            words_after=self.after.words,
            calls_before=self.before.calls,
            calls_after=self.after.calls,
            cost_before=self.before.cost,
            cost_after=self.after.cost,
            better=better,
            without={role: value for role, (value, _) in without.items()},
            hurt=[role for role, (_, low) in without.items() if low is not None and low > 0],
        )

    def _without(self, names: Sequence[str]) -> tuple[float | None, float | None]:
        """How much better the programs are with these predictors as they were, and the lower end of its interval."""
        original = state_of(self.old, names)
        programs = [program.deepcopy() for program in self.programs]
        for program in programs:
            apply_prompts(program, original)
        scores = self.runs.scores(self.runs.of(programs).summaries)
        paired = compare(scores, self.scores[1], [row.id for row in self.runs.all_rows], seed=self.runs.seed)
        return paired.difference, paired.low

    def _matched(self) -> tuple[Scores, Scores]:
        """The scores after and before with both summaries of a row cut to the length of the shorter one."""
        cut = [_cut(*pair) for pair in zip(self.after.summaries, self.before.summaries, strict=True)]
        return self.runs.scores([new for new, _ in cut]), self.runs.scores([old for _, old in cut])

    def _best(self) -> int:
        old, new = self.scores
        gains, start = [], 0
        for rows in self.runs.rows:
            paired = zip(new[start : start + len(rows)], old[start : start + len(rows)], strict=True)
            known = [a - b for a, b in paired if a is not None and b is not None]
            gains.append(fmean(known) if known else float("-inf"))
            start += len(rows)
        return max(range(len(gains)), key=gains.__getitem__)


def _cut(one: str | None, other: str | None) -> tuple[str | None, str | None]:
    if one is None or other is None:
        return None, None
    words = min(count_words(one), count_words(other))
    return first_words(one, words), first_words(other, words)


__all__ = ["Assembly", "Runs"]
