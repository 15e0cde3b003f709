"""Learning a metric from a data set, from the first draft to the gates: what `summq metric learn` does."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Self

from summq.eval.data import Row
from summq.eval.metrics.examinee.features import EXAM_FEATURES, FEATURES, Features
from summq.eval.metrics.examinee.metric import ExamineeMetric, Observer
from summq.optimizers.learned_metric.agreement import cross_validated, measure, run_gates, scored_by
from summq.optimizers.learned_metric.judgements import read_judgements
from summq.optimizers.learned_metric.training import (
    WITH_REFERENCES,
    WITHOUT_REFERENCES,
    GradedCandidates,
    MetricTrainer,
)
from summq.optimizers.planted.candidates import Candidates, build_candidates, usual_systems
from summq.optimizers.planted.gates import gate_candidates
from summq.optimizers.role_tasks.base import usual_words
from summq.programs.errors import DataError
from summq.programs.runtime.files import make_folder
from summq.programs.runtime.parallel import parallel
from summq.programs.summq import complete
from summq.signatures import Document, QuestionCounts

PEOPLE = "people, each document by weights fitted without it"


@dataclass(frozen=True)
class MetricPlan:
    """What a metric is learned from; it runs on the backbones of the session.

    Args:
        name: Of the data.
        train: Rows with references: their human summaries and drafts are damaged for the gates, and are ordered by
            ROUGE-1 + BERTScore where there are no judgements.
        held_out: More such rows, by name, on which agreement and gates are measured.
        judgements: A file as `read_judgements` takes it.
        references: Whether the metric may use references.
        exam: Whether summaries take a quiz; costs calls.
        folder: Keeps quizzes and features, so that the same plan goes on where it stopped.
    """

    name: str
    train: Sequence[Row]
    held_out: Mapping[str, Sequence[Row]]
    folder: Path
    judgements: Path | None = None
    references: bool = False
    exam: bool = False
    questions: QuestionCounts = field(default_factory=QuestionCounts)
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The features that may get weights."""
        bare = WITH_REFERENCES if self.references else WITHOUT_REFERENCES
        return (*EXAM_FEATURES, *bare) if self.exam else bare


def learn_metric(plan: MetricPlan, report: Callable[[str], None] = lambda line: None) -> ExamineeMetric:
    """The metric, with its agreement and its gates on record.

    Raises:
        DataError: There are too few rows, or nothing to learn from.
    """
    people = read_judgements(plan.judgements) if plan.judgements else None
    make_folder(plan.folder)
    featurizer = FeatureStore.of(plan)
    report(f"damaging summaries of {len(plan.train)} documents")
    trainer = MetricTrainer(
        graded=people or graded_rows(plan.train, plan.seed),
        featurizer=featurizer,
        name=plan.name,
        gates=gates_of(plan.train, plan.seed),
        target="judgements by people" if people else "ROUGE-1 + BERTScore",
        questions=plan.questions,
        seed=plan.seed,
        quizzes=plan.folder / "quizzes",
    )
    report("fitting the weights")
    metric = trainer.learn(plan.names)
    score = scored_by(metric.learned, featurizer)
    records, gates = [], []
    if people:
        report("fitting them again without each document in turn")
        records.append(measure(PEOPLE, people, {metric.name: cross_validated(trainer, plan.names)}))
    for name, rows in plan.held_out.items():
        report(f"measuring on {name}: {len(rows)} documents")
        if not people:
            records.append(measure(name, graded_rows(rows, plan.seed), {metric.name: score}))
        gates.append(run_gates(name, gates_of(rows, plan.seed), score))
    learned = metric.learned.model_copy(update={"agreement": tuple(records), "gates": tuple(gates)})
    return ExamineeMetric(learned, metric.quizzes)


def gates_of(rows: Sequence[Row], seed: int = 0) -> list[Candidates]:
    """The gates' candidates of each row, with a draft by one agent of the backbone."""
    return _with_neighbours(rows, lambda row, other: gate_candidates(row, other, _draft(row), seed))


def graded_rows(rows: Sequence[Row], seed: int = 0) -> list[GradedCandidates]:
    """The candidates of each row, graded by its references."""
    candidates_by_row = _with_neighbours(
        rows, lambda row, other: build_candidates(row, other, usual_systems(usual_words([row])), seed)
    )
    return [GradedCandidates.by_references(candidates) for candidates in candidates_by_row]


def _with_neighbours(rows: Sequence[Row], make: Callable[[Row, Row], Candidates]) -> list[Candidates]:
    """Each row with the next one, which is about something else."""
    kept = [row for row in rows if row.references]
    if len(kept) < 2:
        raise DataError(f"{len(kept)} rows with references are too few to learn a metric from: give at least two")
    return parallel(lambda pair: make(*pair), list(zip(kept, [*kept[1:], kept[0]], strict=True)))


def _draft(row: Row) -> str:
    draft: str = complete(usual_systems(usual_words([row]))["draft"](document=row.document)).summary
    return draft


class FeatureStore:
    """Features by texts, kept in a file where they cost no call (calls are kept by the response cache)."""

    def __init__(self, path: Path, observer: Observer, names: Sequence[str]) -> None:
        self._path, self._observer, self._names = path, observer, tuple(names)
        self._lock = Lock()
        self._kept: dict[str, Features] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                self._kept.update(_entry(line))

    @classmethod
    def of(cls, plan: MetricPlan) -> Self:
        """The features that a plan needs, kept in its folder."""
        observer = Observer(plan.questions, plan.seed, None, plan.folder / "quizzes")
        return cls(plan.folder / f"features-{version('summq')}.jsonl", observer, plan.names)

    def __call__(self, document: Document, summary: str, references: Sequence[str]) -> Features:
        """The features of a summary that is not empty."""
        names = [name for name in FEATURES if name in self._names]
        if not EXAM_FEATURES.keys().isdisjoint(names):
            return self._observer.observe(document, summary, names, references).features
        key = _key(document, summary, references)
        kept = self._kept.get(key, {})
        missing = [name for name in names if name not in kept]
        if missing:
            kept = {**kept, **self._observer.observe(document, summary, missing, references).features}
            self._keep(key, kept)
        return {name: kept[name] for name in names}

    def _keep(self, key: str, features: Features) -> None:
        with self._lock:
            self._kept[key] = features
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "features": features}) + "\n")


def _key(document: Document, summary: str, references: Sequence[str]) -> str:
    return Document(text=json.dumps([document.key, summary, list(references)])).key


def _entry(line: str) -> dict[str, Features]:
    """What a line of the file keeps; nothing for one that was being written when the process ended."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return {entry["key"]: entry["features"]}


__all__ = ["FeatureStore", "MetricPlan", "gates_of", "learn_metric"]
