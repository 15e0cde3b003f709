"""Reviewers in debate: upholding issues about planted errors, rejecting invented ones."""

import random
from collections.abc import Iterator

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.summaries import Planted
from summq.optimizers.role_tasks.base import Assessment, RoleTask
from summq.optimizers.role_tasks.reviews import plant
from summq.programs.agreement import stand
from summq.programs.text.reading import read
from summq.signatures import Issue, NumberedIssue


def contested_issues(row: Row, other: Row, rng: random.Random) -> Iterator[dspy.Example]:
    """True issues about the errors planted in a reference, and as many invented ones about sentences left alone."""
    text, planted = plant(rng.choice(row.references), rng)
    altered = [error.after for error in planted]
    clean = [s.text for s in read(text).sentences if s.prose and not any(s.text in after for after in altered)]
    issues = [(_true_issue(error), True) for error in planted]
    issues += [(_invented_issue(sentence), False) for sentence in rng.sample(clean, min(len(planted), len(clean)))]
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


def stands_taken(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of issues on which the stand is right; none taken is wrong."""
    stands = reply.debate.arguments if "debate" in reply else reply.votes.verdicts
    wrong = [
        f"Issue {issue.id} should {'stand' if right else 'be rejected'}: {issue.explanation} {issue.target!r}"
        for issue, right in zip(gold.contested, gold.upheld, strict=True)
        if stand(stands, issue.id) is not right
    ]
    return Assessment(1 - len(wrong) / len(gold.upheld), tuple(wrong))


def _true_issue(error: Planted) -> Issue:
    if error.kind == "dropped_sentence":
        return Issue(kind="omission", target=error.before, explanation="The summary does not say this.")
    if error.kind == "repetition":
        return Issue(kind="redundancy", target=error.before, explanation="The summary says this twice.")
    return Issue(kind="factual_error", target=error.after, explanation="The document says otherwise.")


def _invented_issue(sentence: str) -> Issue:
    return Issue(kind="factual_error", target=sentence, explanation="The document says otherwise.")


DEBATE_TASKS = (
    RoleTask("summary_reviewer.debate", contested_issues, stands_taken),
    RoleTask("summary_reviewer.verdict", contested_issues, stands_taken),
)

__all__ = ["DEBATE_TASKS"]
