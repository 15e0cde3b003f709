"""Examinee and grader: answering only what a text holds, and grading answers of which it is known if they are right."""

import random
import re
from collections.abc import Iterator, Sequence

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.summaries import damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.material import quiz_on
from summq.programs.examine import grade_by_comparison, normal, not_told
from summq.programs.text.quotes import same_text
from summq.signatures import NOT_IN_SUMMARY, Document, KeyedAnswer, Question, QuestionCounts, Quiz

SHORT_ANSWERS = QuestionCounts(multiple_choice=0, true_false=0, short_answer=8)
DATES = (r"([A-Z][a-z]+) (\d{1,2}), (\d{4})", r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})")
NO_ANSWERS = ("I do not know", "It is discussed at length", "")


def questions_on_references(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Questions about a reference, and as many about another document's, whose answers this one does not hold."""
    reference = rng.choice(row.references)
    answerable = quiz_on(Document(text=reference)).questions
    unanswerable = _unanswerable(reference, other)[: len(answerable)] if other is not row else []
    yield _quiz_to_take(answerable, unanswerable, rng, "summary", summary=reference)


def questions_on_documents(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """The same with the document at hand."""
    answerable = quiz_on(row.document).questions
    unanswerable = _unanswerable(row.document.text, other)[: len(answerable)] if other is not row else []
    yield _quiz_to_take(answerable, unanswerable, rng, "document", document=row.document)


def keyed_pairs(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Each key once in other words and once beside a wrong answer."""
    questions = quiz_on(Document(text=rng.choice(row.references)), SHORT_ANSWERS).questions
    pairs = [(q, answer, True) for q in questions for answer in [_reworded(q.answer, rng)]]
    pairs += [(q, answer, False) for q in questions for answer in [_wrong(q, questions, rng)] if answer != q.answer]
    rng.shuffle(pairs)
    if pairs:
        answers = [
            KeyedAnswer(number=n, question=q.question, key=q.answer, given=answer)
            for n, (q, answer, _) in enumerate(pairs, 1)
        ]
        yield dspy.Example(given=answers, right=[right for *_, right in pairs]).with_inputs("given")


def judge_answers(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The mean of two shares: right answers where there is one, and refusals where there is none."""
    answers = {answer.number: answer.answer for answer in reply.sheet.answers}
    marks: dict[bool, list[bool]] = {True: [], False: []}
    reasons = []
    for number, (question, answerable) in enumerate(zip(gold.key, gold.answerable, strict=True), 1):
        answer = answers.get(number, "")
        right = _right(number, question, answer) if answerable else not_told(answer)
        marks[answerable].append(right)
        if not right:
            wanted = f"{question.answer} ({question.evidence})" if answerable else NOT_IN_SUMMARY
            reasons.append(f"Question {number}, {question.question} The answer is: {wanted}; given: {answer or 'none'}")
    shares = [sum(rights) / len(rights) for rights in marks.values() if rights]
    return Assessment(sum(shares) / len(shares), tuple(reasons))


def judge_grades(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of pairs graded as they are known to be; a pair left out is graded wrong."""
    marks = {grade.number: grade.correct for grade in reply.marks.grades}
    wrong = [
        f"Answer {item.given!r} to {item.question} with the key {item.key!r} is {'right' if right else 'wrong'}; "
        f"it was {'not graded' if marks.get(item.number) is None else 'graded otherwise'}."
        for item, right in zip(gold.given, gold.right, strict=True)
        if marks.get(item.number) is not right
    ]
    return Assessment(1 - len(wrong) / len(gold.right), tuple(wrong))


def _right(number: int, question: Question, answer: str) -> bool:
    """Right by comparison; a short answer also when it holds the key among other words."""
    correct = grade_by_comparison(number, question, answer or None, question.options).correct
    if correct is None and question.kind == "short_answer":
        return f" {normal(question.answer)} " in f" {normal(answer)} "
    return bool(correct)


def _unanswerable(text: str, other: Row) -> list[Question]:
    """Questions about another document whose answers this text does not hold."""
    known = f" {same_text(text)} "
    questions = quiz_on(Document(text=other.references[0])).questions
    return [q for q in questions if q.kind == "true_false" or f" {same_text(q.answer)} " not in known]


def _quiz_to_take(
    answerable: Sequence[Question], unanswerable: Sequence[Question], rng: random.Random, reading: str, **inputs: object
) -> dspy.Example:
    mixed = [(q, True) for q in answerable] + [(q, False) for q in unanswerable]
    rng.shuffle(mixed)
    key = [q for q, _ in mixed]
    sheet = Quiz(questions=key).sheet()
    example = dspy.Example(**inputs, questions=sheet, key=key, answerable=[answerable for _, answerable in mixed])
    return example.with_inputs(reading, "questions")


def _reworded(key: str, rng: random.Random) -> str:
    """The key as somebody else would write it, in words that don't hold it where there are such."""
    return rng.choice(_other_forms(key) or [f"It was {key}", f"{key}, as the text says", key.upper()])


def _other_forms(key: str) -> list[str]:
    forms = []
    if re.search(r"\d,\d{3}", key):
        forms.append(key.replace(",", ""))
    for date in filter(None, (re.fullmatch(form, key) for form in DATES)):
        forms.append(f"{date.group(2)} {date.group(1)} {date.group(3)}")
    if key.endswith("%"):
        forms.append(f"{key[:-1].strip()} percent")
    if re.fullmatch(r"(?:[A-Z][a-z]+ )+[A-Z][a-z]+", key):
        forms.append(key.split()[-1])
    return forms


def _wrong(question: Question, questions: list[Question], rng: random.Random) -> str:
    """Another number where the key has one, the key denied or left open, the key of another question, or no answer."""
    others = [q.answer for q in questions if q.answer.lower() not in question.answer.lower()]
    held = [f"anything but {question.answer}", *(f"{question.answer} or {other}" for other in others[:1])]
    changed = damage(f"It was {question.answer}.", "changed_number", rng)
    choices = [changed.text] if changed is not None else [*others, *NO_ANSWERS]
    return rng.choice([rng.choice(held), rng.choice(choices)])


EXAM_TASKS = (
    RoleTask("examinee", questions_on_references, judge_answers),
    RoleTask("examinee.open_book", questions_on_documents, judge_answers),
    RoleTask("grader", keyed_pairs, judge_grades),
)

__all__ = ["EXAM_TASKS"]
