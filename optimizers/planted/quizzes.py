"""Planted errors in quizzes: a wrong key, a question about another document, the same question twice."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from summq.signatures import Question, Quiz

QuizDamageKind = Literal["wrong_answer", "unanswerable", "duplicate"]
QUIZ_DAMAGES: tuple[QuizDamageKind, ...] = get_args(QuizDamageKind)


@dataclass(frozen=True)
class BadQuestion:
    """A question that was put into a quiz, under its number, and what is wrong with it."""

    number: int
    kind: QuizDamageKind
    question: Question


@dataclass(frozen=True)
class DamagedQuiz:
    """A quiz with bad questions, and which ones."""

    quiz: Quiz
    planted: tuple[BadQuestion, ...]


def damage_quiz(
    quiz: Quiz,
    strange: Sequence[Question],
    rng: random.Random,
    errors: int,
    kinds: Sequence[QuizDamageKind] = QUIZ_DAMAGES,
) -> DamagedQuiz:
    """The quiz with some of its questions replaced by bad ones.

    Args:
        strange: Questions about another document; without any, none of that kind is planted.
    """
    questions = list(quiz.questions)
    kinds = [kind for kind in kinds if strange or kind != "unanswerable"]
    places = rng.sample(range(len(questions)), min(errors, max(0, len(questions) - 1)))
    kept = [place for place in range(len(questions)) if place not in places]
    planted = []
    for n, place in enumerate(places):
        kind = kinds[n % len(kinds)]
        if kind == "wrong_answer":
            bad = _with_wrong_key(questions[place], quiz, rng)
        else:
            bad = rng.choice(strange) if kind == "unanswerable" else questions[rng.choice(kept)]
        questions[place] = bad
        planted.append(BadQuestion(place + 1, kind, bad))
    return DamagedQuiz(Quiz(questions=questions), tuple(planted))


def _with_wrong_key(question: Question, quiz: Quiz, rng: random.Random) -> Question:
    """The question with another option, the other truth value, or the answer of another question as its key."""
    if question.kind == "true_false":
        wrong = "false" if question.answer == "true" else "true"
    else:
        others = question.options or tuple(q.answer for q in quiz.questions if q.kind == question.kind)
        different = [other for other in others if other.lower() != question.answer.lower()]
        wrong = rng.choice(different) if different else f"not {question.answer}"
    return question.model_copy(update={"answer": wrong})


__all__ = ["BadQuestion", "DamagedQuiz", "damage_quiz"]
