"""What examples are made of: drafts of the backbone that is compiled for, and sound quizzes of the offline reader."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import dspy

from summq.programs.generate import ANGLES
from summq.programs.quiz_craft import QUIZ, QuizBrief
from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.role import Role
from summq.programs.text.sentences import split_sentences
from summq.programs.text.stems import first_words
from summq.signatures import Document, DraftQuiz, DraftSummary, QuestionCounts, Quiz

WANTED = QuestionCounts(multiple_choice=4, true_false=4, short_answer=4)
DRAFTING = "summary_generator.draft"


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
        return QUIZ.first_draft(Role(DraftQuiz, "quiz_generator.draft"), QuizBrief(document, wanted))


def draft_of(document: Document, words: int, angle: int = 0) -> str:
    """An uncompiled draft of the backbone in force, from one of the generators' angles; offline where there is none.

    Equal drafts come from the response cache.
    """
    drafting = Role(DraftSummary, DRAFTING, angle, ANGLES[angle])
    if dspy.settings.lm is not None:
        with dspy.context(trace=None):
            return str(drafting(document=document, target_words=words).summary)
    with _offline_reader():
        return str(drafting(document=document, target_words=words).summary)


def lead_of(document: Document, words: int) -> str:
    """The beginning of the document."""
    return first_words(" ".join(split_sentences(document.text)), words)


__all__ = ["WANTED", "draft_of", "lead_of", "quiz_on"]
