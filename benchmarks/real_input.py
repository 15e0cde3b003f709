"""COMBO over folders of real documents: does every run hold, and is the last summary better than the first?

    python benchmarks/real_input.py ../shared/data/{reports,stories,meetings,plays} --split dev

The first and the last summary of each document take the last quiz and are scored by ROUGE against the references.
Checked on the way: questions of each kind, evidence word for word in the document, questions in each fifth of it, and
length. The exit status is 1 if any document failed or broke a rule.
"""

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from summq.eval.data import Row, load_rows
from summq.eval.metrics import Metric, make_metric
from summq.programs import SummQ
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.session import session
from summq.signatures import KINDS, PARTS, Quiz, SummQResult

WORDS_OFF = 0.10
FEWEST_IN_A_FIFTH = 3
ROUGES = ("rouge1", "rouge2", "rougeL")


@dataclass(frozen=True)
class Outcome:
    """What came of one document; `broken` names the rules that did not hold."""

    id: str
    broken: list[str]
    first_accuracy: float
    last_accuracy: float
    first_rouge: dict[str, float]
    last_rouge: dict[str, float]
    seconds: float


def main() -> int:
    """Run the folders and print a table, or JSON lines of all documents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--backbone", default="offline")
    parser.add_argument("--preset", default="combo")
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--at-once", type=int, default=4, help="documents at a time")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    everything: list[Outcome] = []
    failures = 0
    for folder in arguments.folders:
        rows = load_rows(str(folder), arguments.split, limit=arguments.limit).rows
        with session(arguments.backbone, cache_dir=""):
            program = SummQ.preset(arguments.preset, target_words=arguments.words)
            outcomes = run_all(program, rows, arguments.at_once)
        for row, outcome in zip(rows, outcomes, strict=True):
            if isinstance(outcome, Exception):
                failures += 1
                print(f"{row.id}: {type(outcome).__name__}: {outcome}", file=sys.stderr)
        ran = [outcome for outcome in outcomes if isinstance(outcome, Outcome)]
        for outcome in ran:
            if arguments.json:
                print(json.dumps(asdict(outcome)))
            if outcome.broken:
                print(f"{outcome.id}: {'; '.join(outcome.broken)}", file=sys.stderr)
        print(summary(folder.name, ran))
        everything += ran
    print(summary("all", everything))
    return int(failures > 0 or any(outcome.broken for outcome in everything))


def run_all(program: SummQ, rows: Sequence[Row], at_once: int) -> list[Outcome | Exception]:
    """Run every row, `at_once` at a time; an exception stands for a row that failed."""
    outcomes: list[Outcome | Exception] = []
    for start in range(0, len(rows), at_once):
        outcomes += parallel_outcomes(partial(run, program), rows[start : start + at_once])
    return outcomes


def run(program: SummQ, row: Row) -> Outcome:
    """Summarise one document and check the result."""
    start = time.perf_counter()
    result: SummQResult = program(document=row.document).result
    seconds = time.perf_counter() - start
    first, last, quiz = result.iterations[0].summary, result.summary, result.quiz
    if quiz is None:
        raise ValueError("the program has no quiz stream")
    rouge = make_metric("rouge")
    return Outcome(
        id=row.id,
        broken=[*broken_by_quiz(quiz, row), *broken_by_length({"first": first, "last": last}, program, row)],
        first_accuracy=program.examinee(quiz=quiz, summary=first).exam.accuracy or 0.0,
        last_accuracy=result.exam.accuracy or 0.0 if result.exam else 0.0,
        first_rouge=scored(rouge, first, row),
        last_rouge=scored(rouge, last, row),
        seconds=seconds,
    )


def scored(rouge: Metric, summary: str, row: Row) -> dict[str, float]:
    """ROUGE by type."""
    values = rouge.score(summary, row).values
    return {name: float(values[name] or 0.0) for name in ROUGES}


def broken_by_quiz(quiz: Quiz, row: Row) -> list[str]:
    """Rules that the quiz does not keep: ten of each kind, evidence word for word, spread over the fifths."""
    broken = []
    kinds = Counter(question.kind for question in quiz.questions)
    if any(kinds[kind] != 10 for kind in KINDS):
        broken.append(f"questions: {dict(kinds)}")
    text = row.document.text
    missing = [n for n, question in enumerate(quiz.questions, 1) if question.evidence not in text]
    if missing:
        broken.append(f"evidence not in the document: questions {missing}")
    fifths = Counter(row.document.part_at(text.find(question.evidence)) for question in quiz.questions)
    if any(fifths[part] < FEWEST_IN_A_FIFTH for part in range(1, PARTS + 1)):
        broken.append(f"questions in the fifths: {[fifths[part] for part in range(1, PARTS + 1)]}")
    return broken


def broken_by_length(summaries: dict[str, str], program: SummQ, row: Row) -> list[str]:
    """Summaries that miss the wanted number of words by more than a tenth, where the document has so many."""
    wanted = program.config.target_words
    return [
        f"the {name} summary has {len(summary.split())} words"
        for name, summary in summaries.items()
        if len(row.document.text.split()) > wanted and abs(len(summary.split()) - wanted) > WORDS_OFF * wanted
    ]


def summary(name: str, outcomes: list[Outcome]) -> str:
    """The means of a folder in one line."""
    if not outcomes:
        return f"{name}: nothing ran"
    before = 100 * statistics.mean(o.first_accuracy for o in outcomes)
    after = 100 * statistics.mean(o.last_accuracy for o in outcomes)
    rouge = ", ".join(
        f"{key} {100 * statistics.mean(o.first_rouge[key] for o in outcomes):.2f} -> "
        f"{100 * statistics.mean(o.last_rouge[key] for o in outcomes):.2f}"
        for key in ROUGES
    )
    return (
        f"{name}: {len(outcomes)} documents, right {before:.1f} -> {after:.1f} ({after - before:+.1f}), {rouge}, "
        f"{sum(bool(o.broken) for o in outcomes)} broke a rule, "
        f"median {statistics.median(o.seconds for o in outcomes):.1f} s a document"
    )


if __name__ == "__main__":
    sys.exit(main())
