"""Does the score of the exam depend on the number of questions?

    python benchmarks/quiz_size.py [--backbone local:PATH.gguf] [--documents 20] [--words 1500] [--minutes 30] [--json]

One summary of each document (its first half) takes quizzes of 2/2/1, 4/3/3 and 10/10/10 questions with five seeds.
What is measured is kept in the output folder line by line: the same command goes on where it stopped, and `--minutes`
lets it stop by itself. `--words` cuts documents, for slow models.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from statistics import fmean
from typing import Any

import dspy
from quiz_agreement import read_lines
from report import Criterion, Report, add, finish, parser, table
from rich.table import Table

from summq.eval.metrics.exam import examine
from summq.eval.statistics import compare, summarise
from summq.programs.baselines.extracts import Lead
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.session import session
from summq.programs.settings import parse_questions
from summq.signatures import Document, QuestionCounts, fingerprint

MIXES = ("2/2/1", "4/3/3", "10/10/10")
SEEDS = range(5)
SPLITS = ("reports/dev", "stories/dev", "meetings/dev")

Record = dict[str, Any]
Scores = Mapping[str, Sequence[float | None]]


def documents(data: Path, number: int, words: int | None) -> list[Document]:
    """As many documents of each kind, in turn, as are wanted."""
    rows = [
        row for rows in zip(*(read_lines(data / f"{split}.jsonl") for split in SPLITS), strict=False) for row in rows
    ]
    texts = [row["document"] for row in rows[:number]]
    return [Document.of(text if words is None else " ".join(text.split(" ")[:words])) for text in texts]


def measured(text: Document, done: Sequence[Record], shelf: QuizShelf) -> Iterator[Record]:
    """The scores of a document's first half, a record for each mix and seed that has none yet; None is unscored."""
    have = {(record["mix"], record["seed"]) for record in done if record["document"] == text.key}
    left = [(mix, seed) for mix, seed in product(MIXES, SEEDS) if (mix, seed) not in have]
    with dspy.context(document_key=text.key):
        for mix, seed in left:
            wanted = QuestionCounts.model_validate(parse_questions(mix))
            quiz = shelf.pool_about(text).draw(wanted, seed).quiz
            summary = Lead(len(text.text.split()) // 2)(document=text).summary
            (examined,) = examine(Examinee(seed, open_book=False), [quiz], [summary])
            yield {
                "document": text.key,
                "mix": mix,
                "seed": seed,
                "score": examined.score.mean,
                "asked": len(quiz.questions),
            }


def by_mix(records: Sequence[Record]) -> Scores:
    """For each mix the score of each document's summary, a mean over the seeds, in one order of documents."""
    keys = list(dict.fromkeys(record["document"] for record in records))

    def score(key: str, mix: str) -> float | None:
        known = [r["score"] for r in records if (r["document"], r["mix"]) == (key, mix) and r["score"] is not None]
        return fmean(known) if known else None

    return {mix: [score(key, mix) for key in keys] for mix in MIXES}


def mixes_table(scores: Scores) -> tuple[Table, int]:
    """Means with intervals, their differences, and how many of these have p < 0.05."""
    made = table("questions", "mean score", "95 %", "p")
    for mix, values in scores.items():
        estimate = summarise(values, bounds=(0, 1))
        add(made, mix, shown(estimate.mean), interval(estimate.low, estimate.high), "")
    tests = {(one, other): compare(scores[one], scores[other]) for one, other in combinations(MIXES, 2)}
    for (one, other), test in tests.items():
        p = "" if test.p is None else f"{test.p:.3f}"
        add(made, f"{one} minus {other}", shown(test.difference), interval(test.low, test.high), p)
    return made, sum(test.p is not None and test.p < 0.05 for test in tests.values())


def spread_table(records: Sequence[Record]) -> Table:
    """How far the scores of one summary differ from seed to seed, on average over documents."""
    made = table("questions", "from seed to seed (standard deviation)")
    for mix in MIXES:
        groups: dict[str, list[float]] = {}
        for record in records:
            if record["mix"] == mix and record["score"] is not None:
                groups.setdefault(record["document"], []).append(record["score"])
        variances = [
            fmean((s - fmean(g)) ** 2 for s in g) * len(g) / (len(g) - 1) for g in groups.values() if len(g) > 1
        ]
        add(made, mix, shown(fmean(variances) ** 0.5 if variances else None))
    return made


def shown(value: float | None) -> str:
    """A score with three places."""
    return "–" if value is None else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """The bounds of an estimate."""
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def measure(given: argparse.Namespace) -> list[Record]:
    """What is measured already, and what time allows besides."""
    given.out.mkdir(parents=True, exist_ok=True)
    kept = given.out / f"{fingerprint(f'{given.backbone} {given.words}', 8)}.jsonl"
    records = read_lines(kept) if kept.exists() else []
    ends = time.monotonic() + 60 * given.minutes if given.minutes else None
    with session(given.backbone), kept.open("a", encoding="utf-8") as file:
        shelf = QuizShelf(given.out / "quizzes", Examiner())
        for text in documents(given.data, given.documents, given.words):
            if ends and time.monotonic() > ends:
                break
            for record in measured(text, records, shelf):
                records.append(record)
                file.write(json.dumps(record) + "\n")
                file.flush()
    return records


def main() -> None:
    """Measure and report."""
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--backbone", default="offline")
    options.add_argument("--documents", type=int, default=20)
    options.add_argument("--words", type=int, help="so many words of each document")
    options.add_argument("--minutes", type=float, help="begin no document after so many minutes")
    options.add_argument("--out", type=Path, default=Path("runs/quiz-size"))
    given = options.parse_args()
    records = measure(given)
    scores = by_mix(records)
    sizes, apart = mixes_table(scores)
    scored = len({record["document"] for record in records})
    criteria = [
        Criterion("documents", scored, 20, at_least=True),
        Criterion("differences between numbers of questions with p < 0.05", apart, 0),
    ]
    finish(Report({"scores": scores}, [sizes, spread_table(records)], criteria), as_json=given.json)


if __name__ == "__main__":
    main()
