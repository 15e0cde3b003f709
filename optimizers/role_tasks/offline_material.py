"""Drafts and quizzes for examples, written by the offline reader, whatever backbone is compiled for."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import dspy

from summq.programs.quiz_craft import QUIZ, QuizBrief
from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.role import Role
from summq.signatures import Document, DraftQuiz, DraftSummary, QuestionCounts, Quiz

WANTED = QuestionCounts(multiple_choice=4, true_false=4, short_answer=4)


@contextmanager
def _offline_reader() -> Iterator[None]:
    """Run what is inside on the offline reader; its calls are not metered, limited or traced."""
    apart = dict.fromkeys(("role_lms", "meter", "budget", "gate", "trace"))
    with dspy.context(lm=connect("offline"), adapter=DocumentFirstAdapter(), **apart):
        yield


@lru_cache(maxsize=256)
def quiz_on(document: Document, wanted: QuestionCounts = WANTED) -> Quiz:
    """A sound quiz about a text."""
    with _offline_reader():
        return QUIZ.drafted(Role(DraftQuiz, "quiz_generator.draft"), QuizBrief(document, wanted))


def draft_of(document: Document, words: int) -> str:
    """A summary made of the document's own sentences."""
    with _offline_reader():
        drafted: str = Role(DraftSummary, "summary_generator.draft")(document=document, target_words=words).summary
    return drafted


__all__ = ["WANTED", "draft_of", "quiz_on"]
