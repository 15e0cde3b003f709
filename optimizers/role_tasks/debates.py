"""What debates and groupings are about, whatever is reviewed: contested issues with arguments, and reported issues."""

import random
from collections.abc import Sequence
from itertools import combinations

import dspy

from summq.optimizers.role_tasks.base import Assessment
from summq.programs.agreement import stand
from summq.signatures import Document, HeardArgument, Issue, NumberedIssue

REVIEWERS = 3
FOR = "The draft has this fault: I have compared the two."
AGAINST = "I can't find this fault: the draft is in order here."


def contested(
    document: Document, draft: str, true: Sequence[Issue], decoys: Sequence[Issue], rng: random.Random
) -> dspy.Example:
    """Issues to debate or vote on, with an argument for and one against each: neither says which is right."""
    mixed = [(issue, True) for issue in true[: len(decoys)]] + [(issue, False) for issue in decoys]
    rng.shuffle(mixed)
    issues = [_with_id(issue, place, place % REVIEWERS) for place, (issue, _) in enumerate(mixed)]
    heard = [argument for issue in issues for argument in _both_sides(issue, rng)]
    example = dspy.Example(
        document=document, draft=draft, contested=issues, heard=heard, upheld=[upheld for _, upheld in mixed]
    )
    return example.with_inputs("document", "draft", "contested", "heard")


def reported(groups: Sequence[Sequence[Issue]], rng: random.Random) -> dspy.Example:
    """Issues in random order, no two of a group by one reviewer; `groups` holds the ids of those that are the same."""
    flat = [(issue, number) for number, group in enumerate(groups) for issue in group]
    rng.shuffle(flat)
    seen: dict[int, int] = {}
    issues, ids = [], dict[int, list[str]]()
    for place, (issue, group) in enumerate(flat):
        reviewer = (group + seen.get(group, 0)) % REVIEWERS
        seen[group] = seen.get(group, 0) + 1
        issues.append(_with_id(issue, place, reviewer))
        ids.setdefault(group, []).append(issues[-1].id)
    example = dspy.Example(issues=issues, groups=[group for group in ids.values() if len(group) > 1])
    return example.with_inputs("issues")


def judge_stands(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """The share of issues on which the stand is right; an issue without a stand counts as wrong."""
    stands = reply.debate.arguments if "debate" in reply else reply.votes.verdicts
    wrong = [
        f"Issue {issue.id} should {'stand' if right else 'be rejected'}: {issue.explanation} {issue.target!r}"
        for issue, right in zip(gold.contested, gold.upheld, strict=True)
        if stand(stands, issue.id) is not right
    ]
    return Assessment(1 - len(wrong) / len(gold.upheld), tuple(wrong))


def judge_grouping(gold: dspy.Example, reply: dspy.Prediction) -> Assessment:
    """F1 of the pairs of issues that are the same; grouping nothing scores 0."""
    known = {issue.id: issue for issue in gold.issues}
    pairs = _pairs([[issue for issue in group if issue in known] for group in reply.same.groups])
    wanted = _pairs(gold.groups)
    missed = [f"The same: {known[a].explanation!r} and {known[b].explanation!r}" for a, b in sorted(wanted - pairs)]
    wrong = [
        f"Not the same: {known[a].kind}, {known[a].explanation!r} and {known[b].kind}, {known[b].explanation!r}"
        for a, b in sorted(pairs - wanted)
    ]
    score = 2 * len(pairs & wanted) / (len(pairs) + len(wanted))
    return Assessment(score, (*missed, *wrong))


def _pairs(groups: Sequence[Sequence[str]]) -> set[tuple[str, str]]:
    return {pair for group in groups for pair in combinations(sorted(set(group)), 2)}


def _with_id(issue: Issue, place: int, reviewer: int) -> NumberedIssue:
    return NumberedIssue(**issue.model_dump(), id=f"{'ABC'[reviewer]}{place + 1}", reviewer=reviewer)


def _both_sides(issue: NumberedIssue, rng: random.Random) -> list[HeardArgument]:
    sides = [(FOR, True), (AGAINST, False)]
    speakers = [issue.reviewer, (issue.reviewer + 1) % REVIEWERS]
    return [
        HeardArgument(issue=issue.id, argument=text, uphold=uphold, reviewer=speaker, round=1)
        for (text, uphold), speaker in rng.sample(list(zip(sides, speakers, strict=True)), 2)
    ]


__all__ = ["contested", "judge_grouping", "judge_stands", "reported"]
