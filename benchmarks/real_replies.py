"""What a real language model makes of each role's prompt, with replies that count as they come.

    python benchmarks/real_replies.py --backbone local:MODEL.gguf --data ../shared/data --calls 20

Each role is asked what it was asked in a run of the offline reader on the beginning of a report: the same prompts for
every model and version. A row for each call says whether the first reply could be used; for questions whether they are
sound (key as the model itself answers with the document, not without it, evidence word for word, four different
options); for summaries whether they are within a quarter of the wanted length. Rows are appended to
docs/results/real-replies.jsonl at once, and what is there is not asked again; `--page` writes real-replies.md of them.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy

from summq.eval.data import load_rows
from summq.programs import SummQ
from summq.programs.examine import Examinee
from summq.programs.quiz_craft import asking_for
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.runtime.session import session
from summq.programs.text.quotes import find_quote
from summq.programs.text.words import count_words
from summq.signatures import KINDS, Document, Question, QuestionCounts

ROWS = Path("docs/results/real-replies.jsonl")
PAGE = ROWS.with_suffix(".md")
DOCUMENT_WORDS = 350
TARGET_WORDS = 80
QUESTIONS = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
FIRST = ("quiz_generator.draft", "summary_generator.draft", "summary_generator.revise", "summary_reviewer.review")


@dataclass(frozen=True)
class Prompt:
    """What one role is asked about one document; `key` is the same in every run."""

    key: str
    role: Role
    inputs: Mapping[str, Any]


def main() -> None:
    """Ask what is not asked yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backbone", default="local")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--calls", type=int, default=20, help="for each role")
    parser.add_argument("--version", default="after", help="what the rows are called, beside those of other versions")
    parser.add_argument("--page", action="store_true", help="only write the page from the rows")
    options = parser.parse_args()
    if not options.page:
        for round_number in range(options.calls):
            ask_all(options, round_number)
    PAGE.write_text(page(rows_there()), "utf-8")


def ask_all(options: argparse.Namespace, place: int) -> None:
    """One call for each role, about one document."""
    rows = list(load_rows(str(options.data / "reports" / "dev.jsonl")))
    text = " ".join(rows[place % len(rows)].document.text.split()[:DOCUMENT_WORDS])
    done = {(row["version"], row["key"]) for row in rows_there()}
    with session(options.backbone, cache_dir="", cache=False) as current:
        for prompt in prompts(Document(text=text, id=f"report {place}")):
            if (options.version, prompt.key) not in done:
                seen, started = len(current.meter.records), time.monotonic()
                row = {"version": options.version, "key": prompt.key, "role": prompt.role.role, **answered(prompt)}
                calls = [r for r in current.meter.records[seen:] if r.role == prompt.role.role]
                row["first_used"] = row["used"] and len(calls) == 1
                row["seconds"] = round(time.monotonic() - started)
                row["output_tokens"] = sum(record.output_tokens for record in calls)
                with ROWS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


def prompts(document: Document) -> Iterator[Prompt]:
    """The first call of each role in a run of the offline reader, those that matter most first; questions by kind."""
    program = SummQ.preset("combo_r", target_words=TARGET_WORDS, questions=QUESTIONS, max_iterations=2)
    erring = "offline:generator=0.3,reviewer=0.3,examinee=0.3,seed=4"
    with session(erring, cache_dir="", concurrency=1), dspy.context(trace=[]):
        program(document=document)
        trace = list(dspy.settings.trace)
    first: dict[str, tuple[Role, Mapping[str, Any]]] = {}
    for predictor, inputs, _ in trace:
        first.setdefault(predictor.role, (predictor, inputs))
    for name in sorted(first, key=lambda role: (FIRST.index(role) if role in FIRST else len(FIRST), role)):
        role, inputs = first[name]
        if "quiz" not in role.signature.output_fields:
            yield Prompt(f"{document.id} {name}", role, inputs)
            continue
        for kind in KINDS:
            wanted = QuestionCounts(**{**dict.fromkeys(KINDS, 0), kind: 2})
            form = asking_for(wanted, role.signature)
            yield Prompt(f"{document.id} {name} {kind}", role, {**inputs, "wanted": wanted, "signature": form})


def answered(prompt: Prompt) -> dict[str, Any]:
    """What came of one call, and how good it is."""
    inputs = {name: value for name, value in prompt.inputs.items() if name not in ("attempt", "lm", "config")}
    try:
        reply = prompt.role(**inputs)
    except UnusableReply as error:
        return {"used": False, "error": str(error)}
    row: dict[str, Any] = {"used": True}
    if "quiz" in reply:
        row["questions"] = judged(reply.quiz.questions, inputs["document"])
    elif "summary" in reply or "rewritten" in reply:
        text = reply.get("summary") or reply.get("rewritten")
        row |= {"words": count_words(text), "wanted_words": inputs["target_words"], "text": text}
    else:
        row["reply"] = str(reply.toDict())[:2000]
    return row


def judged(questions: Sequence[Question], document: Document) -> list[dict[str, Any]]:
    """The questions with what speaks for and against them."""
    questions = [question.normalised() for question in questions]
    fit = [question for question in questions if not question.faults()]
    examinee = Examinee()
    holds = examinee.verify(fit, [document]).holds if fit else {}
    known = examinee.without_text(fit).holds if fit else {}
    return [
        {
            **question.model_dump(exclude={"section"}),
            "faults": question.faults(),
            "verbatim": find_quote(question.evidence, document.text) is not None,
            "as_keyed": holds.get(question),
            "blind": known.get(question),
        }
        for question in questions
    ]


def sound(question: Mapping[str, Any]) -> bool:
    """Answered as keyed with the document, not without it, with evidence that is there and no faults of form."""
    return bool(not question["faults"] and question["verbatim"] and question["as_keyed"] and question["blind"] is False)


def rows_there() -> list[dict[str, Any]]:
    """The rows so far."""
    return [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()] if ROWS.exists() else []


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The page: for each version and role how many replies could be used, then questions and lengths."""
    lines = ["# Replies of a small real model", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    lines += ["Made by `python benchmarks/real_replies.py`; a run that was stopped goes on where it was.", ""]
    versions: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        versions[row["version"]].append(row)
    for version, mine in versions.items():
        questions = [question for row in mine for question in row.get("questions", ())]
        texts = [row for row in mine if "words" in row]
        near = sum(abs(row["words"] - row["wanted_words"]) <= row["wanted_words"] / 4 for row in texts)
        lines += [f"## {version.capitalize()}", "", "| role | calls | used at once | used | seconds |"]
        lines += ["| --- | ---: | ---: | ---: | ---: |", *_by_role(mine), ""]
        lines += [f"Questions written: {len(questions)}; sound: {sum(map(sound, questions))}.", ""]
        lines += [f"Summaries within a quarter of the wanted length: {near} of {len(texts)}.", ""]
    return "\n".join(lines)


def _by_role(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for role in [*sorted({row["role"] for row in rows}), "all"]:
        mine = [row for row in rows if role in (row["role"], "all")]
        at_once, used = (sum(bool(row[name]) for row in mine) for name in ("first_used", "used"))
        seconds = sum(row["seconds"] for row in mine) / len(mine)
        yield f"| {role} | {len(mine)} | {at_once} | {used} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
