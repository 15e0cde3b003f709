"""The grader: agrees with pairs of key and answer of which it is known whether they say the same."""

import random
import re
from collections.abc import Iterator

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.summaries import damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.offline_material import quiz_on
from summq.signatures import Document, KeyedAnswer, Question, QuestionCounts

SHORT_ANSWERS = QuestionCounts(multiple_choice=0, true_false=0, short_answer=8)
NO_ANSWERS = ("I do not know", "It is discussed at length", "")


def keyed_pairs(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Each key once in other words and once beside a wrong answer."""
    questions = quiz_on(Document(text=rng.choice(row.references)), SHORT_ANSWERS).questions
    pairs = [(q, given, True) for q in questions for given in [_reworded(q.answer, rng)]]
    pairs += [(q, given, False) for q in questions for given in [_wrong(q, questions, rng)] if given != q.answer]
    rng.shuffle(pairs)
    if pairs:
        given = [
            KeyedAnswer(number=n, question=q.question, key=q.answer, given=said)
            for n, (q, said, _) in enumerate(pairs, 1)
        ]
        yield dspy.Example(given=given, right=[right for *_, right in pairs]).with_inputs("given")


def agreement(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of pairs graded as they are known to be; a pair left out is graded wrong."""
    marks = {grade.number: grade.correct for grade in reply.marks.grades}
    wrong = [
        f"Answer {item.given!r} to {item.question} with the key {item.key!r} is {'right' if right else 'wrong'}; "
        f"it was {'not graded' if marks.get(item.number) is None else 'graded otherwise'}."
        for item, right in zip(gold.given, gold.right, strict=True)
        if marks.get(item.number) is not right
    ]
    return Assessment(1 - len(wrong) / len(gold.right), tuple(wrong))


def _reworded(key: str, rng: random.Random) -> str:
    """The key as somebody else would write it."""
    forms = [f"It was {key}", f"{key}, as the text says", key.upper()]
    number = re.fullmatch(r"(\D*)(\d{1,3}(?:,\d{3})+)(.*)", key)
    if number:
        forms.append(key.replace(",", ""))
    date = re.fullmatch(r"([A-Z][a-z]+) (\d{1,2}), (\d{4})", key)
    if date:
        forms.append(f"{date.group(2)} {date.group(1)} {date.group(3)}")
    if key.endswith("%"):
        forms.append(f"{key[:-1].strip()} percent")
    return rng.choice(forms)


def _wrong(question: Question, questions: list[Question], rng: random.Random) -> str:
    """Another number where the key has one, else the key of another question, or no answer at all."""
    changed = damage(f"It was {question.answer}.", "changed_number", rng)
    if changed is not None:
        return changed.text
    others = [q.answer for q in questions if q.answer.lower() not in question.answer.lower()]
    return rng.choice([*others, *NO_ANSWERS])


GRADER_TASKS = (RoleTask("grader", keyed_pairs, agreement),)

__all__ = ["GRADER_TASKS"]
