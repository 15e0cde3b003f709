"""The craft of quizzes: questions are checked one by one, completed, and put together.

A faulty question costs one question, never the quiz; what is missing is asked for again.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from summq.programs.config import AT_ONCE
from summq.programs.coverage import Batch, assemble, batches, part_of, quotas
from summq.programs.craft import Brief, Comparison, Craft, Draft, ask
from summq.programs.quiz_checks import flaws, proven
from summq.programs.runtime.cache import accepted_replies
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.readable import readable
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.text.quotes import same_text
from summq.signatures import (
    KINDS,
    AggregateQuizzes,
    Document,
    DraftQuiz,
    Issue,
    Question,
    QuestionCounts,
    QuestionKind,
    Quiz,
    RankQuizzes,
    ReviewQuiz,
    ReviseQuiz,
    VoteQuiz,
    label,
    named_label,
    quiz_of,
)

TOKENS_PER_QUESTION = 175  # with evidence and four options
TRIES = 3  # how often a generator is asked until the quiz is complete
_NUMBERS = r"\d|\W|questions?|numbers?|nos?|q|and"  # of what names questions and nothing else
NAMES: dict[QuestionKind, str] = {
    "multiple_choice": "multiple choice",
    "true_false": "true/false",
    "short_answer": "short answer",
}


@dataclass(frozen=True)
class QuizBrief(Brief):
    """The document and how many questions of each kind are wanted.

    Args:
        windows: The stretches of the document from which questions are drawn in turn; the document itself if not given.
        original: The whole document, where `document` is notes of it.
    """

    wanted: QuestionCounts
    windows: Sequence[Document] = ()
    original: Document | None = None

    def inputs(self) -> dict[str, Any]:
        """The inputs that every role of the stream gets."""
        return {"document": self.document, "wanted": self.wanted}


@dataclass(frozen=True)
class QuizDraft(Draft):
    """A quiz under review, and the summary from which it will be answered."""

    quiz: Quiz
    summary: str

    @property
    def text(self) -> str:
        """The quiz as numbered questions with their keys."""
        return self._shown({n for n, _ in _by_number(self.quiz)})

    def about(self, issues: Sequence[Issue]) -> str:
        """The quiz as numbered questions, with options and keys of those that the issues name, or may mean."""
        unclear = any(issue.kind != "coverage_gap" and not named_questions([issue], self.quiz) for issue in issues)
        return self.text if unclear else self._shown(named_questions(issues, self.quiz))

    def _shown(self, keyed: Collection[int]) -> str:
        bare: dict[str, Any] = {"evidence": "", "section": ""}
        others = {**bare, "options": (), "answer": ""}
        shown = [q.model_copy(update=bare if n in keyed else others) for n, q in _by_number(self.quiz)]
        return readable(Quiz(questions=shown))


@dataclass(frozen=True)
class QuizCraft(Craft[Quiz, QuizBrief]):
    """How quizzes are made.

    Args:
        at_once: Questions asked for in one call, fewer where the reply has no tokens for so many. More are asked for by
            kind, in calls made side by side.
    """

    at_once: int = AT_ONCE

    def first_draft(self, role: Role, brief: QuizBrief) -> Quiz:
        """A complete first quiz."""
        return self._complete(role, brief, [])

    def revision(self, role: Role, brief: QuizBrief, previous: Quiz, feedback: Sequence[Issue]) -> Quiz:
        """The previous quiz with new questions for those that the feedback names."""
        kept = uncriticised(previous, feedback)
        named = named_questions(feedback, previous)
        criticised = {n: q for n, q in _by_number(previous) if n in named}
        dropped = {n: q for n, q in _by_number(previous) if n not in named and q not in kept}
        stays = {n: q.question for n, q in _by_number(previous) if q in kept}
        inputs = {"stays": stays, "criticised": criticised, "dropped": dropped, "feedback": list(feedback)}
        return self._complete(role, brief, kept, **inputs)

    def aggregation(self, role: Role, brief: QuizBrief, candidates: Sequence[Quiz]) -> Quiz:
        """The questions that the aggregator chose, completed by rule out of all candidates."""
        common = _common(candidates)
        shown = self.comparison(brief, candidates)
        by_label = {f"{label(c)}{n}": q for c, quiz in enumerate(shown.candidates) for n, q in _by_number(quiz)}
        labelled = _distinct(by_label)
        chosen = ask(role, shown.brief, **shown.inputs, candidates=labelled).chosen
        labels = dict.fromkeys(named_label(item, labelled) for item in chosen)
        preferred = [labelled[name] for name in labels if name]
        others = [q for q in labelled.values() if q not in preferred]
        return assemble([*common, *preferred, *others], brief.wanted, keep=len(common))

    def comparison(self, brief: QuizBrief, candidates: Sequence[Quiz]) -> Comparison[Quiz, QuizBrief]:
        """What sets the candidates apart, and once, by their keys, the questions that all have, which are settled."""
        common = _common(candidates)
        left_out = set(common)
        rest = [Quiz(questions=[q for q in quiz.questions if q not in left_out]) for quiz in candidates]
        brief = replace(brief, wanted=brief.wanted.lacking(common))
        settled = [q.model_copy(update={"options": (), "evidence": ""}) for q in common]
        return Comparison(brief, rest, {"shared": Quiz(questions=settled)})

    def _complete(self, role: Role, brief: QuizBrief, kept: list[Question], **inputs: Any) -> Quiz:
        """`kept` and what the role adds to it, asked for until there are as many questions as wanted.

        Each of the windows is to yield its share; what one lacks the next ones are asked for.
        """
        document = brief.original or brief.document
        wanted, windows = brief.wanted, brief.windows or (document,)
        questions, lacking = kept, wanted.lacking(kept).total
        unproven: list[Question] = []  # better than none, if no others are to be had
        for attempt in range(TRIES * len(windows)):
            missing = wanted.lacking(questions)
            due = lacking * min(attempt + 1, len(windows)) // len(windows) - (lacking - missing.total)
            if due <= 0:
                continue
            window, some = windows[attempt % len(windows)], _most_missing(missing, due)
            spread = quotas(window, questions if window is document else (), some.total)
            given = {**inputs, "present": [q.question for q in questions if q not in kept]}
            one = partial(_write_batch, role, replace(brief, document=window), attempt=attempt // len(windows), **given)
            written = _all_sound(
                parallel_outcomes(one, batches(some, spread, questions_at_once(role, self.at_once)), alike=True)
            )
            sound, doubtful = proven(written, document)
            questions = assemble([*questions, *sound], wanted, keep=len(questions)).questions
            unproven += doubtful
        questions = assemble([*questions, *unproven], wanted, keep=len(questions)).questions
        if not questions:
            raise UnusableReply(f"{role.role}: no sound question in {TRIES} replies")
        return Quiz(questions=questions)


def questions_at_once(role: Role, most: int) -> int:
    """How many questions the backbone of a writer is asked for in one call: `most`, or as many as its reply holds."""
    tokens = role.played_by.kwargs.get("max_tokens")
    return min(most, max(1, tokens // TOKENS_PER_QUESTION)) if tokens else most


def _write_batch(role: Role, brief: QuizBrief, batch: Batch, *, attempt: int, **inputs: Any) -> list[Question]:
    """The sound questions of one reply.

    Raises:
        UnusableReply: There is none.
    """
    form = asking_for(batch.wanted, role.signature)
    with accepted_replies():
        brief = replace(brief, wanted=batch.wanted)
        quiz = ask(role, brief, **inputs, spread=batch.spread, signature=form, attempt=attempt).quiz
        sound = [q for q in (q.normalised() for q in quiz.questions) if not flaws(q)]
        if not sound:
            raise UnusableReply(f"{role.role}: no sound question in the reply")
    return sound


def _all_sound(replies: Iterable[list[Question] | Exception]) -> list[Question]:
    """The questions of all replies that could be used; what is there already is not given up for the others."""
    questions: list[Question] = []
    for reply in replies:
        if isinstance(reply, UnusableReply):
            continue
        if isinstance(reply, Exception):
            raise reply
        questions += reply
    return questions


def _common(candidates: Sequence[Quiz]) -> list[Question]:
    """The questions that all candidates have."""
    first, *others = candidates
    shared = set(first.questions).intersection(*(quiz.questions for quiz in others))
    return [q for q in first.questions if q in shared]


def named_questions(issues: Iterable[Issue], quiz: Quiz) -> set[int]:
    """The numbers of the questions that quiz issues are about, named by number or by their words."""
    return {n for issue in issues for n, question in _by_number(quiz) if _names(issue.target, n, question)}


def uncriticised(quiz: Quiz, feedback: Sequence[Issue]) -> list[Question]:
    """The questions that no issue names, less one for each gap in coverage, out of the part that has most of them."""
    named = named_questions(feedback, quiz)
    remaining = [question for n, question in _by_number(quiz) if n not in named]
    for _ in range(min(len(remaining), sum(issue.kind == "coverage_gap" for issue in feedback))):
        load = Counter(map(part_of, remaining))
        remaining.remove(max(reversed(remaining), key=lambda q: load[part_of(q)]))
    return remaining


def shortage(quiz: Quiz, wanted: QuestionCounts, dropped: int = 0, known: int = 0) -> str:
    """What a quiz lacks of what was wanted and why, in half a line; empty if it lacks nothing.

    Args:
        dropped: Questions that had been written, but failed with the document at hand.
        known: Questions that had been written, but were answered without any text.
    """
    missing = wanted.lacking(quiz.questions)
    if not missing.total:
        return ""
    kinds = ", ".join(f"{missing.of(kind)} {NAMES[kind]}" for kind in KINDS if missing.of(kind))
    failed = [f"{dropped} failed with the document at hand"] if dropped else []
    failed += [f"{known} needed no text to be answered"] if known else []
    unwritten = [f"no more sound ones were written in {TRIES} tries"] if dropped + known < missing.total else []
    reasons = " and ".join([*failed, *unwritten])
    return f"the quiz has {len(quiz.questions)} of {wanted.total} questions (missing: {kinds}), since {reasons}"


def _by_number(quiz: Quiz) -> Iterator[tuple[int, Question]]:
    """The questions with the numbers under which examinees and reviewers see them."""
    return enumerate(quiz.questions, 1)


def _names(target: str, number: int, question: Question) -> bool:
    if re.fullmatch(rf"(?:{_NUMBERS})*", target, re.IGNORECASE):
        return str(number) in re.findall(r"\d+", target)
    if headed := re.match(rf"(?:questions?|q|nos?)(?![a-z])(?:{_NUMBERS})*?:", target, re.IGNORECASE):
        return str(number) in re.findall(r"\d+", headed[0])
    return same_text(target) == same_text(question.question)


def _most_missing(missing: QuestionCounts, number: int) -> QuestionCounts:
    """`number` of the missing questions, of those kinds that lack most."""
    left = Counter(missing.model_dump())
    for _ in range(number):
        left[max(KINDS, key=lambda kind: left[kind])] -= 1
    return QuestionCounts.model_validate({kind: missing.of(kind) - left[kind] for kind in KINDS})


@lru_cache(maxsize=512)
def asking_for(some: QuestionCounts, signature: Any) -> Any:
    """The signature with a form of the reply that has room for these questions, and instructions about no others."""
    instructions = signature.instructions
    for kind in KINDS:
        if not some.of(kind):
            instructions = re.sub(rf"^- {kind}: .*\n(?:  .*\n)*", "", instructions, flags=re.MULTILINE)
    return signature.with_instructions(instructions).with_updated_fields("quiz", type_=quiz_of(some))


def _distinct(labelled: dict[str, Question]) -> dict[str, Question]:
    first = {same_text(question.question): name for name, question in reversed(labelled.items())}
    return {name: question for name, question in labelled.items() if first[same_text(question.question)] == name}


QUIZ = QuizCraft(
    name="quiz",
    draft=DraftQuiz,
    revise=ReviseQuiz,
    aggregate=AggregateQuizzes,
    rank=RankQuizzes,
    vote=VoteQuiz,
    review=ReviewQuiz,
)

__all__ = [
    "QUIZ",
    "QuizBrief",
    "QuizDraft",
    "asking_for",
    "named_questions",
    "questions_at_once",
    "shortage",
    "uncriticised",
]
