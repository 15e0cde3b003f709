"""Which issues are agreed and which contested, and how votes on them count (Algorithm 3, lines b and d)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from summq.programs.text.quotes import same_text
from summq.signatures import (
    Argument,
    HeardArgument,
    IssueOutcome,
    LostAgent,
    NumberedIssue,
    ReviewerVerdicts,
    Verdict,
    named_label,
)

Group = list[NumberedIssue]


@dataclass(frozen=True)
class Grouping:
    """Groups of issues that are the same, and what grouped them: a call, a rule where the call failed, or nothing."""

    groups: list[Group]
    by: Literal["none", "call", "rule"]
    lost: list[LostAgent] = field(default_factory=list)

    @property
    def agreed(self) -> list[Group]:
        """M: what two or more distinct reviewers raised."""
        return [group for group in self.groups if len(_reviewers(group)) > 1]

    @property
    def contested(self) -> list[Group]:
        """C: what one reviewer raised."""
        return [group for group in self.groups if len(_reviewers(group)) == 1]


def grouped_by_ids(annotations: Sequence[NumberedIssue], groups_of_ids: Sequence[Sequence[str]]) -> list[Group]:
    """Issues in the groups that a reply names by ids.

    Unknown ids are ignored, an id counts once, and an issue that is not named stands alone.
    """
    left = {issue.id: issue for issue in annotations}
    known = set(left)
    named = [[i if i in known else named_label(i, known) for i in ids] for ids in groups_of_ids]
    groups = [[left.pop(i) for i in dict.fromkeys(ids) if i in left] for ids in named]
    groups = [group for group in groups if group] + [[issue] for issue in left.values()]
    order = {issue.id: place for place, issue in enumerate(annotations)}
    return sorted(groups, key=lambda group: order[group[0].id])


def grouped_by_rule(annotations: Sequence[NumberedIssue]) -> list[Group]:
    """Same kind and same words of the target."""
    groups: dict[tuple[str, str], Group] = defaultdict(list)
    for issue in annotations:
        groups[issue.kind, same_text(issue.target)].append(issue)
    return list(groups.values())


def outcome_of(
    group: Group, status: Literal["agreed", "upheld", "rejected"], upheld: int = 0, votes: int = 0
) -> IssueOutcome:
    """What became of a group."""
    ids = [issue.id for issue in group]
    return IssueOutcome(
        issue=group[0], members=ids, reviewers=_reviewers(group), status=status, upheld=upheld, votes=votes
    )


def tallied(group: Group, verdicts: Sequence[ReviewerVerdicts]) -> IssueOutcome:
    """Kept if upheld by more than half of the votes cast."""
    votes = [vote for v in verdicts if (vote := stand(v.verdicts, group[0].id)) is not None]
    upheld = sum(votes)
    return outcome_of(group, "upheld" if 2 * upheld > len(votes) else "rejected", upheld, len(votes))


def stand(verdicts: Sequence[Verdict | Argument], issue: str) -> bool | None:
    """One reviewer's vote on an issue; None when there is none, or when the reviewer votes both ways."""
    votes = {v.uphold for v in verdicts if v.issue == issue and v.uphold is not None}
    return votes.pop() if len(votes) == 1 else None


def stands_of(heard: Sequence[HeardArgument], round_number: int) -> dict[int, list[Verdict]]:
    """The stands taken in one round of debate as votes, by reviewer."""
    votes: dict[int, list[Verdict]] = defaultdict(list)
    for argument in heard:
        if argument.round == round_number:
            votes[argument.reviewer].append(Verdict(issue=argument.issue, uphold=argument.uphold))
    return dict(votes)


def settled(outcomes: Sequence[Any], contested: Sequence[NumberedIssue]) -> bool:
    """Whether all replies are there and alike on every issue: if they are a majority, nobody else changes that."""
    if any(isinstance(outcome, Exception) for outcome in outcomes):
        return False
    stands = [[stand(reply.votes.verdicts, issue.id) for reply in outcomes] for issue in contested]
    return all(None not in votes and len(set(votes)) == 1 for votes in stands)


def _reviewers(group: Group) -> list[int]:
    return sorted({issue.reviewer for issue in group})


__all__ = [
    "Grouping",
    "grouped_by_ids",
    "grouped_by_rule",
    "outcome_of",
    "settled",
    "stand",
    "stands_of",
    "tallied",
]
