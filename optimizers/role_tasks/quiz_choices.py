"""Roles that read quizzes (reviewers, voters, rankers, aggregators), on quizzes with planted bad questions."""

import random
from collections.abc import Iterator, Sequence
from statistics import median

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.quizzes import QUIZ_DAMAGES, BadQuestion, DamagedQuiz, QuizDamageKind, damage_quiz
from summq.optimizers.role_tasks.base import Assessment, RoleTask, score_issues
from summq.optimizers.role_tasks.debates import contested, judge_grouping, judge_stands, reported
from summq.optimizers.role_tasks.material import WANTED, quiz_on
from summq.programs.quiz_craft import QuizDraft, named_questions
from summq.signatures import Issue, Quiz, named_label

FEW, MANY = 3, 6
JUDGED: tuple[QuizDamageKind, ...] = ("wrong_answer", "unanswerable")
"""What sets better quizzes from worse ones: duplicates would be counted without reading."""
NONE = Quiz(questions=[])


def flawed_and_clean(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """A quiz with a few bad questions and without, for both of which a review is wanted."""
    damaged, summary = _damaged_quiz(row, other, rng, FEW), rng.choice(row.references)
    sound = quiz_on(row.document)
    variants = rng.sample([{"quiz": damaged.quiz}, {"quiz": sound}], 2)
    example = dspy.Example(
        document=row.document,
        summary=summary,
        variants=variants,
        flawed=variants.index({"quiz": damaged.quiz}),
        quiz=damaged.quiz,
        planted=damaged.planted,
    )
    if damaged.planted:
        yield example.with_inputs("document", "summary", "variants")


def contested_issues(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """True issues about bad questions, and as many false ones of the same kinds, with arguments."""
    damaged = _damaged_quiz(row, other, rng, FEW)
    bad = [question.number for question in damaged.planted]
    sound = [number for number in range(1, len(damaged.quiz.questions) + 1) if number not in bad]
    true = [_issue(question.kind, question.number) for question in damaged.planted]
    numbers = rng.sample(sound, min(len(true), len(sound)))
    decoys = [_issue(question.kind, number) for question, number in zip(damaged.planted, numbers, strict=False)]
    if decoys:
        yield contested(row.document, QuizDraft(damaged.quiz, "").text, true, decoys, rng)


def reports(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Issues of three reviewers: some of them the same in other words, some about the same question but another."""
    planted = _damaged_quiz(row, other, rng, FEW).planted
    same = [[_issue(bad.kind, bad.number), _issue(bad.kind, bad.number, again=True)] for bad in planted]
    alike = [[_issue("trivial", bad.number)] for bad in planted]
    if same:
        yield reported([*same, *alike], rng)


def pairs(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """A sound quiz beside a bad one, the better one first or second by chance."""
    quizzes = [_damaged_quiz(row, other, rng, errors, JUDGED).quiz for errors in (0, MANY)]
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


def rankings(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Quizzes with no, few and many bad questions, by labels in random order."""
    counts = dict(zip("ABC", rng.sample((0, FEW, MANY), 3), strict=True))
    candidates = {label: _damaged_quiz(row, other, rng, errors, JUDGED).quiz for label, errors in counts.items()}
    example = dspy.Example(document=row.document, wanted=WANTED, shared=NONE, candidates=candidates, bad=counts)
    yield example.with_inputs("document", "wanted", "shared", "candidates")


def selections(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """The questions of a sound quiz among bad ones."""
    damaged = _damaged_quiz(row, other, rng, MANY)
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
    replies = [[issue for issue in one.found.issues if issue] for one in reply.replies]
    return score_issues(
        replies[gold.flawed],
        gold.planted,
        lambda issue, bad: bad.number in named_questions([issue], gold.quiz),
        _describe,
        [issue for issue in replies[1 - gold.flawed] if issue.kind != "coverage_gap"],
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


def _damaged_quiz(
    row: Row, other: Row, rng: random.Random, errors: int, kinds: Sequence[QuizDamageKind] = QUIZ_DAMAGES
) -> DamagedQuiz:
    others = [] if other is row else quiz_on(other.document).questions
    return damage_quiz(quiz_on(row.document), others, rng, errors, kinds)


def _issue(kind: str, number: int, *, again: bool = False) -> Issue:
    """An issue about a question: true if that has the fault, false if not. `again`: as another reviewer puts it."""
    first, second = {
        "wrong_answer": (
            "The key is not what the document says.",
            "Somebody who knows the text would answer otherwise.",
        ),
        "unanswerable": ("The document does not tell.", "Nothing in the text settles this."),
        "duplicate": ("The same is asked twice.", "Another question wants the same answer."),
        "trivial": ("Anybody can answer this.", "It takes no reading."),
    }[kind]
    return Issue(kind=kind, target=str(number), explanation=second if again else first)


def _describe(bad: BadQuestion) -> str:
    return f"{bad.kind.replace('_', ' ')}: question {bad.number}, {bad.question.question} Key: {bad.question.answer}"


QUIZ_CHOICE_TASKS = (
    RoleTask("quiz_reviewer.review", flawed_and_clean, judge_review),
    RoleTask("quiz_reviewer.debate", contested_issues, judge_stands, combine=median),
    RoleTask("quiz_reviewer.verdict", contested_issues, judge_stands, combine=median),
    RoleTask("quiz_grouper", reports, judge_grouping),
    RoleTask("quiz_generator.vote", pairs, judge_vote, combine=median),
    RoleTask("quiz_ranker", rankings, judge_ranking),
    RoleTask("quiz_aggregator", selections, judge_selection),
)

__all__ = ["QUIZ_CHOICE_TASKS"]
