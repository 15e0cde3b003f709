"""Writing summaries: selections of the document's own sentences, in its order, of the wanted length."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from summq.programs.runtime.offline.composing import CEILING, Piece, compose, pick, whole
from summq.programs.runtime.offline.facts import Fact
from summq.programs.runtime.offline.quizzing import windows
from summq.programs.runtime.offline.reading import Reading, read
from summq.programs.runtime.offline.statements import GAP, Quoted
from summq.programs.runtime.offline.task import Task
from summq.programs.runtime.offline.text import content_stems
from summq.signatures import Issue

FOUND = 0.5
PRECISE = 0.9
UNWANTED = ("factual_error", "redundancy", "incoherence")


def draft(task: Task) -> dict[str, Any]:
    """The sentences that matter most to this writer."""
    return {"summary": summarize(task, task.document, task["target_words"])}


def revise(task: Task) -> dict[str, Any]:
    """What the feedback asks for first, then what stood there before, then what else matters; faults go."""
    document, previous, issues = task.document, read(task["previous"]), task["feedback"]
    asked = [piece for issue in issues for piece in _asked(document, issue)]
    unwanted = {index for issue in issues if issue.kind in UNWANTED for index in _meant(previous, issue)}
    kept = [piece for piece in _by_worth(task, previous) if piece[0] not in unwanted]
    pieces = chain(asked, (piece for _, piece in kept), pick(document, task.scores, task["target_words"]))
    return {"summary": _spoilt(task, fitted(document, pieces, task["target_words"]))}


def aggregate(task: Task) -> dict[str, Any]:
    """The best sentences of all candidates; what several of them have comes first."""
    document, readings = task.document, [read(candidate) for candidate in task["candidates"]]
    found: dict[str, tuple[float, Piece]] = {}
    for reading in readings:
        for sentence in reading.sentences:
            hit = document.find(sentence.text)
            place, worth = (hit.sentence.start, task.scores[hit.sentence.index]) if hit else (0, 0.0)
            key = " ".join(sorted(sentence.stems))
            backing = found[key][0] if key in found else 0.0
            found[key] = (backing + worth, Piece(place, " ".join(sentence.text.split()), sentence.speaker))
    best = [piece for _, piece in sorted(found.values(), key=lambda entry: -entry[0])]
    return {"summary": compose(best, task["target_words"])}


def rewrite(task: Task) -> dict[str, Any]:
    """The most important sentences of the summary itself."""
    return {"rewritten": summarize(task, read(task["summary"]), task["target_words"])}


def digest(task: Task) -> dict[str, Any]:
    """The most important sentences of the passage."""
    return {"notes": summarize(task, read(task["passage"]), task["target_words"])}


def summarize(task: Task, text: Reading, words: int) -> str:
    """The sentences of `text` that matter most to this writer; all of it when it is no longer than wanted."""
    return _spoilt(task, fitted(text, pick(text, task.view.scores(text), words), words))


def fitted(text: Reading, pieces: Iterable[Piece], words: int) -> str:
    """A summary of the wanted length out of pieces by priority, or the whole text where that is short enough."""
    return whole(text) if text.words <= CEILING * words else compose(pieces, words)


def _asked(document: Reading, issue: Issue) -> Iterator[Piece]:
    """What the document says about an issue: its evidence, or what bears on the question or words it names."""
    if issue.kind == "redundancy":
        return
    statement = Quoted.by(issue.target).statement.replace(GAP, " ")
    hit = document.find(issue.evidence) if issue.evidence else None
    if hit is None or hit.share < PRECISE:
        hit = document.find(statement)
    if hit is None or hit.share < FOUND:
        hit = document.find(f"{issue.target} {issue.explanation} {issue.fix}")
    if hit is not None:
        yield _nearest_window(hit.sentence.start, hit.sentence.text, hit.sentence.speaker, statement)


def _nearest_window(place: int, text: str, speaker: str, statement: str) -> Piece:
    """The part of a long sentence that the statement is about."""
    wanted = set(content_stems(statement))
    best = max(windows(text), key=lambda window: len(wanted & set(content_stems(window[1]))), default=(0, text))
    start, clause = best
    whole_sentence = len(clause) >= len(text.rstrip(" .;:,"))
    shown = text if whole_sentence else f"{'…' if start else ''}{clause}{'' if text.endswith(clause) else '…'}"
    return Piece(place + start, " ".join(shown.split()), speaker)


def _meant(previous: Reading, issue: Issue) -> list[int]:
    """The sentences of the summary that an issue is about."""
    hit = previous.find(issue.target)
    return [hit.sentence.index] if hit and hit.share >= FOUND else []


def _by_worth(task: Task, previous: Reading) -> list[tuple[int, Piece]]:
    """The sentences of the previous summary, those that matter most first, at their places in the document."""
    found = []
    for sentence in previous.sentences:
        hit = task.document.find(sentence.text)
        place, worth = (hit.sentence.start, task.scores[hit.sentence.index]) if hit else (0, 0.0)
        piece = Piece(place, " ".join(sentence.text.split()), sentence.speaker)
        found.append((worth, sentence.index, piece))
    return [(index, piece) for _, index, piece in sorted(found, key=lambda entry: (-entry[0], entry[1]))]


def _spoilt(task: Task, summary: str) -> str:
    """The summary, with a fact exchanged in a sentence wherever the dice say that this writer errs."""
    reading = read(summary)
    for sentence, facts in reversed(list(zip(reading.sentences, reading.facts, strict=True))):
        if facts and task.dice.errs(task.rates.generator, sentence.text):
            fact: Fact = facts[0]
            others = [other for other in reading.facts_by_kind[fact.kind] if other.lower() != fact.key]
            start = sentence.start + fact.start
            summary = summary[:start] + (others[0] if others else "another") + summary[start + len(fact.text) :]
    return summary


__all__ = ["aggregate", "digest", "draft", "fitted", "revise", "rewrite", "summarize"]
