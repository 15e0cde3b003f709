"""Compile the drafting role for a real language model that runs here, and measure it on held-out documents.

    python benchmarks/compile_local.py --data ../shared/data --out runs/compile-local

The model is SmolLM2-135M (backbone `local`); it also writes the instructions, since no other model is at hand.
Documents are the beginnings of stories and reports, cut to what it reads in reasonable time on two cores; references
are those of the whole documents, so only differences say anything. Optimizers learn from train and are judged on dev;
test is looked at once, at the end. Takes an hour where nothing else runs; run again, it continues.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from summq.eval.data import Row, load_rows
from summq.eval.metrics import Metric
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.rouge import Rouge
from summq.eval.statistics import compare, summarise
from summq.optimizers.compiling.campaign import Campaign
from summq.optimizers.compiling.inputs import CompileConfig, CompileData
from summq.optimizers.role_tasks import ROLE_TASKS
from summq.programs import SummQ, SummQConfig
from summq.programs.artifact import read_manifest
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import collect_replies
from summq.programs.settings import Settings
from summq.programs.text.quotes import same_text
from summq.programs.text.sentences import split_sentences
from summq.signatures import Document

ROLE = "summary_generator.draft"
BACKBONE = "local"
DOCUMENT_WORDS = 1500
REPLY_TOKENS = 256
TRAIN = {"stories": 12, "reports": 6}
HELD_OUT = {"stories": 18, "reports": 6}
TEST = {"stories": 25, "reports": 7}
COLUMNS = ("rouge1", "rouge2", "rougeL", "bertscore_f1")


@dataclass(frozen=True)
class Drafts:
    """What a program drafted of the held-out documents, None where no whole reply was to be had, and its scores."""

    texts: Sequence[str | None]
    scores: dict[str, list[float | None]]


def main() -> None:
    """Compile on the training rows and print the scores before and after."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with stories/ and reports/")
    parser.add_argument("--out", type=Path, default=Path("runs/compile-local"))
    parser.add_argument("--optimizers", default="bootstrap-random,gepa")
    parser.add_argument("--metric-calls", type=int, default=72)
    options = parser.parse_args()
    rows = CompileData("stories and reports", cut(options.data, "train", TRAIN), cut(options.data, "dev", HELD_OUT))
    test = cut(options.data, "test", TEST)
    settings = Settings(
        config=SummQConfig(max_iterations=1), backbone=BACKBONE, options={"max_tokens": REPLY_TOKENS}, concurrency=1
    )
    names = options.optimizers.split(",")
    for name in names:
        config = CompileConfig(name, options.metric_calls, threads=1)
        Campaign(settings, [BACKBONE], None, [ROLE], rows, config, options.out / name, report=print).run()
    programs = {"before": settings.summq(), **{name: with_prompts_of(options.out / name) for name in names}}
    for split, held_out in {"dev": rows.held_out, "test": test}.items():
        results = {name: drafted(settings, program, held_out) for name, program in programs.items()}
        (options.out / f"drafts-{split}.json").write_text(
            json.dumps({name: drafts.texts for name, drafts in results.items()}, indent=1)
        )
        print(f"\n## {split}\n\n{table(results, held_out, options.out)}", flush=True)


def cut(data: Path, split: str, numbers: dict[str, int]) -> list[Row]:
    """Rows of each kind, their documents cut after so many words at the end of a sentence."""
    loaded = [row for kind, number in numbers.items() for row in load_rows(str(data / kind), split, limit=number)]
    return [replace(row, document=beginning(row.document)) for row in loaded]


def beginning(document: Document) -> Document:
    """The first sentences of a document, up to `DOCUMENT_WORDS` words."""
    kept: list[str] = []
    for sentence in split_sentences(document.text):
        if kept and len(" ".join([*kept, sentence]).split()) > DOCUMENT_WORDS:
            break
        kept.append(sentence)
    return document.model_copy(update={"text": " ".join(kept)})


def with_prompts_of(folder: Path) -> SummQ:
    """The program with what the optimizer found, whether it was installed or not."""
    program = SummQ(read_manifest(folder).config)
    state = json.loads((folder / "roles" / f"{ROLE}.json").read_text())["state"]
    for name, predictor in program.named_predictors():
        if name in state:
            predictor.load_state(state[name])
    return program


def drafted(settings: Settings, program: SummQ, rows: Sequence[Row]) -> Drafts:
    """Drafts of all rows and their scores."""
    task = ROLE_TASKS[ROLE]
    metrics: list[Metric] = [Rouge(types=COLUMNS[:3]), BertScore()]
    with settings.session():
        module = task.module(program)
        runs = parallel_outcomes(lambda e: module(**e.inputs()).replies[0].summary, task.examples(rows, 0))
        replies = collect_replies(ROLE, runs)
    texts = [replies.by_agent.get(place) for place in range(len(rows))]
    values = [scored(metrics, text, row) for text, row in zip(texts, rows, strict=True)]
    return Drafts(texts, {column: [value.get(column) for value in values] for column in COLUMNS})


def scored(metrics: Sequence[Metric], text: str | None, row: Row) -> dict[str, float | None]:
    """The columns of all metrics; none for a draft that is missing."""
    if text is None:
        return {}
    return {column: value for metric in metrics for column, value in metric.score(text, row).values.items()}


def table(results: dict[str, Drafts], rows: Sequence[Row], out: Path) -> str:
    """Means before and after with paired intervals, and what the drafts look like."""
    lines = [
        "| prompts | column | mean | difference to before [95 %] | p | n |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    sources = [row.id for row in rows]
    for name, drafts in results.items():
        for column in COLUMNS:
            mean = summarise(drafts.scores[column], sources).mean
            found = compare(drafts.scores[column], results["before"].scores[column], sources)
            shown = "" if name == "before" else f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"
            p = "" if name == "before" else f"{found.p:.4f}"
            lines.append(f"| {name} | {column} | {mean:.4f} | {shown} | {p} | {found.n} |")
    looks = [f"- {name}: {look(drafts, demos_of(out / name))}" for name, drafts in results.items()]
    return "\n".join([*lines, "", *looks])


def look(drafts: Drafts, demos: Sequence[str]) -> str:
    """Length, how many different drafts there are, and how many repeat a demo."""
    texts = [text for text in drafts.texts if text is not None]
    words = [len(text.split()) for text in texts]
    shown = [same_text(demo)[:120] for demo in demos]
    copies = sum(any(start in same_text(text) for start in shown) for text in texts)
    return (
        f"{len(texts)} drafts of {len(drafts.texts)} documents, {len(set(texts))} of them different, {copies} that "
        f"repeat the beginning of a demo; {sum(words) / len(words):.0f} words on average ({min(words)} to {max(words)})"
    )


def demos_of(folder: Path) -> list[str]:
    """The summaries in the demos that an optimizer chose."""
    path = folder / "roles" / f"{ROLE}.json"
    state = json.loads(path.read_text())["state"] if path.exists() else {}
    return [demo["summary"] for predictor in state.values() for demo in predictor["demos"]]


if __name__ == "__main__":
    main()
