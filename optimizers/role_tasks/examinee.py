"""The examinee: answers what a text holds, and says "not in the summary" to what it doesn't."""

import random
from collections.abc import Iterator, Sequence

import dspy

from summq.eval.data import Row
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.offline_material import quiz_on
from summq.programs.examine import compared, normal, not_told
from summq.programs.text.quotes import same_text
from summq.signatures import NOT_IN_SUMMARY, Document, Question, Quiz


def questions_on_references(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """Questions about a reference, and as many about another document's, whose answers this one does not hold."""
    reference = rng.choice(row.references)
    answerable = quiz_on(Document(text=reference)).questions
    strange = _strange(reference, other)[: len(answerable)] if other is not row else []
    yield _sheet(answerable, strange, rng, "summary", summary=reference)


def questions_on_documents(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """The same with the document at hand."""
    answerable = quiz_on(row.document).questions
    strange = _strange(row.document.text, other)[: len(answerable)] if other is not row else []
    yield _sheet(answerable, strange, rng, "document", document=row.document)


def answers(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The mean of two shares: right answers where there is one, and refusals where there is none."""
    given = {answer.number: answer.answer for answer in reply.sheet.answers}
    marks: dict[bool, list[bool]] = {True: [], False: []}
    reasons = []
    for number, (question, answerable) in enumerate(zip(gold.key, gold.answerable, strict=True), 1):
        said = given.get(number, "")
        right = _right(number, question, said) if answerable else not_told(said)
        marks[answerable].append(right)
        if not right:
            wanted = f"{question.answer} ({question.evidence})" if answerable else NOT_IN_SUMMARY
            reasons.append(f"Question {number}, {question.question} The answer is: {wanted}; given: {said or 'none'}")
    shares = [sum(rights) / len(rights) for rights in marks.values() if rights]
    return Assessment(sum(shares) / len(shares), tuple(reasons))


def _right(number: int, question: Question, said: str) -> bool:
    """Right by comparison; a short answer also when it holds the key among other words."""
    correct = compared(number, question, said or None, question.options).correct
    if correct is None and question.kind == "short_answer":
        return f" {normal(question.answer)} " in f" {normal(said)} "
    return bool(correct)


def _strange(text: str, other: Row) -> list[Question]:
    """Questions about another document whose answers this text does not hold."""
    known = f" {same_text(text)} "
    asked = quiz_on(Document(text=other.references[0])).questions
    return [q for q in asked if q.kind == "true_false" or f" {same_text(q.answer)} " not in known]


def _sheet(
    answerable: Sequence[Question], strange: Sequence[Question], rng: random.Random, reading: str, **inputs: object
) -> dspy.Example:
    mixed = [(q, True) for q in answerable] + [(q, False) for q in strange]
    rng.shuffle(mixed)
    key = [q for q, _ in mixed]
    sheet = Quiz(questions=key).sheet()
    example = dspy.Example(**inputs, questions=sheet, key=key, answerable=[held for _, held in mixed])
    return example.with_inputs(reading, "questions")


EXAMINEE_TASKS = (
    RoleTask("examinee", questions_on_references, answers),
    RoleTask("examinee.open_book", questions_on_documents, answers),
)

__all__ = ["EXAMINEE_TASKS"]
