"""Grading by comparison, without a call, wherever the words of an answer decide (DESIGN 5.3)."""

import re
from collections.abc import Sequence

from summq.programs.quotes import same_text
from summq.signatures import GradedAnswer, Question, option_named

ARTICLES = frozenset({"a", "an", "the"})
NOT_TOLD = re.compile(r"not (given |stated |mentioned |told |said )?in the (summary|document|text)")
# Numbers with sign and fraction, words, and signs that make a difference (5 % is not 5), but no punctuation.
TOKEN = re.compile(r"(?<!\w)[+-]?\d+(?:\.\d+)?|\w+|[^\w\s.,;:!?'\"“”‘’()\[\]–—-]")


def compared(number: int, question: Question, given: str | None, shown: Sequence[str]) -> GradedAnswer:
    """The answer graded; `correct` is None where comparison does not decide, or where there is no answer.

    Args:
        shown: The options in the order in which the examinee saw them.
    """
    record = GradedAnswer(number=number, kind=question.kind, question=question.question, given=given, correct=None)
    if given is None:
        return record
    option = option_named(given, tuple(shown))
    if option in shown:
        return record.model_copy(update={"correct": option == question.answer})
    if not_told(given):
        return record.model_copy(update={"correct": False, "not_in_summary": True})
    return record.model_copy(update={"correct": _agrees(question, given)})


def not_told(answer: str) -> bool:
    """Whether an examinee says that the text does not tell."""
    return NOT_TOLD.match(same_text(answer)) is not None


def normal(answer: str) -> str:
    """An answer without case, punctuation, articles and thousands separators, for comparison."""
    joined = re.sub(r"(?<=\d),(?=\d{3}\b)", "", answer.casefold())
    return " ".join(token for token in TOKEN.findall(joined) if token not in ARTICLES)


def _agrees(question: Question, given: str) -> bool | None:
    """Whether an answer is the key; None when it is no option, neither true nor false, or not literally the key."""
    said, key = normal(given), normal(question.answer)
    if question.kind == "multiple_choice":
        return said == key if [normal(option) for option in question.options].count(said) == 1 else None
    if question.kind == "true_false":
        word = said.partition(" ")[0]
        return word == key if word in ("true", "false") else None
    return True if said and said == key else None


__all__ = ["compared", "normal", "not_told"]
