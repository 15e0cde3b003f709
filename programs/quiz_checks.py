"""What code can tell about a question before a call is spent on it."""

import re

from summq.programs.coverage import placed
from summq.programs.text.statements import negates
from summq.programs.text.words import count_words, words_of
from summq.signatures import Document, Question

FEWEST_WORDS = 3
SHORTEST_WORD = 4  # that tells what a text is about
_ENDS = re.compile(r"[.?!:…。？！؟;_]\W*$")
_ASKS = re.compile(r"[?？؟]\W*$")
_ASKING = frozenset({"what", "which", "when", "where", "whom", "whose", "does", "were", "have", "this", "that", "they"})
_ABOUT_THE_TEXT = re.compile(
    r"\bthis (?:document|text|passage|sentence|article)\b|\b(?:main|central) (?:topic|theme|subject|idea)\b",
    re.IGNORECASE,
)


def flaws(question: Question) -> list[str]:
    """Why a question is not used: what `Question.faults` tells, no sentence, or a wrong option that says the key."""
    faults = question.faults()
    wording = question.question
    if question.kind == "true_false" and _ASKS.search(wording):
        faults.append("a question in place of a statement")
    if question.kind == "true_false" and question.evidence and not _shared(wording, question.evidence):
        faults.append("a statement about something other than its evidence")
    if question.kind != "true_false" and wording and not _ENDS.search(wording):
        faults.append("a question that breaks off")
    if question.kind != "true_false" and not _names_something(wording):
        faults.append("a question that names nothing")
    if _ABOUT_THE_TEXT.search(wording):
        faults.append("a question about the text and not about what it tells")
    if count_words(wording) < FEWEST_WORDS or (question.evidence and count_words(question.evidence) < FEWEST_WORDS):
        faults.append("a question or a quotation that is no sentence")
    others = [option for option in question.options if option != question.answer]
    faults += [
        f"two options that say the same: {option}" for option in others if says_the_same(option, question.answer)
    ]
    return faults


def _names_something(question: str) -> bool:
    """Whether a question has a word of some length, or a figure, besides those with which people ask."""
    return bool(_telling(question) - _ASKING)


def _shared(statement: str, evidence: str) -> set[str]:
    """The words of some length that both have."""
    return _telling(statement) & _telling(evidence)


def _telling(text: str) -> set[str]:
    """The words that tell what a text is about: those of some length, figures, and those of other scripts."""
    words = set(words_of(text.lower()))
    return {word for word in words if len(word) >= SHORTEST_WORD or not word.isascii() or word.isdigit()}


def says_the_same(option: str, key: str) -> bool:
    """Whether an option has all words of the key, or the key all of its, and what one has more is no figure or denial.

    >>> says_the_same("SIMP Program", "SIMP"), says_the_same("did not rise", "did rise"), says_the_same("can't", "can")
    (True, False, False)
    """
    ours, theirs = set(words_of(option.lower())), set(words_of(key.lower()))
    smaller, larger = sorted((ours, theirs), key=len)
    more = larger - smaller
    if not smaller <= larger or not smaller or len(more) > len(smaller):
        return False
    denied = any(negates(word) for word in more) or "t" in more  # all that is left of n't here
    return not denied and not any(sign.isdigit() for word in more for sign in word)


def proven(questions: list[Question], document: Document) -> tuple[list[Question], list[Question]]:
    """The questions with their evidence in the document's own characters, and those whose evidence is not there."""
    here = [placed(question, document) for question in questions]
    return [question for question in here if question.section], [question for question in here if not question.section]


__all__ = ["flaws", "proven", "says_the_same"]
