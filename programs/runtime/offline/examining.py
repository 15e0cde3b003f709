"""Taking a quiz with nothing but one text at hand, and grading short answers."""

import re
from typing import Any

from summq.programs.runtime.offline.task import Task
from summq.programs.text.reading import Hit, Reading, read
from summq.programs.text.statements import GAP, Quoted, agrees, filling
from summq.programs.text.stems import stems_of
from summq.signatures import NOT_IN_SUMMARY, NOT_KNOWN, Answer, Answers, Grade, Grades, KeyedAnswer, SheetItem

NOT_IN_DOCUMENT = "not in the document"
BEARS_ON = 0.6
PLAINLY_BEARS_ON = 0.75
_EXPECTED = (
    (re.compile(r"^who\b|\bwhose\b|\bwhich (?:person|company|country|agency|character)", re.IGNORECASE), ("name",)),
    (re.compile(r"^when\b|\b(?:what|which) (?:date|year|month|day)", re.IGNORECASE), ("date",)),
    (re.compile(r"\bhow (?:many|much|old|long|far)\b|\bpercent", re.IGNORECASE), ("money", "percent", "number")),
    (re.compile(r"^where\b|^what\b|^which\b", re.IGNORECASE), ("name", "quote")),
)


def take(task: Task) -> dict[str, Any]:
    """Answers from the summary alone."""
    return {"sheet": _take(task, read(task["summary"]), NOT_IN_SUMMARY)}


def take_open_book(task: Task) -> dict[str, Any]:
    """Answers from the document."""
    return {"sheet": _take(task, task.document, NOT_IN_DOCUMENT)}


def take_blind(task: Task) -> dict[str, Any]:
    """No answers: who knows nothing but rules knows nothing without a text."""
    return {"sheet": _take(task, read(""), NOT_KNOWN)}


def grade(task: Task) -> dict[str, Any]:
    """A given answer is right when it has the key's words, or the key has all of its."""
    marks = [
        Grade(number=item.number, correct=same_answer(item) != task.dice.errs(task.rates.grader, str(item.number)))
        for item in task["given"]
    ]
    return {"marks": Grades(grades=marks)}


def same_answer(item: KeyedAnswer) -> bool:
    """Whether the given answer says what the key says."""
    key, answer = stems_of(item.key), stems_of(item.given)
    if not key or not answer:
        return item.key.strip().lower() == item.given.strip().lower()
    return key <= answer or (answer <= key and 2 * len(answer) >= len(key))


def answer_from(text: Reading, item: SheetItem) -> str | None:
    """The answer that the text gives to a question; None when it does not tell."""
    quoted = Quoted.by(item.question)
    stems = stems_of(quoted.statement.replace(GAP, " "))
    for hit in text.look_up(stems):
        if hit.share < BEARS_ON:
            return None
        answer = _answer(hit, quoted, item, text)
        if answer is not None:
            return answer
    return None


def _take(task: Task, text: Reading, nowhere: str) -> Answers:
    answers = []
    for item in task["questions"]:
        answer = answer_from(text, item)
        if task.dice.errs(task.rates.examinee, str(item.number)):
            answer = _wrong(item, answer, nowhere)
        answers.append(Answer(number=item.number, answer=nowhere if answer is None else answer))
    return Answers(answers=answers)


def _wrong(item: SheetItem, answer: str | None, nowhere: str) -> str:
    choices = item.options or (["true", "false"] if item.kind == "true_false" else [nowhere])
    return next((choice for choice in choices if choice != answer), nowhere)


def _answer(hit: Hit, quoted: Quoted, item: SheetItem, text: Reading) -> str | None:
    sentence = hit.sentence
    if quoted.asks_speaker:
        return _option_for(sentence.speaker, item) if hit.share >= PLAINLY_BEARS_ON else None
    if GAP in quoted.statement:
        filler = filling(quoted.statement, sentence.text)
        return _option_for(filler, item) if filler else None
    if item.kind == "true_false":
        return _true_or_false(hit, quoted)
    if item.options:
        named = [option for option in item.options if stems_of(option) <= sentence.stems]
        return named[0] if len(named) == 1 else None
    return _fact(hit, item.question, text)


def _option_for(answer: str, item: SheetItem) -> str | None:
    """The answer itself, or the option that says the same."""
    if not answer or not item.options:
        return answer or None
    return next((option for option in item.options if _same_words(option, answer)), None)


def _same_words(first: str, second: str) -> bool:
    ours, theirs = stems_of(first), stems_of(second)
    return ours == theirs if ours or theirs else first.lower() == second.lower()


def _true_or_false(hit: Hit, quoted: Quoted) -> str | None:
    agreement = agrees(quoted.statement, hit.sentence.text)
    if agreement is None:
        return None
    if quoted.speaker and hit.sentence.speaker:
        agreement = agreement and quoted.speaker.lower() == hit.sentence.speaker.lower()
    return "true" if agreement else "false"


def _fact(hit: Hit, question: str, text: Reading) -> str | None:
    """A fact of the sentence of the kind that the question asks for and that it does not name itself."""
    kinds = next((kinds for pattern, kinds in _EXPECTED if pattern.search(question)), ())
    wording = question.lower()
    facts = text.facts[hit.sentence.index]
    return next((fact.text for kind in kinds for fact in facts if fact.kind == kind and fact.key not in wording), None)


__all__ = ["answer_from", "grade", "same_answer", "take", "take_blind", "take_open_book"]
