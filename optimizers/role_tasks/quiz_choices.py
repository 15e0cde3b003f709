"""Roles that read quizzes (reviewers, voters, rankers, aggregators), on quizzes with planted bad questions."""

import random
from collections.abc import Iterator

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.quizzes import BadQuestion, DamagedQuiz, damage_quiz
from summq.optimizers.role_tasks.base import Assessment, RoleTask, score_issues
from summq.optimizers.role_tasks.offline_material import WANTED, quiz_on
from summq.programs.quiz_craft import named_questions
from summq.signatures import Quiz, named_label

FEW, MANY = 3, 6
NONE = Quiz(questions=[])


def flawed_and_clean(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """A quiz with a few bad questions, and one without."""
    for errors in (FEW, 0):
        damaged = _damaged(row, other, rng, errors)
        example = dspy.Example(
            document=row.document, quiz=damaged.quiz, summary=rng.choice(row.references), planted=damaged.planted
        )
        yield example.with_inputs("document", "quiz", "summary")


def pairs(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """A sound quiz beside a bad one, the better one first or second by chance."""
    quizzes = [_damaged(row, other, rng, errors).quiz for errors in (0, MANY)]
    better = rng.randrange(2)
    example = dspy.Example(
        document=row.document,
        wanted=WANTED,
        shared=NONE,
        first=quizzes[better],
        second=quizzes[1 - better],
        better=("first", "second")[better],
    )
    yield example.with_inputs("document", "wanted", "shared", "first", "second")


def rankings(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Quizzes with no, few and many bad questions, by labels in random order."""
    counts = dict(zip("ABC", rng.sample((0, FEW, MANY), 3), strict=True))
    candidates = {label: _damaged(row, other, rng, errors).quiz for label, errors in counts.items()}
    example = dspy.Example(document=row.document, wanted=WANTED, shared=NONE, candidates=candidates, bad=counts)
    yield example.with_inputs("document", "wanted", "shared", "candidates")


def selections(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """The questions of a sound quiz among bad ones."""
    damaged = _damaged(row, other, rng, MANY)
    questions = [(q, True) for q in quiz_on(row.document).questions] + [
        (bad.question, False) for bad in damaged.planted
    ]
    rng.shuffle(questions)
    labelled = {f"{'ABC'[n % 3]}{n // 3 + 1}": item for n, item in enumerate(questions)}
    example = dspy.Example(
        document=row.document,
        wanted=WANTED,
        shared=NONE,
        candidates={label: question for label, (question, _) in labelled.items()},
        sound={label for label, (_, sound) in labelled.items() if sound},
    )
    yield example.with_inputs("document", "wanted", "shared", "candidates")


def judge_review(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """How well the issues find the bad questions."""
    issues = [issue for issue in reply.found.issues if issue]
    return score_issues(
        issues, gold.planted, lambda issue, bad: bad.number in named_questions([issue], gold.quiz), _describe
    )


def judge_vote(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """1 for the sound quiz, 0 for the other."""
    reason = f"The {gold.better} exam is sound; the other has wrong keys, repeated questions or some on other matters."
    return Assessment(float(reply.better == gold.better), (reason,))


def judge_ranking(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """1 for the quiz without bad questions, 0 for the one with most or where none is named."""
    label = named_label(reply.best, gold.bad)
    counts = [f"{candidate} has {count} bad questions." for candidate, count in gold.bad.items()]
    bad = MANY if label is None else gold.bad[label]
    return Assessment(1 - bad / MANY, (f"{reply.best!r} was chosen.", *counts))


def judge_selection(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of the wanted questions that were chosen out of the sound ones, less the share of bad ones chosen."""
    chosen = {named for item in reply.chosen if (named := named_label(item, gold.candidates))}
    bad = [f"Should not have been chosen: {gold.candidates[label].question}" for label in sorted(chosen - gold.sound)]
    count = f"{len(chosen)} questions chosen of {gold.wanted.total} wanted."
    return Assessment(max(0.0, (len(chosen & gold.sound) - len(bad)) / len(gold.sound)), (count, *bad))


def _damaged(row: Row, other: Row, rng: random.Random, errors: int) -> DamagedQuiz:
    others = [] if other is row else quiz_on(other.document).questions
    return damage_quiz(quiz_on(row.document), others, rng, errors)


def _describe(bad: BadQuestion) -> str:
    return f"{bad.kind.replace('_', ' ')}: question {bad.number}, {bad.question.question} Key: {bad.question.answer}"


QUIZ_CHOICE_TASKS = (
    RoleTask("quiz_reviewer.review", flawed_and_clean, judge_review),
    RoleTask("quiz_generator.vote", pairs, judge_vote),
    RoleTask("quiz_ranker", rankings, judge_ranking),
    RoleTask("quiz_aggregator", selections, judge_selection),
)

__all__ = ["QUIZ_CHOICE_TASKS"]
