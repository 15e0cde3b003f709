"""The taker of notes on documents that are too long: keeping of a passage what matters for a summary."""

import random
from collections.abc import Iterator

import dspy

from summq.eval.data import Row
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.material import first_words
from summq.programs.text.passages import passages
from summq.programs.text.stems import content_stems
from summq.programs.text.tokens import estimate_tokens

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
    length = f"{len(reply.notes.split())} words of {gold.target_words} wanted; what exceeds them is not read."
    lacking = f"Human summaries speak of these, the notes do not: {', '.join(missing)}." if missing else "All is there."
    return Assessment(1 - len(missing) / len(gold.wanted), (length, lacking))


NOTE_TASKS = (RoleTask("digester", notes, judge_notes),)

__all__ = ["NOTE_TASKS"]
