"""Writing summaries: selections of the document's own sentences, in its order, of the wanted length."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

from summq.programs.runtime.offline.composing import (
    CEILING,
    Stretch,
    compose,
    pick,
    placed,
    stretch,
    whole,
)
from summq.programs.runtime.offline.task import Task
from summq.programs.text.facts import Fact
from summq.programs.text.reading import Reading, read
from summq.programs.text.statements import GAP, Quoted
from summq.programs.text.stems import Sentence
from summq.programs.text.words import count_words
from summq.signatures import Issue

CORE = 0.55  # of the words; the rest is open to what feedback asks for
FOUND = 0.5
PRECISE = 0.9
UNTOLD_WORDS = 250
WHOLE_WAY = 1_000_000
FAULTS = ("factual_error", "redundancy", "incoherence")


def draft(task: Task) -> dict[str, Any]:
    """The sentences that matter most to this writer."""
    return {"summary": summarize(task, task.document, task["target_words"])}


def draft_freely(task: Task) -> dict[str, Any]:
    """The same, as long as such summaries tend to be."""
    return {"summary": summarize(task, task.document, UNTOLD_WORDS)}


def revise(task: Task) -> dict[str, Any]:
    """The core of the previous summary, then what the feedback asks for, then the rest of it; what is faulted goes."""
    document, words = task.document, task["target_words"]
    previous = read(task["previous"])
    faulty = {index for issue in task["feedback"] if issue.kind in FAULTS for index in _targets(previous, issue)}
    remaining = [in_place(document, previous, s) for s in _by_worth(task, previous) if s.index not in faulty]
    core = _first_words(remaining, CORE * words)
    additions = sorted(_sentences_for(document, task["feedback"]), key=lambda sentence: -_worth(task, sentence))
    stretches = chain(
        core, (stretch(document, s) for s in additions), remaining[len(core) :], pick(document, task.scores, words)
    )
    return {"summary": _with_errors(task, fitted(document, stretches, words), previous)}


def _worth(task: Task, sentence: Sentence) -> float:
    """What a sentence that feedback asks for is worth for the words that it and those before it take."""
    words = sum(one.words for one in task.document.stretch(sentence) or [sentence])
    return task.scores[sentence.index] / math.sqrt(words)


def aggregate(task: Task) -> dict[str, Any]:
    """The best sentences of all candidates; what several of them have comes first."""
    worth: dict[frozenset[str], float] = defaultdict(float)
    stretches: dict[frozenset[str], Stretch] = {}
    for candidate in map(read, task["candidates"]):
        for sentence in candidate.sentences:
            hit = task.document.find(sentence.text)
            worth[sentence.stems] += task.scores[hit.sentence.index] if hit else 0.0
            stretches.setdefault(sentence.stems, _in_order(task, candidate, sentence))
    best = sorted(stretches, key=lambda stems: -worth[stems])
    return {"summary": compose((stretches[stems] for stems in best), task["target_words"])}


def in_place(document: Reading, summary: Reading, sentence: Sentence) -> Stretch:
    """A sentence of a summary with those that it leans on there, where the document says them."""
    return [placed(document, one) for one in summary.stretch(sentence) or [sentence]]


def _in_order(task: Task, candidate: Reading, sentence: Sentence) -> Stretch:
    """A sentence at its place in the document; without the document, at as much of the way as it stands in its text."""
    if task.sees_document:
        return in_place(task.document, candidate, sentence)
    pieces = stretch(candidate, sentence)
    return [replace(piece, place=WHOLE_WAY * piece.place // len(candidate.text)) for piece in pieces]


def rewrite(task: Task) -> dict[str, Any]:
    """The most important sentences of the summary itself."""
    return {"rewritten": summarize(task, read(task["summary"]), task["target_words"])}


def digest(task: Task) -> dict[str, Any]:
    """The most important sentences of the passage."""
    return {"notes": summarize(task, read(task["passage"]), task["target_words"])}


def summarize(task: Task, text: Reading, words: int) -> str:
    """The sentences of `text` that matter most to this writer; all of it when it is no longer than wanted."""
    return _with_errors(task, fitted(text, pick(text, task.view.scores(text), words), words))


def fitted(text: Reading, stretches: Iterable[Stretch], words: int) -> str:
    """A summary of the wanted length out of stretches by priority, or the whole text where that is short enough."""
    return whole(text) if text.words <= CEILING * words else compose(stretches, words)


def _sentences_for(document: Reading, issues: Iterable[Issue]) -> Iterator[Sentence]:
    """What the document says about each issue: its evidence, or what bears on the question or words that it names."""
    for issue in issues:
        statement = Quoted.by(issue.target).statement.replace(GAP, " ")
        searches = (issue.evidence, PRECISE), (statement, FOUND), (f"{issue.target} {issue.explanation} {issue.fix}", 0)
        hits = (hit for text, least in searches if (hit := document.find(text)) and hit.share >= least)
        hit = next(hits, None)
        if hit and issue.kind != "redundancy":
            yield hit.sentence


def _targets(previous: Reading, issue: Issue) -> list[int]:
    """The sentences of the summary that an issue is about."""
    hit = previous.find(issue.target)
    return [hit.sentence.index] if hit and hit.share >= FOUND else []


def _by_worth(task: Task, previous: Reading) -> list[Sentence]:
    """The sentences of the previous summary, those that matter most in the document first."""
    hits = [task.document.find(sentence.text) for sentence in previous.sentences]
    worth = [task.scores[hit.sentence.index] if hit else 0.0 for hit in hits]
    return sorted(previous.sentences, key=lambda sentence: -worth[sentence.index])


def _first_words(stretches: Sequence[Stretch], words: float) -> list[Stretch]:
    """As many of the first stretches as have no more than `words` words together."""
    counts = accumulate(count_words(pieces[-1].text) for pieces in stretches)
    return [pieces for pieces, count in zip(stretches, counts, strict=True) if count <= words]


def _with_errors(task: Task, summary: str, previous: Reading | None = None) -> str:
    """The summary, with a fact exchanged in a sentence wherever the dice say that this writer errs.

    What stood in the previous summary already is not written anew.
    """
    reading = read(summary)
    earlier = {" ".join(s.text.split()) for s in previous.sentences} if previous else set()
    for sentence, facts in reversed(list(zip(reading.sentences, reading.facts, strict=True))):
        if " ".join(sentence.text.split()) in earlier:
            continue
        if facts and task.dice.errs(task.rates.generator, sentence.text):
            fact: Fact = facts[0]
            others = [other for other in reading.facts_by_kind.get(fact.kind, []) if other.lower() != fact.key]
            start = sentence.start + fact.start
            summary = summary[:start] + (others[0] if others else "another") + summary[start + len(fact.text) :]
    return summary


__all__ = ["aggregate", "digest", "draft", "fitted", "in_place", "revise", "rewrite", "summarize"]
