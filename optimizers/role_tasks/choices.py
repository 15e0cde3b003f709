"""Voters and rankers: picking the candidate with the higher reference score, among drafts of the backbone."""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import median

import dspy

from summq.eval.data import Row
from summq.eval.metrics.reference import reference_remarks, reference_score
from summq.optimizers.planted.summaries import DamageKind, damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.material import draft_of, lead_of
from summq.programs.text.stems import content_stems
from summq.signatures import named_label

LEAST_GAP = 0.03
LONGER = 1.2
EACH = 2
"""How many pairs of a kind are taken: longer and richer, longer and poorer, ..."""
SPOILING: tuple[DamageKind, ...] = ("swapped_entity", "changed_number", "dropped_sentence")
Scores = dict[str, float]
"""Reference scores by summary."""


def pairs(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Pairs of candidates whose scores differ clearly, the better one first or second by chance."""
    scores = _candidates(row, other, rng, words)
    clear = [(a, b) for a, b in combinations(scores, 2) if abs(scores[a] - scores[b]) >= LEAST_GAP]
    ordered = [tuple(sorted(pair, key=scores.__getitem__, reverse=True)) for pair in clear]
    for pair in _balanced(ordered, rng) or rng.sample(ordered, min(1, len(ordered))):
        first, second = rng.sample(pair, 2)
        better = "first" if scores[first] > scores[second] else "second"
        example = _example(row, words, first=first, second=second, better=better, scores=scores)
        yield example.with_inputs("document", "target_words", "first", "second")


def rankings(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """All candidates by labels in random order."""
    scores = _candidates(row, other, rng, words)
    labelled = {chr(ord("A") + n): text for n, text in enumerate(rng.sample(list(scores), len(scores)))}
    if max(scores.values()) - min(scores.values()) >= LEAST_GAP:
        example = _example(row, words, candidates=labelled, scores=scores)
        yield example.with_inputs("document", "target_words", "candidates")


def judge_vote(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """1 for the better candidate, 0 for the other."""
    chosen, other = (gold.first, gold.second) if reply.better == "first" else (gold.second, gold.first)
    return _assess(gold, chosen, [chosen, other])


def judge_ranking(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """Where the chosen candidate's score lies between the worst (0) and the best (1); 0 where none is named."""
    label = named_label(reply.best, gold.candidates)
    if label is None:
        return Assessment(0.0, (f"{reply.best!r} does not name one candidate.",))
    return _assess(gold, gold.candidates[label], list(gold.candidates.values()))


def _assess(gold: dspy.Example, chosen: str, among: Sequence[str]) -> Assessment:
    scores = [gold.scores[text] for text in among]
    score = (gold.scores[chosen] - min(scores)) / (max(scores) - min(scores))
    reason = f"The chosen one scores {gold.scores[chosen]:.3f} against human summaries, the best one {max(scores):.3f}."
    return Assessment(score, (reason, *([] if score == 1 else reference_remarks(chosen, gold.references))))


def _candidates(row: Row, other: Row, rng: random.Random, words: int) -> Scores:
    """Drafts from several angles, whole and spoilt, and leads of two documents, with their reference scores.

    Drafts are written by the same hand and have about the same length. The lead of the other document is the longest,
    with more different words than any: who goes by looks takes it.
    """
    drafts = [draft_of(row.document, words, angle) for angle in range(3)]
    spoilt = [damage(rng.choice(drafts), kind, rng) for kind in SPOILING]
    leads = lead_of(row.document, words), lead_of(other.document, round(LONGER * words))
    texts = [*drafts, *leads, *(d.text for d in spoilt if d)]
    return {text: reference_score()(text, row.references).score for text in dict.fromkeys(texts) if text}


def _balanced(ordered: Sequence[tuple[str, ...]], rng: random.Random) -> list[tuple[str, ...]]:
    """Pairs, the better one first: as often as not it is the longer one, and the one with more different words."""
    kinds: dict[tuple[bool, ...], list[tuple[str, ...]]] = {}
    for better, worse in ordered:
        looks = tuple(look(better) > look(worse) for look in (len, _richness))
        kinds.setdefault(looks, []).append((better, worse))
    chosen = []
    for longer in (True, False):
        both = [kinds.get(looks, []) for looks in ((longer, True), (not longer, False))]
        chosen += [pair for kind in both for pair in rng.sample(kind, min(EACH, *map(len, both)))]
    return chosen


def _richness(text: str) -> int:
    """The number of different words that mean something."""
    return len(set(content_stems(text)))


def _example(row: Row, words: int, **values: object) -> dspy.Example:
    return dspy.Example(document=row.document, target_words=words, references=row.references, **values)


CHOICE_TASKS = (
    RoleTask("summary_generator.vote", pairs, judge_vote, by_references=True, combine=median),
    RoleTask("summary_ranker", rankings, judge_ranking, by_references=True),
)

__all__ = ["CHOICE_TASKS"]
