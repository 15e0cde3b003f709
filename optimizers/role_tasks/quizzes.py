"""Quiz writers: questions that are sound, evidenced, answerable, spread out, and tell a good summary from a bad one."""

import random
from collections.abc import Iterator
from statistics import fmean

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.summaries import damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.material import WANTED, quiz_on
from summq.programs.coverage import part_of, placed, quotas
from summq.programs.examine import Examinee
from summq.signatures import KINDS, PARTS, Issue, Question, Quiz


def drafts(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Write a quiz about the document, to be taken with a reference and with a damaged one."""
    yield _example(row, rng, present=[]).with_inputs("document", "wanted", "spread", "present")


def revisions(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Replace every question of a quiz, each of which is criticised as trivial."""
    criticised = dict(enumerate(quiz_on(row.document).questions, 1))
    feedback = [
        Issue(kind="trivial", target=str(n), explanation="This can be answered without having read anything.")
        for n in criticised
    ]
    replaced = {"stays": {}, "criticised": criticised, "dropped": {}, "feedback": feedback}
    example = _example(row, rng, present=[], **replaced)
    yield example.with_inputs("document", "wanted", "spread", "present", *replaced)


def judge_quiz(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The mean of five shares, each from 0 to 1 (best).

    They are valid, evidenced and answerable questions, parts of the document, and how well the quiz tells a good
    summary from a bad one. A valid question has no fault in form, is wanted, and is not asked already; the other
    shares are of valid ones.
    """
    written = [question.normalised() for question in reply.quiz.questions]
    sound = _usable(written, gold)
    if not sound:
        return Assessment(0.0, ("There is no sound question of a wanted kind.", *_faults(written)))
    quiz = Quiz(questions=[placed(question, gold.document) for question in sound])
    examinee = Examinee(blind=False)
    open_book = examinee.with_document(quiz, gold.document).exam
    good, bad = (examinee(quiz=quiz, summary=text).exam.accuracy or 0.0 for text in (gold.good, gold.bad))
    parts = {part_of(question) for question in quiz.questions} - {0}
    shares = {
        "questions that are wanted and sound in form": len(sound) / gold.wanted.total,
        "questions whose evidence is in the document": fmean(bool(q.section) for q in quiz.questions),
        "questions answered right with the document at hand": open_book.accuracy or 0.0,
        "parts of the document that are asked about": len(parts) / min(PARTS, gold.wanted.total),
        "telling a good summary from a damaged one": min(1.0, max(0.0, 0.5 + good - bad)),
    }
    failed = [f"Not answerable as its key says: {a.question}" for a in open_book.answers if a.correct is False]
    unproven = [f"Its evidence is not in the document: {q.question}" for q in quiz.questions if not q.section]
    lines = [f"{name}: {min(1.0, share):.2f}" for name, share in shares.items()]
    return Assessment(
        fmean(min(1.0, share) for share in shares.values()), (*lines, *_faults(written), *unproven, *failed)
    )


def _usable(written: list[Question], gold: dspy.Example) -> list[Question]:
    """The questions without fault, no more of a kind than wanted, none asked twice."""
    replaced = gold.get("criticised", {}).values()
    known, selection = {*gold.present, *(question.question for question in replaced)}, list[Question]()
    for question in written:
        wanted = gold.wanted.of(question.kind) if question.kind in KINDS else 0
        free = sum(q.kind == question.kind for q in selection) < wanted
        if free and not question.faults() and question.question not in known:
            known.add(question.question)
            selection.append(question)
    return selection


def _faults(written: list[Question]) -> list[str]:
    return [f"{'; '.join(question.faults())}: {question.question}" for question in written if question.faults()]


def _example(row: Row, rng: random.Random, **values: object) -> dspy.Example:
    good = rng.choice(row.references)
    return dspy.Example(
        document=row.document,
        wanted=WANTED,
        spread=quotas(row.document, (), WANTED.total),
        good=good,
        bad=_damage(good, rng),
        **values,
    )


def _damage(text: str, rng: random.Random) -> str:
    """A text with half its sentences and other names and numbers."""
    for kind in ("dropped_sentence", "swapped_entity", "changed_number"):
        damaged = damage(text, kind, rng)
        text = damaged.text if damaged else text
    return text


QUIZ_TASKS = (
    RoleTask("quiz_generator.draft", drafts, judge_quiz, combine=max),
    RoleTask("quiz_generator.revise", revisions, judge_quiz, combine=max),
)

__all__ = ["QUIZ_TASKS"]
