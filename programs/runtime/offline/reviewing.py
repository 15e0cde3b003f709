"""Reviewing summaries and exams against the document, grouping what was found, arguing and voting about it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from summq.programs.runtime.offline.checking import check, covers
from summq.programs.runtime.offline.examining import answer_from, same_answer
from summq.programs.runtime.offline.quizzing import same_question
from summq.programs.runtime.offline.reading import Reading, read
from summq.programs.runtime.offline.task import Task
from summq.programs.runtime.offline.text import stems_of
from summq.signatures import (
    PARTS,
    Argument,
    Arguments,
    Issue,
    IssueGroups,
    IssueList,
    KeyedAnswer,
    NumberedIssue,
    Question,
    Quiz,
    SheetItem,
    Verdict,
    Verdicts,
)

MOST_ISSUES = 8
MOST_QUESTIONS = 5
MOST_OMISSIONS = 2
ALIKE = 0.6
REPEATED = 0.85
FEWEST_IN_PART = 0.1
QUIZ_KINDS = frozenset({"wrong_answer", "ambiguous", "unanswerable", "trivial", "duplicate", "coverage_gap"})


def review_summary(task: Task) -> dict[str, Any]:
    """Sentences that are wrong or repeat, questions it can't answer, and what matters most but is missing."""
    summary = read(task["summary"])
    found = [*_errors(task, summary), *_repetitions(summary)]
    found += _unanswered(task, summary)[:MOST_QUESTIONS]
    found += _omissions(task, summary)
    return {"found": IssueList(issues=_as_reviewed(task, found, task["summary"])[:MOST_ISSUES])}


def review_quiz(task: Task) -> dict[str, Any]:
    """Questions that are wrong, unproven, repeated or give themselves away, and parts hardly asked about."""
    quiz: Quiz = task["quiz"]
    found = [issue for number in range(1, len(quiz.questions) + 1) for issue in _faults(task.document, quiz, number)]
    found += _gaps(task, quiz)
    return {"found": IssueList(issues=_as_reviewed(task, found, "1")[:MOST_ISSUES])}


def group(task: Task) -> dict[str, Any]:
    """Issues of one kind about the same words, or with the same evidence."""
    groups: list[list[NumberedIssue]] = []
    for issue in task["issues"]:
        home = next((members for members in groups if _same_issue(members[0], issue)), None)
        if home is None:
            groups.append([issue])
        else:
            home.append(issue)
    return {"same": IssueGroups(groups=[[issue.id for issue in members] for members in groups if len(members) > 1])}


def debate(task: Task) -> dict[str, Any]:
    """For each contested issue, whether the document bears it out, with the sentence that shows it."""
    arguments = []
    for issue in task["contested"]:
        uphold = _upheld(task, issue)
        hit = task.document.find(issue.evidence or issue.target)
        arguments.append(
            Argument(
                issue=issue.id,
                argument="The document bears this out." if uphold else "The document does not bear this out.",
                evidence=hit.sentence.text if hit else "",
                uphold=uphold,
            )
        )
    return {"debate": Arguments(arguments=arguments)}


def decide(task: Task) -> dict[str, Any]:
    """Each contested issue is upheld if the document bears it out."""
    verdicts = [Verdict(issue=issue.id, uphold=_upheld(task, issue)) for issue in task["contested"]]
    return {"votes": Verdicts(verdicts=verdicts)}


def _errors(task: Task, summary: Reading) -> Iterator[Issue]:
    for sentence in summary.sentences:
        checked = check(task.document, sentence)
        if checked.support == "contradicted":
            yield Issue(
                kind="factual_error",
                target=sentence.text,
                explanation="The document says otherwise.",
                evidence=checked.quote,
                fix=f"Say what the document says: {checked.quote}",
            )


def _repetitions(summary: Reading) -> Iterator[Issue]:
    for sentence in summary.sentences:
        earlier = summary.sentences[: sentence.index]
        if any(_jaccard(sentence.stems, other.stems) >= REPEATED for other in earlier):
            yield Issue(
                kind="redundancy", target=sentence.text, explanation="This has been said already.", fix="Leave it out."
            )


def _unanswered(task: Task, summary: Reading) -> list[Issue]:
    """Questions of the exam that the document answers and the summary does not, those about what matters most first."""
    found: list[tuple[float, Issue]] = []
    for item in task["questions"]:
        if answer_from(summary, item) is None and answer_from(task.document, item) is not None:
            hit = task.document.find(item.question)
            if hit:
                issue = Issue(
                    kind="omission",
                    target=item.question,
                    explanation="The exam asks this, and the summary does not tell.",
                    evidence=hit.sentence.text,
                    fix="Say what the document says about it.",
                )
                found.append((task.scores[hit.sentence.index], issue))
    return [issue for _, issue in sorted(found, key=lambda entry: -entry[0])]


def _omissions(task: Task, summary: Reading) -> Iterator[Issue]:
    """The most important sentences of the document, where the summary does not say what they say."""
    best = sorted(task.document.sentences, key=lambda s: (-task.scores[s.index], s.index))[:MOST_OMISSIONS]
    for sentence in best:
        if not covers(summary, sentence):
            yield Issue(
                kind="omission",
                target=" ".join(sentence.text.split()[:12]),
                explanation="This matters to the document, and the summary does not tell.",
                evidence=sentence.text,
                fix="Say it.",
            )


def _faults(document: Reading, quiz: Quiz, number: int) -> Iterator[Issue]:
    question = quiz.questions[number - 1]
    hit = document.find(question.evidence) if question.evidence else None
    evidence = hit.sentence.text if hit else ""

    def issue(kind: str, explanation: str, fix: str) -> Issue:
        return Issue(kind=kind, target=str(number), explanation=explanation, evidence=evidence, fix=fix)

    if question.faults():
        yield issue("ambiguous", f"It can't be asked: {question.faults()[0]}.", "Ask another question.")
    elif not _proven(document, question):
        yield issue("unanswerable", "Its evidence is not in the document.", "Ask what the document answers.")
    elif _contradicted(document, question):
        yield issue("wrong_answer", "The document gives another answer.", "Mend the answer, or ask something else.")
    if question.kind == "short_answer" and stems_of(question.answer) <= stems_of(question.question):
        yield issue("trivial", "The question contains its answer.", "Ask without giving the answer away.")
    if any(same_question(question.question, other.question) for other in quiz.questions[: number - 1]):
        yield issue("duplicate", "An earlier question asks the same.", "Ask something else.")


def _proven(document: Reading, question: Question) -> bool:
    return bool(question.evidence) and " ".join(question.evidence.split()) in document.flat


def _contradicted(document: Reading, question: Question) -> bool:
    item = SheetItem(number=1, kind=question.kind, question=question.question, options=list(question.options))
    answer = answer_from(document, item)
    if answer is None:
        return False
    return not same_answer(KeyedAnswer(number=1, question=question.question, key=question.answer, given=answer))


def _gaps(task: Task, quiz: Quiz) -> Iterator[Issue]:
    """Fifths of the document about which hardly anything is asked."""
    document = task.document
    length = max(1, len(document.text))
    hits = [document.find(question.evidence) for question in quiz.questions]
    asked = Counter(min(PARTS, 1 + hit.sentence.start * PARTS // length) for hit in hits if hit)
    if len(quiz.questions) < PARTS or len(document.sentences) < 4 * PARTS:
        return
    for part in range(1, PARTS + 1):
        if asked[part] < FEWEST_IN_PART * len(quiz.questions):
            inside = [s for s in document.sentences if 1 + s.start * PARTS // length == part]
            best = max(inside, key=lambda s: task.scores[s.index], default=None)
            if best and best.prose:
                yield Issue(
                    kind="coverage_gap",
                    target=f"part {part} of {PARTS}",
                    explanation="Hardly a question is about this part of the document.",
                    evidence=best.text,
                    fix="Ask about it.",
                )


def _as_reviewed(task: Task, found: list[Issue], some_target: str) -> list[Issue]:
    """What this reviewer reports: an erring one misses some and invents one."""
    missed = [issue for issue in found if task.dice.errs(task.rates.reviewer, f"{issue.kind} {issue.target}")]
    reported = [issue for issue in found if issue not in missed]
    if task.dice.errs(task.rates.reviewer, "invented"):
        words = some_target.split()
        place = int(task.dice.draw("place") * max(1, len(words) - 8))
        kind = "factual_error" if "summary" in task.inputs and "quiz" not in task.inputs else "wrong_answer"
        target = " ".join(words[place : place + 8])
        reported.insert(0, Issue(kind=kind, target=target, explanation="The document says otherwise."))
    return reported


def _upheld(task: Task, issue: NumberedIssue) -> bool:
    true = stands(task.document, task["draft"], issue)
    return true != task.dice.errs(task.rates.reviewer, f"{issue.kind} {issue.target}")


def stands(document: Reading, draft: str, issue: Issue) -> bool:
    """Whether the document bears out an issue about a draft."""
    if issue.kind in QUIZ_KINDS:
        return _stands_in_quiz(document, draft, issue)
    summary = read(draft)
    meant = summary.find(issue.target)
    if issue.kind == "omission":
        hit = document.find(issue.evidence or issue.target)
        return hit is not None and hit.share >= ALIKE and not covers(summary, hit.sentence)
    if meant is None or meant.share < ALIKE:
        return False
    if issue.kind == "redundancy":
        others = [s for s in summary.sentences if s.index != meant.sentence.index]
        return any(_jaccard(meant.sentence.stems, other.stems) >= REPEATED for other in others)
    return issue.kind == "factual_error" and check(document, meant.sentence).support == "contradicted"


def _stands_in_quiz(document: Reading, draft: str, issue: Issue) -> bool:
    try:
        quiz = Quiz.model_validate_json(draft)
    except ValidationError:
        return False
    if issue.kind == "coverage_gap":
        return True
    digits = "".join(character for character in issue.target if character.isdigit())
    number = int(digits) if digits else 0
    if not 1 <= number <= len(quiz.questions):
        return False
    return any(fault.kind == issue.kind for fault in _faults(document, quiz, number))


def _same_issue(first: Issue, second: Issue) -> bool:
    if first.kind != second.kind:
        return False
    if first.evidence and first.evidence == second.evidence and first.kind not in QUIZ_KINDS:
        return True
    ours, theirs = (stems_of(issue.target) for issue in (first, second))
    return first.target == second.target or _jaccard(ours, theirs) >= ALIKE


def _jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return len(ours & theirs) / max(1, len(ours | theirs))


__all__ = ["debate", "decide", "group", "review_quiz", "review_summary", "stands"]
