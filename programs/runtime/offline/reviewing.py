"""What a reviewer finds wrong with a summary or a quiz, each fault checked against the document."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from summq.programs.runtime.offline.checking import check, covers
from summq.programs.runtime.offline.examining import answer_from, same_answer
from summq.programs.runtime.offline.quizzing import same_question
from summq.programs.runtime.offline.task import Task
from summq.programs.runtime.readable import understood
from summq.programs.text.quotes import find_quote
from summq.programs.text.reading import Reading, read
from summq.programs.text.stems import stems_of
from summq.signatures import KINDS, PARTS, Issue, IssueList, KeyedAnswer, Question, Quiz, SheetItem

_QUIZ = re.compile(rf"1\. \((?:{'|'.join(KINDS)})\)")

Test = Callable[[Reading, Sequence[Question], int], bool]


def faults_of(document: Reading, questions: Sequence[Question], number: int) -> list[str]:
    """The kinds of fault that question `number` (from 1) has; in a question that can't be asked nothing else counts."""
    if questions[number - 1].faults():
        return ["ambiguous"]
    return [kind for kind, has in FAULTS.items() if has(document, questions, number)]


def questions_shown(draft: str) -> list[Question]:
    """The questions of a quiz as it is shown in a debate, without evidence; none if the draft is a summary."""
    return list(understood(draft, Quiz).questions) if _QUIZ.match(draft) else []


def _contradicted(document: Reading, questions: Sequence[Question], number: int) -> bool:
    """The document gives another answer than the key."""
    question = questions[number - 1]
    answer = _answer(document, question)
    keyed = KeyedAnswer(number=number, question=question.question, key=question.answer, given=answer or "")
    return answer is not None and not same_answer(keyed)


def _unproven(document: Reading, questions: Sequence[Question], number: int) -> bool:
    """Its evidence is not in the document; or there is none, and the document does not answer it."""
    question = questions[number - 1]
    if not question.evidence:
        return _answer(document, question) is None
    verbatim = " ".join(question.evidence.split()) in document.flat
    return not verbatim and find_quote(question.evidence, document.text) is None


def _gives_itself_away(document: Reading, questions: Sequence[Question], number: int) -> bool:
    question = questions[number - 1]
    return question.kind == "short_answer" and stems_of(question.answer) <= stems_of(question.question)


def _asked_before(document: Reading, questions: Sequence[Question], number: int) -> bool:
    wording = questions[number - 1].question
    return any(same_question(wording, other.question) for other in questions[: number - 1])


def _answer(document: Reading, question: Question) -> str | None:
    item = SheetItem(number=1, kind=question.kind, question=question.question, options=list(question.options))
    return answer_from(document, item)


FAULTS: dict[str, Test] = {
    "wrong_answer": _contradicted,
    "unanswerable": _unproven,
    "trivial": _gives_itself_away,
    "duplicate": _asked_before,
}


MOST_ISSUES = 8
MOST_QUESTIONS = 5
MOST_OMISSIONS = 2
REPEATED = 0.85
FEWEST_IN_PART = 0.1

_REMEDIES = {
    "ambiguous": ("It can't be asked as it stands.", "Ask another question."),
    "wrong_answer": ("The document gives another answer.", "Mend the answer, or ask something else."),
    "unanswerable": ("The document does not prove the answer.", "Ask what the document answers."),
    "trivial": ("The question contains its answer.", "Ask without giving the answer away."),
    "duplicate": ("An earlier question asks the same.", "Ask something else."),
}


def review_summary(task: Task) -> dict[str, Any]:
    """Sentences that are wrong or repeat, questions it can't answer, and what matters most but is missing."""
    summary = read(task["summary"])
    issues = [*_errors(task, summary), *_repetitions(summary)]
    issues += [*_unanswered(task, summary)[:MOST_QUESTIONS], *_omissions(task, summary)]
    at = int(task.dice.draw("place") * len(summary.sentences))
    target = summary.sentences[at].text if summary.sentences else ""
    return {"found": _report(task, issues, Issue(kind="factual_error", target=target))}


def review_quiz(task: Task) -> dict[str, Any]:
    """Questions that are wrong, unproven, repeated or give themselves away, and parts hardly asked about."""
    quiz: Quiz = task["quiz"]
    issues = [issue for number in range(1, len(quiz.questions) + 1) for issue in _faults(task.document, quiz, number)]
    issues += _gaps(task, quiz)
    target = str(1 + int(task.dice.draw("place") * len(quiz.questions)))
    return {"found": _report(task, issues, Issue(kind="wrong_answer", target=target))}


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
        if repeats(summary, sentence.index):
            explanation = "This has been said already."
            yield Issue(kind="redundancy", target=sentence.text, explanation=explanation, fix="Leave it out.")


def repeats(summary: Reading, index: int) -> bool:
    """Whether a sentence says what an earlier one says."""
    stems = summary.sentences[index].stems
    earlier = (other.stems for other in summary.sentences[:index])
    return any(len(stems & other) >= REPEATED * max(1, len(stems | other)) for other in earlier)


def _unanswered(task: Task, summary: Reading) -> list[Issue]:
    """Questions of the quiz that the document answers and the summary does not, those about what matters most first."""
    ranked: list[tuple[float, Issue]] = []
    for item in task["questions"]:
        hit = task.document.find(item.question)
        if hit and answer_from(summary, item) is None and answer_from(task.document, item) is not None:
            issue = Issue(
                kind="omission",
                target=item.question,
                explanation="The quiz asks this, and the summary does not tell.",
                evidence=hit.sentence.text,
                fix="Say what the document says about it.",
            )
            ranked.append((task.scores[hit.sentence.index], issue))
    return [issue for _, issue in sorted(ranked, key=lambda entry: -entry[0])]


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
    hit = document.find(question.evidence or question.question)
    evidence = hit.sentence.text if hit else ""
    for kind in faults_of(document, quiz.questions, number):
        explanation, fix = _REMEDIES[kind]
        yield Issue(kind=kind, target=str(number), explanation=explanation, evidence=evidence, fix=fix)


def _gaps(task: Task, quiz: Quiz) -> Iterator[Issue]:
    """Parts of a document of some length about which hardly anything is asked."""
    document = task.document
    if len(quiz.questions) < PARTS or len(document.sentences) < 4 * PARTS:
        return
    hits = [document.find(question.evidence) for question in quiz.questions]
    counts = Counter(document.part_of(hit.sentence, PARTS) for hit in hits if hit)
    for part in range(1, PARTS + 1):
        inside = [s for s in document.sentences if s.prose and document.part_of(s, PARTS) == part]
        if inside and counts[part] < FEWEST_IN_PART * len(quiz.questions):
            yield Issue(
                kind="coverage_gap",
                target="the quiz as a whole",
                explanation="Hardly a question is about the part of the document from which the evidence is quoted.",
                evidence=max(inside, key=lambda s: task.scores[s.index]).text,
                fix="Ask about it.",
            )


def _report(task: Task, issues: list[Issue], invented: Issue) -> IssueList:
    """What this reviewer reports: one who errs misses some issues and invents one."""
    reports = [issue for issue in issues if not task.dice.errs(task.rates.reviewer, f"{issue.kind} {issue.target}")]
    if task.dice.errs(task.rates.reviewer, "invented"):
        reports.insert(0, invented.model_copy(update={"explanation": "The document says otherwise."}))
    return IssueList(issues=reports[:MOST_ISSUES])


__all__ = ["review_quiz", "review_summary"]
