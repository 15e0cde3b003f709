"""Does the protocol help a small real model? One prompt and SummQ at equal length, on papers held out from everything.

    pip install --no-deps aclsum==0.1.2
    python benchmarks/protocol_real.py --backbone local:MODEL.gguf --minutes 60 [--side-by-side 4]

Documents are the shortest papers (abstract, introduction, conclusion) of the test split of aclsum; the reference is its
three sentences on challenge, approach and outcome. SummQ asks one question of each kind to choose from and two open
ones, and has two iterations. Every text is scored by as many of its first sentences as the wanted length holds, so that
none gains by being longer; drafts, aggregates, votes and revisions are scored apart, so that it can be seen where
something is won or lost. The fresh quiz has open questions only, which the same model wrote from the document and no
system saw; its answers are scored as by `summq exam`, and it checks each sentence for faithfulness, so both say what
this model can see. A row for each document and system is appended to docs/results/protocol-real.jsonl at once, and what
is there is not run again; `--minutes` begins nothing new after so long; `--page` only writes protocol-real.md of the
rows.
"""

import argparse
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

import dspy
from rows import Rows

from summq.eval.data import Row
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.exam import examine
from summq.eval.metrics.faithfulness import Faithfulness
from summq.eval.metrics.rouge import Rouge
from summq.eval.report.tables import table_of
from summq.eval.statistics import Estimate, compare, summarise
from summq.programs.baselines.extracts import Lead
from summq.programs.errors import SummQError
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner
from summq.programs.runtime.session import session
from summq.programs.systems import build_system
from summq.programs.text.words import count_words
from summq.signatures import Document, QuestionCounts

ROWS = Rows(Path("docs/results/protocol-real.jsonl"))
PAGE = ROWS.path.with_suffix(".md")
WORDS = 70
MOST = 16  # documents
PATIENCE = 1800  # seconds for a reply: others are computed beside it
SUMMQ = {"questions": QuestionCounts(multiple_choice=1, true_false=1, short_answer=2), "max_iterations": 2}
SYSTEMS: dict[str, tuple[int, dict[str, Any]]] = {  # how many documents are wanted, and options
    "direct": (MOST, {}),
    "summq-solo": (MOST, SUMMQ),
    "summq-combo": (8, SUMMQ),
    "summq-no-quiz": (8, SUMMQ),
}
FRESH = QuestionCounts(multiple_choice=0, true_false=0, short_answer=8)
OVERLAP = ("rouge1", "rouge2", "rougeL", "bertscore_f1")
MEASURES = (*OVERLAP, "exam", "faithful")
PAIRS = (
    ("summq-solo", "direct"),
    ("summq-combo", "direct"),
    ("summq-no-quiz", "direct"),
    ("summq-combo", "summq-no-quiz"),
    ("summq-combo", "summq-solo"),
)
MENDED = """What the first replies showed, and what was changed before the rows above:

- Without a schema, revisions ended with the words that stand for a summary in the form of the reply. They are no longer
  read as a part of it; a llama.cpp server named `hosted_vllm/NAME@URL` decodes under schemas and is asked without them.
- Told that 70 words were wanted, the model sent four summaries of 99 to 122 words back with 96 to 123; told how many
  sentences to delete and how many to keep, two of them with 42 and 68. The latter is what a run says now, and of what
  was sent back and what came back the one nearer to the length stays. That was not enough: of the 11 summaries of SOLO
  above 2 are within a quarter of the length (of 16 of `direct`, which nobody sends back, 4). Asked which sentences
  matter most, the model names all in their order; asked to rewrite six of its summaries to 70 words, it wrote 26 to
  157. So code leaves the last sentences out of what stays too long, and a run says which: by that all 11 are within a
  quarter. On 16 too long texts of these runs that kept more of ROUGE-1 against the references (0.450) than leaving out
  the sentences that say least of the document for their length (0.412), or these but never the first (0.423); the whole
  texts have 0.379. The rows above are from before; all texts are scored by their first sentences anyway.
- The first two papers were judged: none of the open questions that the model wrote about them was sound (borne out by
  their evidence, not answered without a text), so there was no fresh quiz, and it called both human references
  unfaithful. Of this model neither measure says anything about summaries; a larger one has to judge.
- Since these rows answers to quizzes are written in a line each, and questions are tried with their evidence before
  they are with the document.
- A reviewer complained that the summary has no quiz; reviewers are told that it is to answer the quiz, not to mention
  it.

Other processes took most of the machine while this ran: seconds say nothing here, calls and tokens do."""
STEPS = ("drafts", "aggregate", "best", "chosen")

Record = Mapping[str, Any]


def main() -> None:
    """Run what is missing, as far as time allows, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backbone", default="local")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--side-by-side", type=int, default=1, help="how many documents at a time")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing new after so many minutes")
    parser.add_argument("--page", action="store_true", help="only write the page from the rows")
    given = parser.parse_args()
    if not given.page:
        ends = time.monotonic() + 60 * given.minutes
        names = given.systems.split(",")
        wanted = [(row, n) for place, row in enumerate(papers(MOST)) for n in names if place < SYSTEMS[n][0]]
        with ThreadPoolExecutor(given.side_by_side) as pool:
            list(pool.map(lambda row, name: run(row, name, given.backbone, ends), *zip(*wanted, strict=True)))
            list(pool.map(lambda row: judge(row, given.backbone, ends), papers(MOST)))
    PAGE.write_text(page(list(ROWS)), "utf-8")


def papers(number: int) -> list[Row]:
    """The shortest papers of aclsum's test split."""
    spec = find_spec("aclsum")
    if spec is None or spec.origin is None:
        raise SystemExit("the papers are in a package: pip install --no-deps aclsum==0.1.2")
    lines = (Path(spec.origin).parent / "dataset" / "test.jsonl").read_text("utf-8").splitlines()
    rows = [
        Row(
            paper["id"],
            Document.of("\n\n".join(untokenised(" ".join(part)) for part in paper["sentences"].values())),
            (" ".join(paper["summary"].values()),),
        )
        for paper in map(json.loads, lines)
    ]
    return sorted(rows, key=lambda row: count_words(row.document.text))[:number]


def untokenised(text: str) -> str:
    """Text without the spaces that part its punctuation."""
    return re.sub(r"([(\[]) ", r"\1", re.sub(r" ([.,;:!?)\]%]|'s\b|n't\b)", r"\1", text))


def run(row: Row, name: str, backbone: str, ends: float) -> None:
    """Let a system summarise a document, if it has not done so."""
    done = any((there["id"], there.get("system")) == (row.id, name) for there in ROWS)
    if done or time.monotonic() > ends:
        return
    started = time.monotonic()
    with session(backbone, cache_dir="", cache=False, deadline=PATIENCE) as current:
        prediction = build_system(name, WORDS, **SYSTEMS[name][1])(document=row.document)
    usage = current.meter.usage()
    result = prediction.get("result")
    ROWS.add(
        {
            "id": row.id,
            "system": name,
            "summary": prediction.summary,
            "seconds": round(time.monotonic() - started),
            "calls": usage.calls,
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
            "iterations": [steps(one.summary_generation) for one in result.iterations] if result else [],
            "exams": [one.exam.accuracy if one.exam else None for one in result.iterations] if result else [],
            "feedback": [[issue.explanation for issue in one.summary_feedback] for one in result.iterations]
            if result
            else [],
            "stop": result.stop_reason if result else None,
        }
    )


def steps(generation: Any) -> dict[str, Any]:
    """The texts of one run of Algorithm 2."""
    best = None if generation.best is None else generation.drafts[generation.best]
    return {
        "drafts": generation.drafts,
        "aggregate": generation.aggregate,
        "best": best,
        "chosen": generation.chosen,
        "decided_by": generation.decided_by,
    }


def judge(row: Row, backbone: str, ends: float) -> None:
    """Let the summaries of a document take a fresh quiz and be checked sentence by sentence, if any was not."""
    mine = {there["system"]: there for there in ROWS if there["id"] == row.id and "system" in there}
    judged = {name for there in ROWS if there["id"] == row.id for name in there.get("judged", ())}
    if not mine.keys() - judged or time.monotonic() > ends:
        return
    texts = {**{name: cut(there["summary"]) for name, there in mine.items()}, "reference": row.references[0]}
    with session(backbone, cache_dir="", cache=False, deadline=PATIENCE), dspy.context(document_key=row.document.key):
        try:
            quiz = Examiner(FRESH)(row.document).draw(FRESH).quiz
            exams = examine(Examinee(0, open_book=False), [quiz], list(texts.values()))
            scores = dict(zip(texts, (exam.score.mean for exam in exams), strict=True))
        except SummQError as error:
            quiz, scores = None, dict.fromkeys(texts)
            print(f"{row.id}: {error}")
        checker = Faithfulness()
        faithful = {name: checker.score(text, row).values["faithful"] for name, text in texts.items()}
    questions = [question.model_dump() for question in quiz.questions] if quiz else []
    ROWS.add({"id": row.id, "judged": sorted(texts), "questions": questions, "exam": scores, "faithful": faithful})


def cut(text: str) -> str:
    """As many of the first sentences as the wanted length holds."""
    return str(Lead(WORDS)(document=text).summary)


def overlap(text: str, row: Row, bertscore: BertScore) -> dict[str, float]:
    """ROUGE and BERTScore of the cut text."""
    values = {**Rouge().score(cut(text), row).values, **bertscore.score(cut(text), row).values}
    return {name: values[name] or 0.0 for name in OVERLAP} | {"words": float(count_words(text))}


Scores = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""By system, document and measure."""


def scores_of(records: Sequence[Record], rows: Mapping[str, Row], bertscore: BertScore) -> Scores:
    """All measures of what the systems returned."""
    scores: dict[str, dict[str, dict[str, float | None]]] = {name: {} for name in (*SYSTEMS, "reference")}
    for record in records:
        if "system" in record:
            row = rows[record["id"]]
            scores[record["system"]].setdefault(row.id, {}).update(overlap(record["summary"], row, bertscore))
        for name in record.get("judged", ()):
            values = {"exam": record["exam"][name], "faithful": record["faithful"][name]}
            scores[name].setdefault(record["id"], {}).update(values)
    return scores


def page(records: Sequence[Record]) -> str:
    """The page: means, differences by document, where something is won or lost, and what it took."""
    rows, bertscore = {row.id: row for row in papers(MOST)}, BertScore()
    scores = scores_of(records, rows, bertscore)
    lines = ["# Does the protocol help a small real model?", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    lines += ["Made by `python benchmarks/protocol_real.py --backbone local:MODEL.gguf`.", "", *_missing(scores), ""]
    heads = ["", "n", *MEASURES, "words"]
    lines += [table_of(heads, [[name, str(len(by)), *_means(by)] for name, by in scores.items()]), ""]
    lines += ["## Differences, document by document", ""]
    lines += [table_of(["difference", "measure", "n", "mean", "95 %", "p"], list(_differences(scores))), ""]
    lines += ["## Where it is won or lost", "", "ROUGE-1 of each step's text; `drafts` is the mean of all.", ""]
    lines += [table_of(["", "iteration", "n", *STEPS], list(_steps(records, rows))), ""]
    return "\n".join([*lines, "## What it took", "", *_use(records), "", "## What was mended", "", MENDED]) + "\n"


def _missing(scores: Scores) -> list[str]:
    short = [f"{name} {len(scores[name])} of {n}" for name, (n, _) in SYSTEMS.items() if len(scores[name]) < n]
    told = f"**Too few to answer the question; of the documents wanted were run: {', '.join(short)}.**"
    return [told] if short else ["All that was wanted was run."]


def _means(by_document: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    return [_shown(summarise([values.get(name) for values in by_document.values()])) for name in (*MEASURES, "words")]


def _shown(estimate: Estimate) -> str:
    return "–" if estimate.mean is None else f"{estimate.mean:.3f}" if estimate.mean <= 1 else f"{estimate.mean:.0f}"


def _differences(scores: Scores) -> Iterator[list[str]]:
    for one, other in PAIRS:
        both = sorted(scores[one].keys() & scores[other].keys())
        for name in MEASURES if both else ():
            test = compare([scores[one][i].get(name) for i in both], [scores[other][i].get(name) for i in both])
            bounds = "–" if test.low is None or test.high is None else f"[{test.low:+.3f}, {test.high:+.3f}]"
            mean = "–" if test.difference is None else f"{test.difference:+.3f}"
            p = "–" if test.p is None else f"{test.p:.3f}"
            yield [f"{one} minus {other}", name, str(test.n), mean, bounds, p]


def _steps(records: Sequence[Record], rows: Mapping[str, Row]) -> Iterator[list[str]]:
    for name in SYSTEMS:
        mine = [record for record in records if record.get("system") == name]
        for place in range(max((len(record["iterations"]) for record in mine), default=0)):
            there = [(record, record["iterations"][place]) for record in mine if len(record["iterations"]) > place]
            shown = []
            for step in STEPS:
                texts = [
                    (text, rows[record["id"]])
                    for record, made in there
                    for text in (made[step] if step == "drafts" else [made[step]])
                    if text
                ]
                values = [Rouge().score(cut(text), row).values["rouge1"] or 0.0 for text, row in texts]
                shown.append(f"{fmean(values):.3f}" if values else "–")
            yield [name, str(place + 1), str(len(there)), *shown]


def _use(records: Sequence[Record]) -> list[str]:
    keys = ("calls", "input_tokens", "cached_tokens", "output_tokens", "seconds")
    rows = []
    for name in SYSTEMS:
        mine = [record for record in records if record.get("system") == name]
        rows.append([name, *(f"{fmean(r[key] for r in mine):,.0f}" if mine else "–" for key in keys)])
    return [table_of(["a document", *(key.replace("_", " ") for key in keys)], rows)]


if __name__ == "__main__":
    main()
