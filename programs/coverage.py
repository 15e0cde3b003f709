"""Spreading a quiz over its document, so that the middle is examined too (DESIGN 5.6).

Evidence is matched against the document, which also tells which part of it a question is about.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from summq.programs.text.quotes import find_quote, same_text
from summq.signatures import KINDS, PARTS, Document, Issue, PartQuota, Question, QuestionCounts, Quiz

FLOOR = 3  # every part of the document gets this many questions before any gets more


def assemble(pool: Sequence[Question], wanted: QuestionCounts, keep: int = 0) -> Quiz:
    """As many questions of each kind as wanted, no two alike, spread over the document's parts.

    Every part gets `FLOOR` questions before preference alone decides; questions without evidence come last.

    Args:
        pool: Questions in order of preference.
        keep: How many questions at the head of the pool are taken in any case.
    """
    chosen: list[Question] = list(pool[:keep])
    open_counts: Counter[str] = Counter({kind: wanted.of(kind) for kind in KINDS})
    open_counts.subtract(q.kind for q in chosen)
    per_part = Counter(part_of(q) for q in chosen)
    asked = {same_text(q.question) for q in chosen}

    def usable(question: Question) -> bool:
        return open_counts[question.kind] > 0 and same_text(question.question) not in asked

    def turn(question: Question) -> int:
        part = part_of(question)
        return min(per_part[part], FLOOR) if part else FLOOR + 1

    rest = list(pool[keep:])
    while rest := list(filter(usable, rest)):
        question = min(rest, key=turn)
        chosen.append(question)
        open_counts[question.kind] -= 1
        per_part[part_of(question)] += 1
        asked.add(same_text(question.question))
    return Quiz(questions=sorted(chosen, key=lambda q: KINDS.index(q.kind)))


def quotas(document: Document, questions: Iterable[Question], number: int) -> list[PartQuota]:
    """Where `number` further questions have to come from for an even spread over the parts of the document."""
    present = Counter(part_of(q) for q in questions)
    load = Counter({part: present[part] for part in range(1, PARTS + 1)})
    for _ in range(number):
        load[min(load, key=lambda part: load[part])] += 1
    return [
        PartQuota(part=part, of=PARTS, questions=load[part] - present[part], opens_with=_opening(document, part))
        for part in range(1, PARTS + 1)
    ]


def placed(question: Question, document: Document) -> Question:
    """The question with its evidence in the document's own characters, and the part where it stands as its section."""
    span = find_quote(question.evidence, document.text)
    if span is None:
        return question.model_copy(update={"section": ""})
    part = document.part_at(span.start)
    return question.model_copy(update={"evidence": document.text[span], "section": f"part {part} of {PARTS}"})


def about(quiz: Quiz, document: Document) -> bool:
    """Whether the quiz can be about the document: some of its evidence stands there, or it names none."""
    quotes = [question.evidence for question in quiz.questions if question.evidence]
    return not quotes or any(find_quote(quote, document.text) for quote in quotes)


def part_of(question: Question) -> int:
    """The part of the document that a placed question is about; 0 when its evidence is not there."""
    match = re.match(r"part (\d+) of", question.section)
    return int(match.group(1)) if match else 0


def unproven(quiz: Quiz) -> list[Issue]:
    """Issues that need no reviewer: questions whose evidence is not in the document (they have no section)."""
    return [
        Issue(
            kind="wrong_answer",
            target=str(number),
            explanation="The quoted evidence is not in the document.",
            fix="Write a question that a sentence of the document proves.",
        )
        for number, question in enumerate(quiz.questions, 1)
        if not question.section
    ]


def _opening(document: Document, part: int) -> str:
    """The first words of a part, from the first whole word on."""
    start = len(document.text) * (part - 1) // PARTS
    words = document.text[start : start + 120].split()
    return " ".join(words[1 if part > 1 else 0 : 9])


__all__ = ["about", "assemble", "part_of", "placed", "quotas", "unproven"]
