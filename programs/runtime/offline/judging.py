"""Choosing between summaries and between quizzes, judging by a criterion, checking sentences."""

from collections.abc import Mapping
from typing import Any

from summq.programs.runtime.offline.checking import check, coverage
from summq.programs.runtime.offline.quizzing import question_worth, same_question
from summq.programs.runtime.offline.task import Task
from summq.programs.text.reading import read
from summq.programs.text.words import count_words
from summq.signatures import KINDS, QuestionCounts, Quiz, SentenceCheck, SentenceChecks

TOLERANCE = 0.1
EQUAL = 0.02


def rank_summaries(task: Task) -> dict[str, Any]:
    """The label of the summary that covers most of what matters at the wanted length."""
    worth = {label: summary_worth(task, summary) for label, summary in task["candidates"].items()}
    return {"best": _best(task, worth)}


def vote_summary(task: Task) -> dict[str, Any]:
    """The better of two summaries; the first when they are equal."""
    worth = {label: summary_worth(task, task[label]) for label in ("first", "second")}
    return {"better": _best(task, worth)}


def rank_quizzes(task: Task) -> dict[str, Any]:
    """The label of the quiz with the most worthwhile questions."""
    worth = {label: quiz_worth(task, quiz) for label, quiz in task["candidates"].items()}
    return {"best": _best(task, worth)}


def vote_quiz(task: Task) -> dict[str, Any]:
    """The better of two quizzes; the first when they are equal."""
    worth = {label: quiz_worth(task, task[label]) for label in ("first", "second")}
    return {"better": _best(task, worth)}


def judge(task: Task) -> dict[str, Any]:
    """Which of two summaries is better by the criterion, with figures as reasons."""
    first, second = (_by_criterion(task, task[label]) for label in ("first", "second"))
    equal = abs(first - second) <= EQUAL * max(first, second)
    verdict = "tie" if equal else "first" if first > second else "second"
    if task.dice.errs(task.rates.voter, "verdict"):
        verdict = {"first": "second", "second": "first", "tie": "first"}[verdict]
    return {"reasons": f"By this criterion the first scores {first:.3f}, the second {second:.3f}.", "verdict": verdict}


def check_sentences(task: Task) -> dict[str, Any]:
    """For each sentence, whether the document bears it out and which of its sentences decides."""
    checks = []
    for item in task["sentences"]:
        verdict = check(task.document, read(item.text).sentences[0]) if item.text.strip() else None
        checks.append(
            SentenceCheck(
                number=item.number,
                quote=verdict.quote if verdict else "",
                support=verdict.support if verdict else "not_found",
            )
        )
    return {"checked": SentenceChecks(checks=checks)}


def summary_worth(task: Task, summary: str) -> float:
    """Coverage of what matters, less what is not borne out and what departs from the wanted length."""
    sentences = read(summary).sentences
    unsupported = sum(check(task.document, sentence).support == "contradicted" for sentence in sentences)
    target: int = task["target_words"]
    off = abs(count_words(summary) - target) / max(1, target)
    worth = coverage(task.document, task.scores, summary)
    return worth * (1 - unsupported / (1 + len(sentences))) / (1 + max(0.0, off - TOLERANCE))


def quiz_worth(task: Task, quiz: Quiz) -> float:
    """The worth of the questions that count: sound, not asked twice, no more of a kind than wanted."""
    counts: QuestionCounts = task["wanted"]
    worth = 0.0
    for kind in KINDS:
        counted = [q for q in quiz.questions if q.kind == kind][: counts.of(kind)]
        for number, question in enumerate(counted):
            if not any(same_question(question.question, other.question) for other in counted[:number]):
                worth += question_worth(task, question)
    return worth


def _best(task: Task, worth: Mapping[str, float]) -> str:
    labels = sorted(worth, key=lambda label: -worth[label])
    wrong = len(labels) > 1 and task.dice.errs(task.rates.voter, "choice")
    return labels[-1] if wrong else labels[0]


def _by_criterion(task: Task, summary: str) -> float:
    criterion = task["criterion"].lower()
    sentences = read(summary).sentences
    if any(word in criterion for word in ("faith", "factual", "truth", "consisten", "accura", "support")):
        return sum(check(task.document, s).support == "supported" for s in sentences) / max(1, len(sentences))
    if any(word in criterion for word in ("concise", "brief", "short", "length")):
        return 1 / (1 + count_words(summary) / 100)
    if any(word in criterion for word in ("coheren", "fluen", "readab", "clarity", "organi")):
        return sum(sentence.prose for sentence in sentences) / max(1, len(sentences))
    return coverage(task.document, task.scores, summary)


__all__ = ["check_sentences", "judge", "rank_quizzes", "rank_summaries", "vote_quiz", "vote_summary"]
