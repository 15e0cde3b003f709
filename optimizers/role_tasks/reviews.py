"""Reviewers of summaries: finding planted errors without flagging a clean reference, and debating about issues."""

import random
from collections.abc import Iterator, Sequence

import dspy
from rapidfuzz import fuzz

from summq.eval.data import Row
from summq.eval.metrics.reference import share_said
from summq.optimizers.planted.summaries import PLANTABLE, Planted, damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask, score_issues
from summq.programs.agreement import stand
from summq.programs.text.reading import read
from summq.signatures import Issue, NumberedIssue

ERRORS = 3
LEAST_SIMILARITY = 85  # percent
LEAST_SHARE = 0.5  # of the words of a dropped sentence


def flawed_and_clean(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """A reference with a few planted errors, and one without."""
    text, planted = _with_errors(rng.choice(row.references), rng)
    if planted:
        yield _review(row, text, planted)
    yield _review(row, rng.choice(row.references), ())


def contested_issues(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """True issues about the errors planted in a reference, and as many invented ones about sentences left alone."""
    text, planted = _with_errors(rng.choice(row.references), rng)
    altered = [error.after for error in planted]
    clean = [s.text for s in read(text).sentences if s.prose and not any(s.text in after for after in altered)]
    issues = [(_true_issue(error), True) for error in planted]
    issues += [(_wrong_fact(sentence), False) for sentence in rng.sample(clean, min(len(planted), len(clean)))]
    if issues:
        rng.shuffle(issues)
        example = dspy.Example(
            document=row.document,
            draft=text,
            contested=[
                NumberedIssue(**issue.model_dump(), id=f"{n}.1", reviewer=n - 1)
                for n, (issue, _) in enumerate(issues, 1)
            ],
            heard=[],
            upheld=[true for _, true in issues],
        )
        yield example.with_inputs("document", "draft", "contested", "heard")


def judge_review(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """How well the issues find the planted errors."""
    return score_issues([issue for issue in reply.found.issues if issue], gold.planted, _is_about, _describe)


def judge_stands(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of issues on which the stand is right; an issue without a stand counts as wrong."""
    stands = reply.debate.arguments if "debate" in reply else reply.votes.verdicts
    wrong = [
        f"Issue {issue.id} should {'stand' if right else 'be rejected'}: {issue.explanation} {issue.target!r}"
        for issue, right in zip(gold.contested, gold.upheld, strict=True)
        if stand(stands, issue.id) is not right
    ]
    return Assessment(1 - len(wrong) / len(gold.upheld), tuple(wrong))


def _with_errors(text: str, rng: random.Random) -> tuple[str, Sequence[Planted]]:
    """A text with one error of each of a few kinds, no two in one sentence."""
    planted: list[Planted] = []
    for kind in rng.sample(PLANTABLE, len(PLANTABLE)):
        damaged = damage(text, kind, rng, most=1)
        if damaged is None or any(error.after not in damaged.text for error in planted):
            continue
        text, planted = damaged.text, [*planted, *damaged.planted]
        if len(planted) == ERRORS:
            break
    return text, planted


def _is_about(issue: Issue, error: Planted) -> bool:
    """Whether an issue quotes the sentence with the error, or says what was dropped."""
    if not error.after:
        words = f"{issue.target} {issue.explanation} {issue.evidence} {issue.fix}"
        return share_said(words, error.before) >= LEAST_SHARE
    if len(issue.target.split()) < 2:
        return issue.target != "" and issue.target in error.after
    return fuzz.partial_ratio(issue.target, error.after) >= LEAST_SIMILARITY


def _describe(error: Planted) -> str:
    outcome = f"became {error.after!r}" if error.after else "was left out"
    return f"{error.kind.replace('_', ' ')}: {error.before!r} {outcome}."


def _review(row: Row, summary: str, planted: Sequence[Planted]) -> dspy.Example:
    example = dspy.Example(document=row.document, summary=summary, questions=[], planted=planted)
    return example.with_inputs("document", "summary", "questions")


def _true_issue(error: Planted) -> Issue:
    if error.kind == "dropped_sentence":
        return Issue(kind="omission", target=error.before, explanation="The summary does not say this.")
    if error.kind == "repetition":
        return Issue(kind="redundancy", target=error.before, explanation="The summary says this twice.")
    return _wrong_fact(error.after)


def _wrong_fact(sentence: str) -> Issue:
    return Issue(kind="factual_error", target=sentence, explanation="The document says otherwise.")


REVIEW_TASKS = (
    RoleTask("summary_reviewer.review", flawed_and_clean, judge_review),
    RoleTask("summary_reviewer.debate", contested_issues, judge_stands),
    RoleTask("summary_reviewer.verdict", contested_issues, judge_stands),
)

__all__ = ["REVIEW_TASKS"]
