"""Roles that write summaries: drafting, revising, aggregating, rewriting. Judged by ROUGE-1 + BERTScore."""

import random
from collections.abc import Iterator
from statistics import fmean

import dspy

from summq.eval.data import Row
from summq.eval.metrics.reference import compared, reference_score
from summq.optimizers.planted.summaries import damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.offline_material import draft_of
from summq.programs.text.reading import read
from summq.signatures import Issue

THIRDS = 3


def drafts(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Summarise the document at the usual length of its references."""
    yield _example(row, "document", "target_words")


def revisions(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Put back what was dropped from a reference, and put right what was changed in it."""
    text, issues = rng.choice(row.references), list[Issue]()
    for kind in ("dropped_sentence", "swapped_entity", "changed_number"):
        damaged = damage(text, kind, rng, most=2)
        if damaged is not None:
            text = damaged.text
            issues += [_issue(planted.before, planted.after) for planted in damaged.planted]
    if issues:
        inputs = ("document", "target_words", "previous", "feedback")
        yield _example(row, *inputs, previous=text, feedback=issues)


def aggregations(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Merge candidates each of which lacks another third of what a reference says."""
    sentences = [s.text for s in read(rng.choice(row.references)).sentences]
    if len(sentences) >= THIRDS:
        parts = [" ".join(s for k, s in enumerate(sentences) if k % THIRDS != part) for part in range(THIRDS)]
        yield _example(row, "document", "target_words", "candidates", candidates=rng.sample(parts, THIRDS))


def rewrites(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Cut a reference that was stretched with sentences of the document back to its length."""
    reference = rng.choice(row.references)
    stretched = f"{reference}\n\n{draft_of(row.document, max(10, len(reference.split()) // 2))}"
    yield _example(row, "summary", "target_words", summary=stretched)


def judge_summary(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """How like the references the summary is."""
    (summary,) = [value for name, value in reply.items() if name in ("summary", "rewritten")]
    likeness = reference_score()(summary, gold.references)
    words = f"{len(summary.split())} words of {gold.target_words} wanted."
    scores = f"{likeness} against a human summary."
    return Assessment(likeness.score, (words, scores, *compared(summary, gold.references)))


def usual_words(row: Row) -> int:
    """The mean length of a row's references, in words."""
    return max(10, round(fmean(len(reference.split()) for reference in row.references)))


def _example(row: Row, *inputs: str, **values: object) -> dspy.Example:
    common = {"document": row.document, "target_words": usual_words(row), "references": row.references}
    return dspy.Example(**{**common, **values}).with_inputs(*inputs)


def _issue(before: str, after: str) -> Issue:
    if not after:
        return Issue(kind="omission", target=before, explanation="This is missing.", fix=f"State it: {before}")
    return Issue(kind="factual_error", target=after, explanation="This is not what the document says.", fix=before)


SUMMARY_TASKS = (
    RoleTask("summary_generator.draft", drafts, judge_summary, by_references=True),
    RoleTask("summary_generator.revise", revisions, judge_summary, by_references=True),
    RoleTask("summary_aggregator", aggregations, judge_summary, by_references=True),
    RoleTask("rewriter", rewrites, judge_summary, by_references=True),
)

__all__ = ["SUMMARY_TASKS", "usual_words"]
