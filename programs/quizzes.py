"""The craft of quizzes: questions are checked one by one, completed, spread over the document, and put together.

A faulty question costs one question, never the quiz (DESIGN section 4); what is missing is asked for again. Evidence is
matched against the document, which also tells which part of it a question is about (DESIGN 5.6).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from summq.programs.crafts import Brief, Craft, asked_for
from summq.programs.quotes import find_quote
from summq.programs.runtime.role import Role, UnusableReply
from summq.signatures import (
    KINDS,
    PARTS,
    AggregateQuizzes,
    Document,
    DraftQuiz,
    Issue,
    PartQuota,
    Question,
    QuestionCounts,
    Quiz,
    RankQuizzes,
    ReviewQuiz,
    ReviseQuiz,
    VoteQuiz,
)

TRIES = 3  # how often a generator is asked until the quiz is complete
ORDER: dict[str, int] = {kind: place for place, kind in enumerate(KINDS)}
FLOOR = 3  # every part of the document gets this many questions before any gets more


@dataclass(frozen=True)
class QuizCraft(Craft[Quiz]):
    """How quizzes are made.

    The brief holds `document`, `wanted` (QuestionCounts) and, for a document that exceeds the window, its `windows`.
    """

    revise_only_criticised: bool = True

    def drafted(self, role: Role, brief: Brief) -> Quiz:
        """A complete first quiz."""
        return self._completed(role, brief, [], brief)

    def revised(self, role: Role, brief: Brief, previous: Quiz, feedback: Sequence[Issue]) -> Quiz:
        """The previous quiz with new questions for those that the feedback names, or wholly new questions."""
        named = {n for n in map(question_number, feedback) if n is not None}
        kept = [q for n, q in enumerate(previous.questions, 1) if n not in named] if self.revise_only_criticised else []
        criticised = [q for q in previous.questions if q not in kept]
        return self._completed(role, {**brief, "criticised": criticised, "feedback": list(feedback)}, kept, brief)

    def merged(self, role: Role, brief: Brief, candidates: Sequence[Quiz]) -> Quiz:
        """The questions that the aggregator chose, completed by rule out of all candidates."""
        labelled = {f"{c}.{n}": q for c, quiz in enumerate(candidates, 1) for n, q in enumerate(quiz.questions, 1)}
        labelled = _distinct(labelled)
        chosen = role(**asked_for(role, {**brief, "candidates": labelled})).chosen
        preferred = [labelled[label] for label in dict.fromkeys(chosen) if label in labelled]
        others = [q for q in labelled.values() if q not in preferred]
        return assemble([*preferred, *others], brief["wanted"])

    def shown(self, artifact: Quiz) -> str:
        """The quiz as numbered questions with their keys."""
        return "\n".join(_line(number, q) for number, q in enumerate(artifact.questions, 1))

    def _completed(self, role: Role, inputs: Brief, kept: list[Question], brief: Brief) -> Quiz:
        """`kept` and what the role adds to it, asked for until there are as many questions as wanted."""
        document: Document = brief["document"]
        wanted, windows = brief["wanted"], brief.get("windows", (document,))
        questions = kept
        for attempt in range(TRIES * len(windows)):
            window = windows[attempt % len(windows)]
            missing = _share(_missing(questions, wanted), max(1, len(windows) - attempt))
            if not missing.total:
                break
            asked = {
                **inputs,
                "document": window,
                "wanted": missing,
                "spread": quotas(window, questions if window is document else (), missing.total),
                "present": [q.question for q in questions],
            }
            written = role(**asked_for(role, asked)).quiz.questions
            sound = [placed(q, document) for q in (q.normalised() for q in written) if not q.faults()]
            questions = assemble([*questions, *sound], wanted, keep=len(questions)).questions
        if not questions:
            raise UnusableReply(f"{role.role}: no sound question in {TRIES} replies")
        return Quiz(questions=questions)


def assemble(pool: Sequence[Question], wanted: QuestionCounts, keep: int = 0) -> Quiz:
    """As many questions of each kind as wanted, no two alike, spread over the document's parts.

    Args:
        pool: Questions in order of preference.
        keep: How many questions at the head of the pool are taken in any case.
    """
    chosen: list[Question] = list(pool[:keep])
    open_counts: Counter[str] = Counter({kind: wanted.of(kind) for kind in KINDS})
    open_counts.subtract(q.kind for q in chosen)
    per_part = Counter(part_of(q) for q in chosen)
    asked = {same_text(q.question) for q in chosen}
    rest = list(enumerate(pool[keep:]))
    while True:
        usable = [(i, q) for i, q in rest if open_counts[q.kind] > 0 and same_text(q.question) not in asked]
        if not usable:
            return Quiz(questions=sorted(chosen, key=lambda q: ORDER[q.kind]))
        rest = usable
        index, question = min(usable, key=lambda item: (per_part[part_of(item[1])] // FLOOR, item[0]))
        chosen.append(question)
        open_counts[question.kind] -= 1
        per_part[part_of(question)] += 1
        asked.add(same_text(question.question))
        rest = [item for item in rest if item[0] != index]


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


def question_number(issue: Issue) -> int | None:
    """The number of the question that a quiz issue is about, if it names one."""
    match = re.search(r"\d+", issue.target)
    return int(match.group()) if match else None


def part_of(question: Question) -> int:
    """The part of the document that a placed question is about; 0 when its evidence is not there."""
    match = re.match(r"part (\d+) of", question.section)
    return int(match.group(1)) if match else 0


def same_text(text: str) -> str:
    """Text reduced to its words, for telling whether two questions are the same."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _share(missing: QuestionCounts, of: int) -> QuestionCounts:
    """One of `of` shares of the missing questions, rounded up."""
    return QuestionCounts.model_validate({kind: math.ceil(missing.of(kind) / of) for kind in KINDS})


def _missing(questions: Sequence[Question], wanted: QuestionCounts) -> QuestionCounts:
    have = Counter(q.kind for q in questions)
    return QuestionCounts.model_validate({kind: max(0, wanted.of(kind) - have[kind]) for kind in KINDS})


def _distinct(labelled: dict[str, Question]) -> dict[str, Question]:
    seen: dict[str, str] = {}
    for label, question in labelled.items():
        seen.setdefault(same_text(question.question), label)
    return {label: labelled[label] for label in seen.values()}


def _opening(document: Document, part: int) -> str:
    """The first words of a part, from the first whole word on."""
    start = len(document.text) * (part - 1) // PARTS
    words = document.text[start : start + 120].split()
    return " ".join(words[1 if part > 1 else 0 : 9])


def _line(number: int, question: Question) -> str:
    options = f" [{' | '.join(question.options)}]" if question.options else ""
    return f"{number}. ({question.kind}) {question.question}{options} Answer: {question.answer}"


QUIZ = QuizCraft(
    name="quiz",
    draft=DraftQuiz,
    revise=ReviseQuiz,
    aggregate=AggregateQuizzes,
    rank=RankQuizzes,
    vote=VoteQuiz,
    review=ReviewQuiz,
)

__all__ = ["QUIZ", "QuizCraft", "assemble", "part_of", "placed", "question_number", "quotas", "same_text", "unproven"]
