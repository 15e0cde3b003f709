"""Telling which issues are the same, arguing about contested ones, and voting on them."""

import re
from typing import Any

from summq.programs.runtime.offline.checking import check, covers
from summq.programs.runtime.offline.reviewing import faults_of, questions_shown, repeats
from summq.programs.runtime.offline.task import Task
from summq.programs.text.quotes import same_text
from summq.programs.text.reading import Reading, read
from summq.programs.text.stems import stems_of
from summq.signatures import (
    Argument,
    Arguments,
    Issue,
    IssueGroups,
    NumberedIssue,
    Verdict,
    Verdicts,
)

ALIKE = 0.6


def group(task: Task) -> dict[str, Any]:
    """Issues of one kind about the same words, or with the same evidence."""
    groups: list[list[NumberedIssue]] = []
    for issue in task["issues"]:
        home = next((members for members in groups if _same(members[0], issue)), None)
        if home is None:
            groups.append([issue])
        else:
            home.append(issue)
    return {"same": IssueGroups(groups=[[issue.id for issue in members] for members in groups if len(members) > 1])}


def debate(task: Task) -> dict[str, Any]:
    """For each contested issue, whether the document bears it out, with the sentence that shows it if it is another."""
    return {"debate": Arguments(arguments=[_argument(task, issue) for issue in task["contested"]])}


def decide(task: Task) -> dict[str, Any]:
    """Each contested issue is upheld if the document bears it out."""
    verdicts = [Verdict(issue=issue.id, uphold=_upheld(task, issue)) for issue in task["contested"]]
    return {"votes": Verdicts(verdicts=verdicts)}


def stands(document: Reading, draft: str, issue: Issue) -> bool:
    """Whether the document bears out an issue about a draft, which is a summary or a quiz as it is shown."""
    questions = questions_shown(draft)
    if questions:
        numbers = [int(number) for number in re.findall(r"\d+", issue.target)]
        number = numbers[0] if numbers else 0
        if issue.kind == "coverage_gap":
            return _is_said(document, issue) and not covers(read(draft), document.sentences[_place(document, issue)])
        return 1 <= number <= len(questions) and issue.kind in faults_of(document, questions, number)
    return _stands_in_summary(document, read(draft), issue)


def _stands_in_summary(document: Reading, summary: Reading, issue: Issue) -> bool:
    if issue.kind == "omission":
        return _is_said(document, issue) and not covers(summary, document.sentences[_place(document, issue)])
    meant = summary.find(issue.target)
    if meant is None or meant.share < ALIKE:
        return False
    if issue.kind == "redundancy":
        alike = [s.index for s in summary.sentences if s.stems == meant.sentence.stems]
        return any(repeats(summary, index) for index in alike)
    return issue.kind == "factual_error" and check(document, meant.sentence).support == "contradicted"


def _is_said(document: Reading, issue: Issue) -> bool:
    """Whether the document says what an issue quotes as its evidence, or else what it is about."""
    hit = document.find(issue.evidence or issue.target)
    return hit is not None and hit.share >= ALIKE


def _place(document: Reading, issue: Issue) -> int:
    hit = document.find(issue.evidence or issue.target)
    return hit.sentence.index if hit else 0


def _argument(task: Task, issue: NumberedIssue) -> Argument:
    uphold = _upheld(task, issue)
    hit = task.document.find(issue.evidence or issue.target)
    shown = hit.sentence.text if hit else ""
    return Argument(
        issue=issue.id,
        argument="The document bears this out." if uphold else "The document does not bear this out.",
        evidence="" if same_text(shown) in map(same_text, (issue.target, issue.evidence)) else shown,
        uphold=uphold,
    )


def _upheld(task: Task, issue: NumberedIssue) -> bool:
    true = stands(task.document, task["draft"], issue)
    return true != task.dice.errs(task.rates.reviewer, f"{issue.kind} {issue.target}")


def _same(first: Issue, second: Issue) -> bool:
    if first.kind != second.kind:
        return False
    ours, theirs = stems_of(first.target), stems_of(second.target)
    alike = len(ours & theirs) >= ALIKE * max(1, len(ours | theirs))
    return first.target == second.target or alike or bool(first.evidence and first.evidence == second.evidence)


__all__ = ["debate", "decide", "group"]
