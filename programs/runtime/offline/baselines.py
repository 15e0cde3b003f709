"""The roles of the baseline systems, by the same rules as SummQ's own."""

from itertools import chain
from typing import Any

from summq.programs.runtime.offline.checking import check, coverage
from summq.programs.runtime.offline.composing import pick, stretch
from summq.programs.runtime.offline.drafting import fitted, in_place, summarize
from summq.programs.runtime.offline.task import Task
from summq.programs.text.reading import read
from summq.signatures import Critique, FalseStatement

SURE = 8
UNSURE = 3
MOST_ENTITIES = 3


def summarize_passage(task: Task) -> dict[str, Any]:
    """The sentences of the passage that matter most."""
    return {"summary": summarize(task, read(task["passage"]), task["target_words"])}


def merge(task: Task) -> dict[str, Any]:
    """The sentences of the summaries that matter most, taken together."""
    return {"summary": summarize(task, read("\n\n".join(task["passages"])), task["target_words"])}


def refine(task: Task) -> dict[str, Any]:
    """The sentences of the summary so far and of the new passage that matter most."""
    return {"summary": summarize(task, read(f"{task['previous']}\n\n{task['passage']}"), task["target_words"])}


def critique(task: Task) -> dict[str, Any]:
    """The sentences that the document does not bear out."""
    statements = []
    for sentence in read(task["summary"]).sentences:
        verdict = check(task.document, sentence)
        if (verdict.support != "supported") != task.dice.errs(task.rates.reviewer, sentence.text):
            reason = f"The document says: {verdict.quote}" if verdict.quote else "The document does not say so."
            statements.append(FalseStatement(statement=sentence.text, reason=reason))
    return {"critique": Critique(false_statements=statements)}


def correct(task: Task) -> dict[str, Any]:
    """The summary without its false statements; what the document says instead takes their place."""
    document, previous = task.document, read(task["previous"])
    false = [previous.find(item.statement) for item in task["critique"].false_statements]
    wrong = {hit.sentence.index for hit in false if hit}
    remaining = [
        in_place(document, previous, sentence) for sentence in previous.sentences if sentence.index not in wrong
    ]
    instead = [document.find(hit.sentence.text) for hit in false if hit]
    corrections = [stretch(document, hit.sentence) for hit in instead if hit]
    pieces = chain(remaining, corrections, pick(document, task.scores, task["target_words"]))
    return {"summary": fitted(document, pieces, task["target_words"])}


def choose(task: Task) -> dict[str, Any]:
    """The candidate that covers most of the passage, and how sure that is: very, when all are borne out."""
    passage = read(task["passage"])
    scores = task.view.scores(passage)
    worth = {label: coverage(passage, scores, text) for label, text in task["candidates"].items()}
    labels = sorted(worth, key=lambda label: -worth[label])
    wrong = task.dice.errs(task.rates.voter, "choice")
    best = labels[-1 if wrong else 0]
    sound = all(
        check(passage, sentence).support == "supported" for sentence in read(task["candidates"][best]).sentences
    )
    return {"best": best, "confidence": SURE if sound else UNSURE}


def improve(task: Task) -> dict[str, Any]:
    """The sentences of the candidates and of the passage that matter most, none said twice."""
    text = "\n\n".join([*task["candidates"].values(), task["passage"]])
    return {"summary": summarize(task, read(text), task["target_words"])}


def densify(task: Task) -> dict[str, Any]:
    """The previous summary with sentences for up to three names that it lacks."""
    document, previous = task.document, task["previous"]
    lacking = [name for name in document.facts_by_kind.get("name", []) if name.lower() not in previous.lower()]
    mentions = {name: sum(name in s.text for s in document.sentences) for name in lacking}
    missing = sorted(lacking, key=lambda name: -mentions[name])[:MOST_ENTITIES]
    best = [
        max((s for s in document.sentences if name in s.text), key=lambda s: task.scores[s.index], default=None)
        for name in missing
    ]
    new = [stretch(document, sentence) for sentence in best if sentence]
    before = read(previous)
    remaining = [in_place(document, before, sentence) for sentence in before.sentences]
    pieces = chain(new if previous else [], remaining, pick(document, task.scores, task["target_words"]))
    return {"missing_entities": missing, "summary": fitted(document, pieces, task["target_words"])}


__all__ = ["choose", "correct", "critique", "densify", "improve", "merge", "refine", "summarize_passage"]
