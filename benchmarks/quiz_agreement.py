"""Does the exam order summaries as people do? Kendall's tau-b with raters, beside ROUGE-1 and BERTScore.

    python benchmarks/quiz_agreement.py [--backbone local:PATH.gguf] [--questions 10/10/10] [--limit 12] [--minutes 30]

The judged texts answer questions about stories; raters gave each of them an overall score. What is measured is kept in
the output folder line by line: the same command goes on where it stopped, and `--minutes` lets it stop by itself.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import dspy

from summq.eval.data import Row
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.exam import examine
from summq.eval.metrics.rouge import Rouge
from summq.eval.report.tables import table_of
from summq.eval.statistics import Estimate, measure_agreement
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf, pool_for
from summq.programs.runtime.session import session
from summq.programs.settings import parse_questions
from summq.signatures import Document, QuestionCounts, fingerprint

MEASURES = ("exam", "rouge1", "bertscore_f1", "words")
HUMAN = "human"

Record = dict[str, Any]


def main() -> None:
    """Measure what is not measured yet, as far as time allows, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/judgements"))
    parser.add_argument("--backbone", default="offline")
    parser.add_argument("--questions", default="10/10/10")
    parser.add_argument("--own-pool", action="store_true", help="a pool of just so many questions, for slow models")
    parser.add_argument("--limit", type=int, help="so many documents")
    parser.add_argument("--minutes", type=float, help="begin no document after so many minutes")
    parser.add_argument("--out", type=Path, default=Path("runs/quiz-agreement"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    kept = given.out / f"{fingerprint(f'{given.backbone} {given.questions} {given.own_pool}', 8)}.jsonl"
    done = read_lines(kept) if kept.exists() else []
    judged = read_lines(given.data / "stories.jsonl")
    documents = read_lines(given.data / "documents.jsonl")[: given.limit]
    ends = time.monotonic() + 60 * given.minutes if given.minutes else None
    with session(given.backbone), kept.open("a", encoding="utf-8") as file:
        for document in documents:
            answers = [answer for answer in judged if answer["doc_id"] == document["id"]]
            if {answer["id"] for answer in answers} <= {record["id"] for record in done}:
                continue
            if ends and time.monotonic() > ends:
                break
            for record in measured(document, answers, given):
                done.append(record)
                file.write(json.dumps(record) + "\n")
            file.flush()
    print(page(done, given.backbone, given.questions))


def read_lines(path: Path) -> list[Record]:
    """The records of a jsonl file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def measured(document: Record, answers: Sequence[Record], given: argparse.Namespace) -> Iterator[Record]:
    """The scores of all judged answers about a document; None is unscored."""
    text = Document.of(document["document"])
    wanted = QuestionCounts.model_validate(parse_questions(given.questions))
    examiner = Examiner(wanted if given.own_pool else pool_for(wanted))
    with dspy.context(document_key=text.key):
        quiz = QuizShelf(given.out / "quizzes", examiner).pool_about(text).draw(wanted).quiz
        exams = examine(Examinee(open_book=False), [quiz], [answer["summary"] for answer in answers])
    rouge, bertscore = Rouge(types=("rouge1",)), BertScore()
    for answer, exam in zip(answers, exams, strict=True):
        row = Row(answer["id"], text, tuple(answer["references"]))
        yield {
            "id": answer["id"],
            "document": document["id"],
            "system": answer["system"],
            "human": answer["scores"]["overall"],
            "exam": exam.score.mean,
            "rouge1": rouge.score(answer["summary"], row).values["rouge1"],
            "bertscore_f1": bertscore.score(answer["summary"], row).values["bertscore_f1"],
            "words": float(len(answer["summary"].split())),
        }


def page(records: Sequence[Record], backbone: str, questions: str) -> str:
    """The table in Markdown, over all answers and over those of machines."""
    machine = [record for record in records if record["system"] != HUMAN]
    documents = len({record["document"] for record in records})
    head = f"{Path(backbone).name}, quiz {questions}: {len(records)} answers about {documents} documents"
    rows = [
        [name, *(cell(subset, name) for subset in (records, machine))]
        for name in MEASURES
        if any(record[name] is not None for record in records)
    ]
    heads = ["measure", "tau-b, all answers", f"machine answers only ({len(machine)})"]
    return f"{head}\n\n{table_of(heads, rows)}"


def cell(records: Sequence[Record], name: str) -> str:
    """Pooled tau-b with its interval, resampled by document."""
    scores, human = [record[name] for record in records], [record["human"] for record in records]
    tau: Estimate = measure_agreement(scores, human, [record["document"] for record in records]).pooled_tau
    return f"{tau}" + (f" (n={tau.n})" if tau.failed else "")


if __name__ == "__main__":
    main()
