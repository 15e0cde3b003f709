"""What a real language model makes of each role's prompt, with replies that count as they come.

    python benchmarks/real_replies.py --backbone local:MODEL.gguf --data ../shared/data --calls 20 --version NAME

Each role is asked what it was asked in a run of the offline reader on the beginning of a report: the same prompts for
every model. Writers and reviewers are asked `--samples` times in a row about each document, with another seed, so that
all before their reply is computed once; who answers at temperature 0 is asked once. A row for each call says whether
the first reply could be used; for questions whether they are sound (no fault that code finds, key as the model itself
answers with the document, not without it, evidence word for word); for summaries whether they are within a quarter of
the wanted length, for drafts also after they were sent back once. Rows are appended to
docs/results/real-replies.jsonl at once, and what is there is not asked again; `--page` writes real-replies.md of them.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
from rows import Rows

from summq.eval.data import load_rows
from summq.programs import SummQ
from summq.programs.craft import length_issues
from summq.programs.examine import Examinee
from summq.programs.quiz_checks import flaws
from summq.programs.quiz_craft import asking_for
from summq.programs.runtime.role import STEADY, Role, UnusableReply
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import Meter
from summq.programs.text.quotes import find_quote
from summq.programs.text.words import count_words
from summq.signatures import KINDS, Document, Question, QuestionCounts

ROWS = Rows(Path("docs/results/real-replies.jsonl"))
PAGE = ROWS.path.with_suffix(".md")
DOCUMENT_WORDS = 300
TARGET_WORDS = 80
WANTED = 20  # calls of each role
QUESTIONS = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)
FIRST = (
    "quiz_generator.draft",
    "summary_generator.draft",
    "summary_generator.revise",
    "summary_reviewer.review",
    "quiz_reviewer.review",
    "quiz_generator.revise",
)


@dataclass(frozen=True)
class Prompt:
    """What one role is asked about one document; `key` is the same in every run."""

    key: str
    role: Role
    inputs: Mapping[str, Any]
    mends: Role | None = None  # who is sent what it writes, if that is off its length


def main() -> None:
    """Ask what is not asked yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backbone", default="local")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--calls", type=int, default=WANTED, help="for each role")
    parser.add_argument("--samples", type=int, default=5, help="calls in a row about one document")
    parser.add_argument("--roles", default="", help="only those whose names begin so, divided by commas")
    parser.add_argument("--version", default="after", help="what the rows are called, beside those of other versions")
    parser.add_argument("--page", action="store_true", help="only write the page from the rows")
    options = parser.parse_args()
    if not options.page:
        for place in range(-(-options.calls // options.samples)):
            ask_all(options, place)
    PAGE.write_text(page(list(ROWS)), "utf-8")


def ask_all(options: argparse.Namespace, place: int) -> None:
    """The calls of all roles about one document."""
    rows = list(load_rows(str(options.data / "reports" / "dev.jsonl")))
    text = " ".join(rows[place % len(rows)].document.text.split()[:DOCUMENT_WORDS])
    done = {(row["version"], row["key"]) for row in ROWS}
    with session(options.backbone, cache_dir="", cache=False) as current:
        for prompt in prompts(Document(text=text, id=f"report {place}")):
            if not prompt.role.role.startswith(tuple(options.roles.split(","))):
                continue
            steady = prompt.role.role.partition(".")[0] in STEADY
            for sample in range(1 if steady else options.samples):
                key = f"{prompt.key} #{sample}"
                if (options.version, key) not in done:
                    row = {"version": options.version, "key": key, "role": prompt.role.role}
                    ROWS.add(row | measured(prompt, sample, current.meter))


def measured(prompt: Prompt, sample: int, meter: Meter) -> dict[str, Any]:
    """What came of one call and what it took."""
    seen, started = len(meter.records), time.monotonic()
    row = answered(prompt, sample)
    calls = [record for record in meter.records[seen:] if record.role == prompt.role.role]
    row["first_used"] = row["used"] and len(calls) == 1
    row["seconds"] = round(time.monotonic() - started)
    return row | {"output_tokens": sum(record.output_tokens for record in calls)}


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
    reviser, _ = first["summary_generator.revise"]
    for name in sorted(first, key=lambda role: (FIRST.index(role) if role in FIRST else len(FIRST), role)):
        role, inputs = first[name]
        if "quiz" not in role.signature.output_fields:
            yield Prompt(f"{document.id} {name}", role, inputs, reviser if name == "summary_generator.draft" else None)
            continue
        for kind in KINDS:
            wanted = QuestionCounts(**{**dict.fromkeys(KINDS, 0), kind: 2})
            form = asking_for(wanted, role.signature)
            yield Prompt(f"{document.id} {name} {kind}", role, {**inputs, "wanted": wanted, "signature": form})


def answered(prompt: Prompt, sample: int) -> dict[str, Any]:
    """What came of one call, and how good it is."""
    inputs = {name: value for name, value in prompt.inputs.items() if name not in ("attempt", "lm", "config")}
    try:
        reply = prompt.role(**inputs, attempt=sample)
    except UnusableReply as error:
        return {"used": False, "error": str(error)}
    row: dict[str, Any] = {"used": True}
    if "quiz" in reply:
        questions = judged(reply.quiz.questions, inputs["document"])
        return row | {"used": any(not question["faults"] for question in questions), "questions": questions}
    if "summary" in reply or "rewritten" in reply:
        text = reply.get("summary") or reply.get("rewritten")
        row |= {"words": count_words(text), "wanted_words": inputs["target_words"], "text": text}
        if prompt.mends is not None:
            row |= sent_back(prompt.mends, inputs, text)
    else:
        row["reply"] = str(reply.toDict())[:2000]
    return row


def sent_back(reviser: Role, inputs: Mapping[str, Any], text: str) -> dict[str, Any]:
    """What becomes of a draft that is off its length, as it does in a run: sent back once with its count."""
    feedback = length_issues(text, inputs["target_words"])
    if not feedback:
        return {"mended_words": count_words(text)}
    try:
        mended = str(reviser(**inputs, previous=text, feedback=feedback).summary)
    except UnusableReply as error:
        return {"mended_words": count_words(text), "mending_error": str(error)}
    return {"mended_words": count_words(mended), "mended": mended}


def judged(questions: Sequence[Question], document: Document) -> list[dict[str, Any]]:
    """The questions with what speaks for and against them."""
    questions = [question.normalised() for question in questions]
    fit = [question for question in questions if not flaws(question)]
    examinee = Examinee()
    holds = examinee.verify(fit, [document]).holds if fit else {}
    known = examinee.without_text(fit).holds if fit else {}
    return [
        {
            **question.model_dump(exclude={"section"}),
            "faults": flaws(question),
            "verbatim": find_quote(question.evidence, document.text) is not None,
            "as_keyed": holds.get(question),
            "blind": known.get(question),
        }
        for question in questions
    ]


def sound(question: Mapping[str, Any]) -> bool:
    """Answered as keyed with the document, not without it, with evidence that is there and no faults of form."""
    return bool(not question["faults"] and question["verbatim"] and question["as_keyed"] and question["blind"] is False)


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The page: for each version and role how many replies could be used, then questions and lengths."""
    lines = ["# Replies of a small real model", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    lines += ["Made by `python benchmarks/real_replies.py`; a run that was stopped goes on where it was.", ""]
    lines += [
        f"Wanted are {WANTED} calls of each role: where a table has fewer, or lacks a role, its shares say little.",
        "",
    ]
    versions: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        versions[row["version"]].append(row)
    for version, mine in versions.items():
        questions = [question for row in mine for question in row.get("questions", ())]
        texts = [row for row in mine if "words" in row]
        near = sum(in_length(row["words"], row) for row in texts)
        drafts = [row for row in texts if "mended_words" in row]
        mended = sum(in_length(row["mended_words"], row) for row in drafts)
        lines += [f"## {version.capitalize()}", "", "| role | calls | used at once | used | seconds |"]
        lines += ["| --- | ---: | ---: | ---: | ---: |", *_by_role(mine), ""]
        lines += [
            f"Questions written: {len(questions)}; sound: {sum(map(sound, questions))}. {_unsound(questions)}",
            "",
        ]
        lines += [f"Summaries within a quarter of the wanted length: {near} of {len(texts)}.", ""]
        if drafts:
            lines += [f"First drafts within it after they were sent back once: {mended} of {len(drafts)}.", ""]
    return "\n".join(lines)


def _unsound(questions: Sequence[Mapping[str, Any]]) -> str:
    """Why the others are not, each counted by the first that applies."""
    reasons: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        "have a fault that code finds": lambda q: bool(q["faults"]),
        "quote what is not there": lambda q: not q["verbatim"],
        "fail with the document at hand": lambda q: not q["as_keyed"],
        "need no text to be answered": lambda q: q["blind"] is not False,
    }
    first = [next((why for why, holds in reasons.items() if holds(q)), None) for q in questions]
    counted = [f"{first.count(why)} {why}" for why in reasons if why in first]
    return f"Of the others {', '.join(counted)}." if counted else ""


def in_length(words: int, row: Mapping[str, Any]) -> bool:
    """Whether so many words are within a quarter of what a row's writer was asked for."""
    return bool(abs(words - row["wanted_words"]) <= row["wanted_words"] / 4)


def _by_role(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for role in [*sorted({row["role"] for row in rows}), "all"]:
        mine = [row for row in rows if role in (row["role"], "all")]
        at_once, used = (sum(bool(row[name]) for row in mine) for name in ("first_used", "used"))
        seconds = sum(row["seconds"] for row in mine) / len(mine)
        yield f"| {role} | {len(mine)} | {at_once} | {used} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
