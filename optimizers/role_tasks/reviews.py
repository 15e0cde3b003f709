"""Reviewers of summaries: finding planted errors, telling which issues are the same, and debating about them.

Texts are human summaries and drafts of the backbone. The same text is reviewed with and without planted errors, and
both replies are scored together, so that saying nothing is worth nothing, and so is flagging everything.
"""

import random
from collections.abc import Iterator, Sequence
from statistics import median

import dspy
from rapidfuzz import fuzz

from summq.eval.data import Row
from summq.eval.metrics.reference import share_said
from summq.optimizers.planted.summaries import PLANTABLE, Planted, damage
from summq.optimizers.role_tasks.base import Assessment, RoleTask, score_issues
from summq.optimizers.role_tasks.debates import contested, judge_grouping, judge_stands, reported
from summq.optimizers.role_tasks.material import draft_of
from summq.programs.text.reading import read
from summq.signatures import Issue

ERRORS = 3
LEAST_SIMILARITY = 85  # percent
LEAST_SHARE = 0.5  # of the words of a dropped sentence


def flawed_and_clean(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """A text with a few planted errors and without, for both of which a review is wanted."""
    clean = _text(row, rng, words)
    flawed, planted = _with_errors(clean, rng)
    if planted:
        variants = rng.sample([{"summary": flawed}, {"summary": clean}], 2)
        example = dspy.Example(
            document=row.document,
            questions=[],
            variants=variants,
            flawed=variants.index({"summary": flawed}),
            planted=planted,
        )
        yield example.with_inputs("document", "questions", "variants")


def contested_issues(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """True issues about errors planted in a text, and as many false ones of the same kinds, with arguments."""
    text, planted = _with_errors(_text(row, rng, words), rng)
    untouched = _untouched(text, planted)
    drawn = rng.sample(untouched, len(untouched))
    true = [_issue(error) for error in planted]
    decoys = [_decoy(issue.kind, sentence) for issue, sentence in zip(true, drawn, strict=False)]
    if decoys:
        yield contested(row.document, text, true, decoys, rng)


def reports(row: Row, other: Row, rng: random.Random, words: int) -> Iterator[dspy.Example]:
    """Issues of three reviewers: some of them the same in other words, some about the same words but something else."""
    _, planted = _with_errors(_text(row, rng, words), rng)
    same = [[_issue(error), _reworded(_issue(error))] for error in planted]
    alike = [
        Issue(kind="incoherence", target=issue.target, explanation="It can't be understood where it stands.")
        for issue, _ in same
        if issue.kind != "omission"
    ]
    if same:
        yield reported([*same, *([issue] for issue in alike)], rng)


def judge_review(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """How well the issues tell the planted errors from what is right.

    About the text without errors an omission is no false alarm: no summary says everything.
    """
    replies = [[issue for issue in one.found.issues if issue] for one in reply.replies]
    alarms = [issue for issue in replies[1 - gold.flawed] if issue.kind != "omission"]
    return score_issues(replies[gold.flawed], gold.planted, _is_about, _describe, alarms)


def _text(row: Row, rng: random.Random, words: int) -> str:
    """A human summary or a draft: what reviewers read in earnest is the latter, what is surely true the former."""
    return rng.choice([rng.choice(row.references), draft_of(row.document, words)])


def _with_errors(text: str, rng: random.Random) -> tuple[str, Sequence[Planted]]:
    """A text with one error of each of a few kinds, no two in one sentence, and half of the sentences left alone."""
    planted: list[Planted] = []
    most = max(1, min(ERRORS, len(read(text).sentences) // 2))
    for kind in rng.sample(PLANTABLE, len(PLANTABLE)):
        damaged = damage(text, kind, rng, most=1)
        if damaged is None or any(error.after not in damaged.text for error in planted):
            continue
        text, planted = damaged.text, [*planted, *damaged.planted]
        if len(planted) == most:
            break
    return text, planted


def _untouched(text: str, planted: Sequence[Planted]) -> list[str]:
    altered = [error.after for error in planted]
    return [s.text for s in read(text).sentences if s.prose and not any(s.text in after for after in altered)]


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


def _issue(error: Planted) -> Issue:
    """A true issue about a planted error, which says what is wrong and not what would be right."""
    if error.kind == "dropped_sentence":
        return _decoy("omission", error.before)
    if error.kind == "repetition":
        return _decoy("redundancy", error.before)
    return _decoy("factual_error", error.after)


def _decoy(kind: str, sentence: str) -> Issue:
    """An issue of a kind about a sentence: true if that has the fault, false if not."""
    explanations = {
        "omission": "The summary does not say this.",
        "redundancy": "The summary says this twice.",
        "factual_error": "The document says otherwise.",
    }
    return Issue(kind=kind, target=sentence, explanation=explanations[kind])


def _reworded(issue: Issue) -> Issue:
    """The same issue as another reviewer would put it."""
    words = issue.target.split()
    part = " ".join(words[: max(4, 2 * len(words) // 3)])
    explanations = {
        "omission": "Somebody who reads this never learns of it.",
        "redundancy": "Once would be enough.",
        "factual_error": "This is not borne out by the text.",
    }
    return Issue(kind=issue.kind, target=part, explanation=explanations[issue.kind])


REVIEW_TASKS = (
    RoleTask("summary_reviewer.review", flawed_and_clean, judge_review),
    RoleTask("summary_reviewer.debate", contested_issues, judge_stands, combine=median),
    RoleTask("summary_reviewer.verdict", contested_issues, judge_stands, combine=median),
    RoleTask("summary_grouper", reports, judge_grouping),
)

__all__ = ["REVIEW_TASKS"]
