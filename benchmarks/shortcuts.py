"""What shortcuts score on the tasks that roles learn on, beside the uncompiled role.

    python benchmarks/shortcuts.py --data ../shared/data/reports --backbone offline --out docs/results/shortcuts.md

A shortcut replies without reading the document: it says nothing, flags everything, keeps the first words, takes the
longer candidate. A task on which one scores more than the uncompiled role of a good model teaches the shortcut.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import dspy

from summq.eval.data import Row, load_rows
from summq.eval.statistics import Estimate, summarise
from summq.optimizers.compiling.guard import score_examples, source_of
from summq.optimizers.role_tasks import ROLE_TASKS
from summq.optimizers.role_tasks.base import RoleTask
from summq.optimizers.role_tasks.material import lead_of
from summq.programs import SummQ
from summq.programs.runtime.files import write_text
from summq.programs.settings import Settings
from summq.programs.text.sentences import split_sentences
from summq.programs.text.stems import content_stems, first_words
from summq.signatures import (
    NOT_IN_SUMMARY,
    Answer,
    Answers,
    Argument,
    Arguments,
    Grade,
    Grades,
    Issue,
    IssueGroups,
    IssueList,
    Quiz,
    Verdict,
    Verdicts,
)

Shortcut = Callable[[dspy.Example], dict[str, Any]]


def main() -> None:
    """Score the shortcuts and the uncompiled roles, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data/reports")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--backbone", default="offline")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path, default=Path("docs/results/shortcuts.md"))
    options = parser.parse_args()
    rows = load_rows(options.data, options.split, limit=options.limit).rows
    written = table(rows, Settings(backbone=options.backbone))
    head = (
        f"# Shortcuts beside uncompiled roles\n\n`python benchmarks/shortcuts.py --data {options.data} --split "
        f"{options.split} --backbone {options.backbone}`: {len(rows)} rows. Scores run from 0 to 1; `beaten` says that "
        "the role is above every shortcut.\n\n"
    )
    write_text(options.out, head + written)
    print(written)


def table(rows: Sequence[Row], settings: Settings) -> str:
    """A row for each role, and what each of its shortcuts scores."""
    lines = ["| role | uncompiled | shortcuts | beaten |", "| --- | --- | --- | --- |"]
    program = SummQ.preset("combo_r")
    with settings.session():
        for role, task in ROLE_TASKS.items():
            examples = task.examples(rows, 0)
            own = _own(task, program, examples)
            scores = {name: shortcut_score(task, shortcut, examples) for name, shortcut in SHORTCUTS[role].items()}
            shown = ", ".join(f"{name} {score:.2f}" for name, score in scores.items())
            beaten = "yes" if own.mean is not None and own.mean >= max(scores.values()) else "no"
            lines.append(f"| {role} | {own} | {shown} | {beaten} |")
    return "\n".join(lines) + "\n"


def _own(task: RoleTask, program: SummQ, examples: Sequence[dspy.Example]) -> Estimate:
    scores = score_examples(task.module(program), examples, task.metric)
    return summarise(scores, [source_of(example) for example in examples])


def shortcut_score(task: RoleTask, shortcut: Shortcut, examples: Sequence[dspy.Example]) -> float:
    """The mean score of a shortcut that answers in place of the role."""

    def reply(example: dspy.Example) -> dspy.Prediction:
        if "variants" not in example:
            return dspy.Prediction(**shortcut(example))
        variants = (example.copy(**variant) for variant in example.variants)
        return dspy.Prediction(replies=[dspy.Prediction(**shortcut(variant)) for variant in variants])

    return fmean(task.metric(example, dspy.Prediction(replies=[reply(example)])).score for example in examples)


def _words(example: dspy.Example, text: str) -> str:
    return first_words(text, example.target_words)


def _copied(example: dspy.Example, text: str) -> int:
    return sum(sentence in example.document.text for sentence in split_sentences(text))


def _once(texts: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(sentence for text in texts for sentence in split_sentences(text)))


def _pick(key: Callable[[dspy.Example, Any], float]) -> Shortcut:
    """The candidate that is first by a key."""

    def shortcut(example: dspy.Example) -> dict[str, Any]:
        if "candidates" in example:
            return {"best": min(example.candidates, key=lambda label: key(example, example.candidates[label]))}
        return {"better": min(("first", "second"), key=lambda name: key(example, example[name]))}

    return shortcut


def _same(items: Sequence[str]) -> int:
    return len(items) - len(set(items))


def _stands(uphold: Callable[[Any], bool], *, votes: bool) -> Shortcut:
    def shortcut(example: dspy.Example) -> dict[str, Any]:
        decided = [(issue.id, uphold(issue)) for issue in example.contested]
        if votes:
            return {"votes": Verdicts(verdicts=[Verdict(issue=name, uphold=stand) for name, stand in decided])}
        return {"debate": Arguments(arguments=[Argument(issue=name, uphold=stand) for name, stand in decided])}

    return shortcut


def _groups(key: Callable[[Any], Any]) -> Shortcut:
    def shortcut(example: dspy.Example) -> dict[str, Any]:
        groups: dict[Any, list[str]] = {}
        for issue in example.issues:
            groups.setdefault(key(issue), []).append(issue.id)
        return {"same": IssueGroups(groups=[group for group in groups.values() if len(group) > 1])}

    return shortcut


def _answers(answer: Callable[[Any], str]) -> Shortcut:
    return lambda example: {
        "sheet": Answers(answers=[Answer(number=n, answer=answer(q)) for n, q in enumerate(example.key, 1)])
    }


def _grades(correct: Callable[[Any], bool]) -> Shortcut:
    return lambda example: {
        "marks": Grades(grades=[Grade(number=item.number, correct=correct(item)) for item in example.given])
    }


def _issues(*issues: Issue) -> dict[str, Any]:
    return {"found": IssueList(issues=list(issues))}


def _flag_all(example: dspy.Example) -> dict[str, Any]:
    return _issues(*(Issue(kind="factual_error", target=s, explanation="?") for s in split_sentences(example.summary)))


def _flag_questions(example: dspy.Example) -> dict[str, Any]:
    numbers = range(1, len(example.quiz.questions) + 1)
    return _issues(*(Issue(kind="wrong_answer", target=str(n), explanation="?") for n in numbers))


def _held(key: str, given: str) -> bool:
    return key.lower() in given.lower()


def _first_questions(example: dspy.Example) -> dict[str, Any]:
    return {"chosen": list(example.candidates)[: example.wanted.total]}


SUMMARY_PICKS: dict[str, Shortcut] = {
    "the first": _pick(lambda example, text: 0),
    "the longest": _pick(lambda example, text: -len(text)),
    "the shortest": _pick(lambda example, text: len(text)),
    "what is least copied": _pick(lambda example, text: _copied(example, text)),
    "the most different words": _pick(lambda example, text: -len(set(content_stems(text)))),
}
QUIZ_PICKS: dict[str, Shortcut] = {
    "the first": _pick(lambda example, quiz: 0),
    "the fewest duplicates": _pick(lambda example, quiz: _same([q.question for q in quiz.questions])),
    "the fewest equal keys": _pick(lambda example, quiz: _same([q.answer for q in quiz.questions])),
}
REVIEWS: dict[str, Shortcut] = {"says nothing": lambda example: _issues(), "flags every sentence": _flag_all}
DEBATES: dict[str, Callable[[Any], bool]] = {
    "upholds all": lambda issue: True,
    "rejects all": lambda issue: False,
    "upholds all but factual errors": lambda issue: issue.kind not in ("factual_error", "wrong_answer"),
}
GROUPINGS: dict[str, Shortcut] = {
    "groups nothing": _groups(lambda issue: issue.id),
    "groups all": _groups(lambda issue: 0),
    "groups by kind": _groups(lambda issue: issue.kind),
    "groups by target": _groups(lambda issue: issue.target),
}
ANSWERS: dict[str, Shortcut] = {
    "never refuses": _answers(lambda question: question.answer),
    "always refuses": _answers(lambda question: NOT_IN_SUMMARY),
    "says true, and the first option": _answers(lambda q: q.options[0] if q.options else "true"),
}
GRADES: dict[str, Shortcut] = {
    "all right": _grades(lambda item: True),
    "all wrong": _grades(lambda item: False),
    "holds the key": _grades(lambda item: _held(item.key, item.given)),
}
SHORTCUTS: dict[str, dict[str, Shortcut]] = {
    "summary_generator.draft": {"the lead": lambda e: {"summary": lead_of(e.document, e.target_words)}},
    "summary_generator.revise": {
        "does nothing": lambda e: {"summary": e.previous},
        "adds the issues": lambda e: {
            "summary": " ".join([e.previous, *(f"{i.target} {i.explanation}" for i in e.feedback)])
        },
        "the lead": lambda e: {"summary": lead_of(e.document, e.target_words)},
    },
    "summary_aggregator": {
        "the first": lambda e: {"summary": e.candidates[0]},
        "every sentence once": lambda e: {"summary": _once(e.candidates)},
        "the lead": lambda e: {"summary": lead_of(e.document, e.target_words)},
    },
    "rewriter": {"cuts": lambda e: {"rewritten": _words(e, e.summary)}, "nothing": lambda e: {"rewritten": e.summary}},
    "summary_generator.vote": SUMMARY_PICKS,
    "summary_ranker": SUMMARY_PICKS,
    "summary_reviewer.review": REVIEWS,
    **{
        f"{stream}_reviewer.{duty}": {n: _stands(rule, votes=duty == "verdict") for n, rule in DEBATES.items()}
        for stream in ("summary", "quiz")
        for duty in ("debate", "verdict")
    },
    "summary_grouper": GROUPINGS,
    "quiz_grouper": GROUPINGS,
    "quiz_generator.draft": {"nothing": lambda e: {"quiz": Quiz(questions=[])}},
    "quiz_generator.revise": {
        "nothing": lambda e: {"quiz": Quiz(questions=[])},
        "the same again": lambda e: {"quiz": Quiz(questions=list(e.criticised.values()))},
    },
    "quiz_reviewer.review": {"says nothing": lambda e: _issues(), "flags every question": _flag_questions},
    "quiz_generator.vote": QUIZ_PICKS,
    "quiz_ranker": QUIZ_PICKS,
    "quiz_aggregator": {"the first ones": _first_questions, "all": lambda e: {"chosen": list(e.candidates)}},
    "examinee": ANSWERS,
    "examinee.open_book": ANSWERS,
    "grader": GRADES,
    "digester": {"the beginning": lambda e: {"notes": _words(e, e.passage)}},
}


if __name__ == "__main__":
    main()
