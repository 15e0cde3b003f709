"""Fits the examinee metric on train and measures how it orders summaries of other documents (DESIGN section 11).

    python benchmarks/learned_metric.py --data ../shared/data --splits dev,test --judgements --save DIR

The data folder holds `reports`, `stories` and `judgements`. Likeness to references is kept in the output folder, so
that a second run takes minutes. Weights and features are chosen on dev; test and judgements are for the end.
"""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from agreement_table import agreement_table, damage_table, paired_table, weights_table

from summq.eval.data import Row, load_rows
from summq.eval.metrics.examinee import FEATURES, ExamineeMetric
from summq.eval.metrics.examinee.learned import Learned
from summq.eval.metrics.examinee.metric import Observation
from summq.eval.metrics.reference import Likeness, reference_score
from summq.eval.metrics.rouge import Rouge
from summq.optimizers.learned_metric import GradedPool, Lesson, Measure, measure
from summq.optimizers.planted.candidates import Candidate, Pool, build_pool, usual_systems
from summq.optimizers.role_tasks.summaries import usual_words
from summq.programs.runtime.session import session
from summq.signatures import Document

DOMAINS = ("reports", "stories")
OF_THE_EXAM = tuple(name for name in FEATURES if name.startswith(("right_", "not_misled", "asked_about")))
PARTS = {
    "exam features only": OF_THE_EXAM,
    "text features only": tuple(name for name in FEATURES if name not in OF_THE_EXAM),
}
JUDGEMENTS = "people on answers about stories"


def main() -> None:
    """Fit, measure, save the metric, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--splits", default="dev", help="what to measure on, with commas between")
    parser.add_argument("--judgements", action="store_true", help="measure agreement with people, too")
    parser.add_argument("--out", type=Path, default=Path("runs/learned-metric"))
    parser.add_argument("--save", type=Path, help="where to save the metric")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with session("offline", cache_dir=""):
        grader = Grader(given.out / "scores.json")
        train = [pool for domain in DOMAINS for pool in grader.graded(given.data / domain, "train")]
        lesson = Lesson(train, "reports and stories, train", quizzes=given.out / "quizzes")
        metric, parts = lesson.learn(), {name: lesson.learn(part).learned for name, part in PARTS.items()}
        reports = [weights_table(metric.learned)]
        records = []
        for name, pools in held_out(given, grader).items():
            # answers to questions have no usual length
            measures = measures_with(metric.for_length(None) if name == JUDGEMENTS else metric, parts, grader)
            records.append(measure(name, pools, measures))
            reports += [agreement_table(records[-1]), paired_table(pools, measures), damage_table(pools, measures)]
        grader.keep()
    report = "\n\n".join(filter(None, reports)) + "\n"
    (given.out / "report.md").write_text(report, "utf-8")
    print(report)
    if given.save:
        ExamineeMetric(metric.learned.model_copy(update={"agreement": tuple(records)})).save(given.save)


class Grader:
    """Builds pools and scores them against references; scores are kept in a file, by the texts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, list[float]] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def graded(self, folder: Path, split: str) -> list[GradedPool]:
        """The pool of each row of a split."""
        rows = list(load_rows(str(folder), split))
        others = [*rows[1:], rows[0]]
        return [self._graded(row, other) for row, other in zip(rows, others, strict=True)]

    def _graded(self, row: Row, other: Row) -> GradedPool:
        pool = build_pool(row, other, usual_systems(usual_words(row)))
        scores = tuple(self.likeness(candidate.text, pool.row.references).score for candidate in pool.candidates)
        self.keep()
        return GradedPool(pool, scores)

    def keep(self) -> None:
        """Write what has been scored so far."""
        self._path.write_text(json.dumps(self._kept), "utf-8")

    def likeness(self, text: str, references: Sequence[str]) -> Likeness:
        """The likeness of a summary to references, as kept or measured now."""
        key = hashlib.sha256(json.dumps([text, references]).encode()).hexdigest()
        if key not in self._kept:
            found = reference_score()(text, references)
            self._kept[key] = [found.score, found.rouge1, found.bertscore]
        return Likeness(*self._kept[key])


def held_out(given: argparse.Namespace, grader: Grader) -> dict[str, list[GradedPool]]:
    """What to measure on, by name."""
    splits = given.splits.split(",")
    pools = {f"{d}, {split}": grader.graded(given.data / d, split) for split in splits for d in DOMAINS}
    return {**pools, JUDGEMENTS: judged(given.data / "judgements")} if given.judgements else pools


def judged(folder: Path) -> list[GradedPool]:
    """The judged answers, a pool for each question; the answers of other people are the references."""
    documents = {item["id"]: Document(text=item["document"]) for item in _lines(folder / "documents.jsonl")}
    questions: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for item in _lines(folder / "stories.jsonl"):
        questions.setdefault((item["doc_id"], item["question"]), []).append(item)
    return [
        GradedPool(
            Pool(
                Row(story, documents[story], tuple(items[0]["references"])),
                tuple(Candidate(item["system"], item["summary"]) for item in items),
            ),
            tuple(item["scores"]["overall"] for item in items),
        )
        for (story, _), items in questions.items()
    ]


def measures_with(metric: ExamineeMetric, parts: Mapping[str, Learned], grader: Grader) -> dict[str, Measure]:
    """What is compared.

    The learned metric, what was learned from a part of its features, what is not learned (the exam, one feature,
    length), and the measures that need references.
    """
    rouge = Rouge(types=("rouge2", "rougeL"))
    rate = lru_cache(None)(metric.rate)

    def seen(by: Callable[[Observation], float | None]) -> Measure:
        def one(pool: Pool, candidate: Candidate) -> float | None:
            observation = rate(pool.row.document, candidate.text).observation
            return by(observation) if observation else 0.0

        return one

    def learned_by(part: Learned) -> Measure:
        return seen(lambda observation: part.score(observation.features))

    return {
        "examinee": lambda pool, candidate: rate(pool.row.document, candidate.text).score,
        **{name: learned_by(part) for name, part in parts.items()},
        "exam accuracy": seen(lambda observation: observation.exam.accuracy),
        "vocabulary": seen(lambda observation: observation.features["vocabulary"]),
        "length": lambda pool, candidate: float(len(candidate.text.split())),
        "ROUGE-1": lambda pool, candidate: grader.likeness(candidate.text, pool.row.references).rouge1,
        "ROUGE-2": lambda pool, candidate: rouge.score(candidate.text, pool.row).values["rouge2"],
        "ROUGE-L": lambda pool, candidate: rouge.score(candidate.text, pool.row).values["rougeL"],
        "BERTScore": lambda pool, candidate: grader.likeness(candidate.text, pool.row.references).bertscore,
    }


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    return map(json.loads, path.read_text("utf-8").splitlines())


if __name__ == "__main__":
    main()
