"""Spreading a quiz over its document, so that the middle is examined too.

Evidence is matched against the document, which also tells which part of it a question is about.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from summq.programs.text.quotes import find_quote, same_text
from summq.programs.text.sentences import sentence_spans
from summq.signatures import KINDS, PARTS, Document, Issue, PartQuota, Question, QuestionCounts, QuestionKind, Quiz

LONGEST_SENTENCE = 600  # characters behind a quotation in which its sentence has to end
FLOOR = 3  # every part of the document gets this many questions before any gets more


def assemble(pool: Sequence[Question], wanted: QuestionCounts, keep: int = 0) -> Quiz:
    """As many questions of each kind as wanted, no two alike, spread over the document's parts.

    Every part gets `FLOOR` questions before preference alone decides; then come questions about sentences that were
    asked about already, last those without evidence.

    Args:
        pool: Questions in order of preference.
        keep: How many questions at the head of the pool are taken in any case.
    """
    questions: list[Question] = list(pool[:keep])
    open_counts: Counter[str] = Counter({kind: wanted.of(kind) for kind in KINDS})
    open_counts.subtract(q.kind for q in questions)
    per_part = Counter(part_of(q) for q in questions)
    topics = {key for q in questions for key in _asks(q)}
    quoted = {same_text(q.evidence) for q in questions}

    def usable(question: Question) -> bool:
        return open_counts[question.kind] > 0 and not topics & _asks(question)

    def turn(question: Question) -> int:
        part = part_of(question)
        if not part:
            return FLOOR + 2
        return FLOOR + 1 if same_text(question.evidence) in quoted else min(per_part[part], FLOOR)

    rest = list(pool[keep:])
    while rest := list(filter(usable, rest)):
        question = min(rest, key=turn)
        questions.append(question)
        open_counts[question.kind] -= 1
        per_part[part_of(question)] += 1
        topics |= _asks(question)
        quoted.add(same_text(question.evidence))
    return Quiz(questions=sorted(questions, key=lambda q: KINDS.index(q.kind)))


def _asks(question: Question) -> set[tuple[str, ...]]:
    """What a question asks for, by its words and by what it draws from its evidence; two with either in common are one.

    Statements draw nothing: two about one sentence may be about different things.
    """
    words: set[tuple[str, ...]] = {(same_text(question.question),)}
    if question.kind == "true_false" or not question.evidence:
        return words
    return words | {(question.kind, same_text(question.evidence), same_text(question.answer))}


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


@dataclass(frozen=True)
class Batch:
    """Questions that are asked for in one call, and the parts of the document that they are to come from."""

    wanted: QuestionCounts
    spread: list[PartQuota]


def batches(wanted: QuestionCounts, spread: Sequence[PartQuota], most: int) -> list[Batch]:
    """All in one call if there are no more than `most`; else kind by kind, each spread over the document.

    Calls for one kind ask about different parts, so that they don't ask the same.
    """
    if wanted.total <= most:
        return [Batch(wanted, [quota for quota in spread if quota.questions])]
    places: dict[QuestionKind, list[int]] = {kind: [] for kind in KINDS}
    for part in (quota.part for quota in spread for _ in range(quota.questions)):
        open_share = {kind: 1 - len(places[kind]) / wanted.of(kind) for kind in KINDS if wanted.of(kind)}
        places[max(open_share, key=lambda kind: open_share[kind])].append(part)
    return [_batch(kind, some, spread) for kind in KINDS for some in _evenly(places[kind], most)]


def calls_for(wanted: QuestionCounts, most: int) -> int:
    """How many batches there are."""
    return 1 if wanted.total <= most else sum(-(-wanted.of(kind) // most) for kind in KINDS)


def _batch(kind: QuestionKind, parts: Sequence[int], spread: Sequence[PartQuota]) -> Batch:
    counts = Counter(parts)
    wanted = QuestionCounts.model_validate({**dict.fromkeys(KINDS, 0), kind: len(parts)})
    return Batch(wanted, [q.model_copy(update={"questions": counts[q.part]}) for q in spread if counts[q.part]])


def _evenly(items: Sequence[int], most: int) -> Iterator[Sequence[int]]:
    """The items in as few runs as there have to be, of about the same length."""
    runs = -(-len(items) // most)
    return (items[len(items) * run // runs : len(items) * (run + 1) // runs] for run in range(runs))


def placed(question: Question, document: Document) -> Question:
    """The question with its evidence in the document's own characters, and the part where it stands as its section.

    A quotation that breaks off is taken to the end of its sentence.
    """
    span = find_quote(question.evidence, document.text)
    if span is None:
        return question.model_copy(update={"section": ""})
    part = document.part_at(span.start)
    evidence = document.text[span.start : _end_of_sentence(document.text, span)]
    return question.model_copy(update={"evidence": evidence, "section": f"part {part} of {PARTS}"})


def _end_of_sentence(text: str, span: slice) -> int:
    """Where the sentence ends in which a quotation breaks off; the end of the quotation if it breaks off nowhere."""
    if re.search(r"[.?!…。？！;:][\W_]*$", text[span]):
        return int(span.stop)
    stretch = text[span.start : span.stop + LONGEST_SENTENCE]
    ends = [s.end for s in sentence_spans(stretch) if s.end >= span.stop - span.start]
    whole = ends[:1] if len(stretch) < span.stop - span.start + LONGEST_SENTENCE or ends[1:] else []
    return int(span.start + whole[0]) if whole else int(span.stop)


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


__all__ = ["Batch", "about", "assemble", "batches", "calls_for", "part_of", "placed", "quotas", "unproven"]
