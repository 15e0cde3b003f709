"""Roles that write summaries: drafting, revising, aggregating, rewriting; and notes. Judged by ROUGE-1 + BERTScore.

What they are given are drafts of the backbone, and what they write is judged within the wanted length: what exceeds it
is not read, so that nothing is gained by writing more.
"""

import random
from collections.abc import Iterator

import dspy

from summq.eval.data import Row
from summq.eval.metrics.reference import reference_score, share_said
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.material import draft_of, lead_of
from summq.programs.text.passages import passages
from summq.programs.text.sentences import split_sentences
from summq.programs.text.stems import content_stems, first_words
from summq.programs.text.tokens import estimate_tokens
from summq.programs.text.words import count_words
from summq.signatures import Issue

ISSUES = 4
CANDIDATES = 3
SAID = 0.5  # of the words of a sentence
PLACES = ("the beginning", "the first half", "the second half", "the end")


def drafts(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Summarise the document."""
    yield _example(row, words, "document", "target_words")


def revisions(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Work into a draft what it lacks of a human summary, and drop what no human summary says."""
    draft, reference = draft_of(row.document, words), rng.choice(row.references)
    missing = [
        Issue(kind="omission", target="the summary", explanation=f"What matters here is missing: {_gist(sentence)}")
        for sentence in _unsaid(reference, draft)
    ]
    idle = [
        Issue(kind="redundancy", target=sentence, explanation="This does not matter enough to be told.")
        for sentence in _unsaid(draft, " ".join(row.references))
    ]
    issues = rng.sample(missing, min(ISSUES, len(missing))) + rng.sample(idle, min(1, len(idle)))
    if issues:
        inputs = ("document", "target_words", "previous", "feedback")
        yield _example(row, words, *inputs, previous=draft, feedback=issues)


def aggregations(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Merge drafts from different angles."""
    texts = [draft_of(row.document, words, angle) for angle in range(CANDIDATES)]
    candidates = list(dict.fromkeys([*texts, lead_of(row.document, words)]))[:CANDIDATES]
    inputs = ("document", "target_words", "candidates")
    yield _example(row, words, *inputs, candidates=rng.sample(candidates, len(candidates)))


def rewrites(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Bring a draft that is twice as long as wanted to its length."""
    yield _example(row, words, "summary", "target_words", summary=draft_of(row.document, 2 * words))


def judge_summary(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """How like the references the summary is, as far as it keeps to the wanted length."""
    (summary,) = [value for name, value in reply.items() if name in ("summary", "rewritten")]
    read = first_words(summary, gold.target_words)
    likeness = reference_score()(read, gold.references)
    length = f"{count_words(summary)} words of {gold.target_words} wanted; what exceeds them is not read."
    scores = f"{likeness} against a human summary."
    return Assessment(likeness.score, (length, scores, *remarks(gold, read)))


def remarks(gold: dspy.Example, summary: str) -> Iterator[str]:
    """What the nearest human summary says and this one does not, by its place there; and how much is copied."""
    nearest = max(gold.references, key=lambda reference: share_said(summary, reference))
    sentences = split_sentences(nearest)
    for number, sentence in enumerate(sentences):
        if share_said(summary, sentence) < SAID:
            place = PLACES[number * len(PLACES) // len(sentences)]
            yield f"At {place}, a human summary says, and this one does not: {sentence}"
    for sentence in _unsaid(summary, " ".join(gold.references)):
        yield f"This summary says, and no human one does: {sentence}"
    if "document" in gold:
        copied = sum(sentence in gold.document.text for sentence in split_sentences(summary))
        yield f"{copied} of its {len(split_sentences(summary))} sentences are copied from the document."


def _unsaid(text: str, other: str) -> list[str]:
    """The sentences of a text that another does not say."""
    return [sentence for sentence in split_sentences(text) if share_said(other, sentence) < SAID]


def _example(row: Row, words: int, *inputs: str, **values: object) -> dspy.Example:
    common = {"document": row.document, "target_words": words, "references": row.references}
    return dspy.Example(**{**common, **values}).with_inputs(*inputs)


def _gist(sentence: str) -> str:
    """The first half of a sentence: enough to look up the rest, which is not given away."""
    words = sentence.split()
    return f"{' '.join(words[: max(3, len(words) // 2)])} ..."


SUMMARY_TASKS = (
    RoleTask("summary_generator.draft", drafts, judge_summary, by_references=True, combine=max),
    RoleTask("summary_generator.revise", revisions, judge_summary, by_references=True, combine=max),
    RoleTask("summary_aggregator", aggregations, judge_summary, by_references=True),
    RoleTask("rewriter", rewrites, judge_summary, by_references=True),
)


PASSAGES = 3
SHARE = 6  # notes are a sixth as long as their passage


def notes(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Take notes of one passage of the document, of which the references say something."""
    text = row.document.text
    parts = passages(text, estimate_tokens(text) // PASSAGES + 1)
    told = set(content_stems(" ".join(row.references)))
    place = rng.randrange(len(parts))
    wanted = sorted(told & set(content_stems(parts[place])))
    if wanted:
        example = dspy.Example(
            passage=parts[place],
            position=f"{place + 1} of {len(parts)}",
            target_words=max(20, len(parts[place].split()) // SHARE),
            wanted=wanted,
        )
        yield example.with_inputs("passage", "position", "target_words")


def judge_notes(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of what human summaries say of the passage that the notes hold, within the wanted length."""
    held = set(content_stems(first_words(reply.notes, gold.target_words)))
    missing = [stem for stem in gold.wanted if stem not in held]
    length = f"{count_words(reply.notes)} words of {gold.target_words} wanted; what exceeds them is not read."
    lacking = f"Human summaries speak of these, the notes do not: {', '.join(missing)}." if missing else "All is there."
    return Assessment(1 - len(missing) / len(gold.wanted), (length, lacking))


NOTE_TASKS = (RoleTask("digester", notes, judge_notes),)


__all__ = ["NOTE_TASKS", "SUMMARY_TASKS"]
