"""Reviewers of summaries: finding planted errors without flagging a clean reference."""

import random
from collections.abc import Iterator

import dspy
from rapidfuzz import fuzz

from summq.eval.data import Row
from summq.eval.metrics.reference import share_said
from summq.optimizers.planted.summaries import PLANTABLE, Planted, damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask, judged
from summq.signatures import Issue

ERRORS = 3
ALIKE = 85  # percent
MENTIONED = 0.5  # of the words of a dropped sentence


def flawed_and_clean(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """A reference with a few planted errors, and one without."""
    text, planted = plant(rng.choice(row.references), rng)
    if planted:
        yield _example(row, text, planted)
    yield _example(row, rng.choice(row.references), ())


def plant(text: str, rng: random.Random) -> tuple[str, tuple[Planted, ...]]:
    """A text with one error of each of a few kinds, no two in one sentence."""
    planted: list[Planted] = []
    for kind in rng.sample(PLANTABLE, len(PLANTABLE)):
        damaged = damage(text, kind, rng, most=1)
        if damaged is None or any(error.after not in damaged.text for error in planted):
            continue
        text, planted = damaged.text, [*planted, *damaged.planted]
        if len(planted) == ERRORS:
            break
    return text, tuple(planted)


def finding(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """How well the issues find the planted errors."""
    return judged([issue for issue in reply.found.issues if issue], gold.planted, _about, _told)


def _about(issue: Issue, error: Planted) -> bool:
    """Whether an issue quotes the sentence with the error, or says what was dropped."""
    if not error.after:
        return share_said(f"{issue.target} {issue.explanation} {issue.evidence} {issue.fix}", error.before) >= MENTIONED
    if len(issue.target.split()) < 2:
        return issue.target != "" and issue.target in error.after
    return fuzz.partial_ratio(issue.target, error.after) >= ALIKE


def _told(error: Planted) -> str:
    outcome = f"became {error.after!r}" if error.after else "was left out"
    return f"{error.kind.replace('_', ' ')}: {error.before!r} {outcome}."


def _example(row: Row, summary: str, planted: tuple[Planted, ...]) -> dspy.Example:
    example = dspy.Example(document=row.document, summary=summary, questions=[], planted=planted)
    return example.with_inputs("document", "summary", "questions")


REVIEW_TASKS = (RoleTask("summary_reviewer.review", flawed_and_clean, finding),)

__all__ = ["REVIEW_TASKS", "plant"]
