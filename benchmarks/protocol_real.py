"""Does the protocol help a small real model? One prompt and SOLO at equal length, on beginnings of held-out documents.

    python benchmarks/protocol_real.py --backbone local:MODEL.gguf --data ../shared/data --minutes 60

Documents are the first `--document-words` words of reports and stories of the test split, in turn; references are
those of the whole. SOLO asks two questions of each kind and has two iterations: what it drafted and what it made of
that after reviews and exam are scored apart, each by as many of its first sentences as the wanted length holds, so
that it can be seen where something is won or lost. A row for each document and system is appended to
docs/results/protocol-real.jsonl at once, and what is there is not run again; `--minutes` begins no document after so
long; `--page` only writes protocol-real.md of the rows.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import dspy

from summq.eval.data import Row, load_rows
from summq.eval.metrics.rouge import Rouge
from summq.eval.report.tables import table_of
from summq.eval.statistics import Estimate, compare, summarise
from summq.programs import SummQ
from summq.programs.baselines import Direct
from summq.programs.baselines.extracts import Lead
from summq.programs.runtime.session import session
from summq.programs.text.words import count_words
from summq.signatures import Document, QuestionCounts

ROWS = Path("docs/results/protocol-real.jsonl")
PAGE = ROWS.with_suffix(".md")
SPLITS = ("reports", "stories")
QUESTIONS = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
DIRECT, DRAFTED, SOLO = "direct", "SOLO, after its first iteration", "SOLO"
MEASURES = ("rouge1", "rouge2", "rougeL")
WANTED = 16  # documents, from which on a difference is judged


def main() -> None:
    """Run what is missing, as far as time allows, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backbone", default="local")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--documents", type=int, default=WANTED)
    parser.add_argument("--document-words", type=int, default=300)
    parser.add_argument("--words", type=int, default=80)
    parser.add_argument("--minutes", type=float, help="begin no document after so many minutes")
    parser.add_argument("--page", action="store_true", help="only write the page from the rows")
    given = parser.parse_args()
    ends = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    for row in [] if given.page else beginnings(given.data, given.documents, given.document_words):
        if time.monotonic() > ends:
            break
        run(row, given.backbone, given.words)
    PAGE.write_text(page(rows_there()), "utf-8")


def beginnings(data: Path, number: int, words: int) -> list[Row]:
    """The rows of the splits in turn, with documents of so many words."""
    splits = [list(load_rows(str(data / name), "test")) for name in SPLITS]
    rows = [row for row in chain.from_iterable(zip_longest(*splits)) if row is not None][:number]
    return [
        Row(row.id, Document(text=" ".join(row.document.text.split()[:words]), id=row.id), row.references)
        for row in rows
    ]


def run(row: Row, backbone: str, words: int) -> None:
    """Summarise one document by the systems that have not done so."""
    done = {(kept["id"], kept["system"]) for kept in rows_there()}
    systems: dict[str, dspy.Module] = {
        DIRECT: Direct(words),
        SOLO: SummQ.preset("solo", target_words=words, questions=QUESTIONS, max_iterations=2),
    }
    for name, program in systems.items():
        if (row.id, name) in done:
            continue
        started = time.monotonic()
        with session(backbone, cache_dir="", cache=False) as current:
            prediction = program(document=row.document)
        usage = current.meter.usage()
        result = prediction.get("result")
        texts = [step.summary for step in result.iterations] if result else [prediction.summary]
        keep(
            {
                "id": row.id,
                "system": name,
                "seconds": round(time.monotonic() - started),
                "calls": usage.calls,
                "input_tokens": usage.input_tokens,
                "cached_tokens": usage.cached_tokens,
                "output_tokens": usage.output_tokens,
                "wanted_words": words,
                "texts": texts,
                "scores": [scored(text, row, words) for text in texts],
                "exams": [step.exam.accuracy if step.exam else None for step in result.iterations] if result else [],
                "stop": result.stop_reason if result else None,
            }
        )


def keep(record: Mapping[str, Any]) -> None:
    """Append a row to the file."""
    with ROWS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def rows_there() -> list[dict[str, Any]]:
    """The rows so far."""
    return [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()] if ROWS.exists() else []


def scored(text: str, row: Row, words: int) -> dict[str, float]:
    """ROUGE of as many whole sentences as so many words hold, and the number of words of the whole text."""
    values = Rouge().score(Lead(words)(document=text).summary, row).values
    return {**{name: values[name] or 0.0 for name in MEASURES}, "words": float(count_words(text))}


def by_step(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """The scores by system or step, and document."""
    scores: dict[str, dict[str, dict[str, float]]] = {name: {} for name in (DIRECT, DRAFTED, SOLO)}
    for record in records:
        scores[record["system"]][record["id"]] = record["scores"][-1]
        if record["system"] == SOLO:
            scores[DRAFTED][record["id"]] = record["scores"][0]
    return scores


def page(records: Sequence[Mapping[str, Any]]) -> str:
    """The page: means, differences by document, what it took, and what is missing."""
    scores = by_step(records)
    lines = ["# Does the protocol help a small real model?", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    lines += ["Made by `python benchmarks/protocol_real.py --backbone local:MODEL.gguf`.", "", *_verdict(scores), ""]
    heads = ["", "n", *MEASURES, "words"]
    lines += [table_of(heads, [[name, str(len(by)), *_means(by)] for name, by in scores.items()]), ""]
    lines += [table_of(["difference", "measure", "n", "mean", "95 %"], list(_differences(scores))), "", *_use(records)]
    return "\n".join(lines) + "\n"


def _verdict(scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    n = len(scores[SOLO].keys() & scores[DIRECT].keys())
    few = f"{n} of the {WANTED} wanted documents have both summaries"
    lines = [f"**{few}: too few to answer the question.**" if n < WANTED else f"{few}."]
    return [
        *lines,
        "",
        "Not measured: BERTScore, faithfulness, a quiz that SOLO did not see, COMBO, and COMBO without quizzes.",
    ]


def _means(by_document: Mapping[str, Mapping[str, float]]) -> list[str]:
    return [_shown(summarise([values[name] for values in by_document.values()])) for name in (*MEASURES, "words")]


def _shown(estimate: Estimate) -> str:
    return "–" if estimate.mean is None else f"{estimate.mean:.3f}" if estimate.mean < 1 else f"{estimate.mean:.0f}"


def _differences(scores: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[list[str]]:
    for one, other in ((SOLO, DIRECT), (SOLO, DRAFTED), (DRAFTED, DIRECT)):
        both = sorted(scores[one].keys() & scores[other].keys())
        for name in MEASURES:
            test = compare([scores[one][i][name] for i in both], [scores[other][i][name] for i in both])
            bounds = "–" if test.low is None or test.high is None else f"[{test.low:+.3f}, {test.high:+.3f}]"
            mean = "–" if test.difference is None else f"{test.difference:+.3f}"
            yield [f"{one} minus {other}", name, str(len(both)), mean, bounds]


def _use(records: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = ("calls", "input_tokens", "cached_tokens", "output_tokens", "seconds")
    rows = []
    for name in (DIRECT, SOLO):
        mine = [record for record in records if record["system"] == name]
        rows.append([name, *(f"{sum(r[key] for r in mine) / len(mine):,.0f}" if mine else "–" for key in keys)])
    return [table_of(["a document", *(key.replace("_", " ") for key in keys)], rows)]


if __name__ == "__main__":
    main()
