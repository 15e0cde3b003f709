"""REVIEW (Algorithm 3): annotate, agree, debate what is contested, vote on it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import dspy

from summq.programs.config import Savings
from summq.programs.crafts import Craft, asked_for
from summq.programs.generate import angle_of
from summq.programs.quotes import same_text
from summq.programs.runtime.fan_out import fan_out
from summq.programs.runtime.members import RollCall, call_roll
from summq.programs.runtime.role import Role
from summq.signatures import (
    Argument,
    DebateIssues,
    DecideIssues,
    Document,
    GroupIssues,
    HeardArgument,
    Issue,
    IssueOutcome,
    NumberedIssue,
    ReviewerVerdicts,
    ReviewRecord,
    Verdict,
)

ANGLES = (
    "Go through the draft sentence by sentence, or question by question, and check each against the document.",
    "Go through the document from beginning to end and look for what matters and is missing from the draft.",
    "Look first at figures, dates and names, then at how the whole hangs together.",
    "Read as somebody who knows nothing of the matter and has to rely on the draft.",
    "Look first at what is said about causes, results and decisions.",
)


class Reviewer(dspy.Module):
    """One of n reviewers: annotates, and argues and votes if there is anybody to disagree with."""

    def __init__(self, craft: Craft[Any], member: int, *, debates: bool, decides: bool) -> None:
        super().__init__()
        role = f"{craft.name}_reviewer"
        angle = angle_of(member, ANGLES)
        self.review = Role(craft.review, f"{role}.review", member, angle)
        if debates:
            self.debate = Role(DebateIssues, f"{role}.debate", member, f"{angle} What is debated is a {craft.name}.")
        if decides:
            self.verdict = Role(DecideIssues, f"{role}.verdict", member, f"{angle} What is voted on is a {craft.name}.")


class Review(dspy.Module):
    """Algorithm 3 for any artifact.

    Args:
        craft: What is reviewed and which signature asks for annotations.
        agents: Number n of reviewers. One reviewer has nobody to disagree with: all its issues are kept, nothing is
            debated.
        debate_rounds: T_debate.
        savings: Which calls may be left out.
    """

    def __init__(self, craft: Craft[Any], agents: int, debate_rounds: int = 1, savings: Savings | None = None) -> None:
        super().__init__()
        self.craft = craft
        self.debate_rounds = debate_rounds
        self.savings = savings or Savings()
        several = agents > 1
        self.votes_in_debate = self.savings.verdict_in_debate and debate_rounds > 0
        self.reviewers = [
            Reviewer(craft, i, debates=several and debate_rounds > 0, decides=several and not self.votes_in_debate)
            for i in range(agents)
        ]
        if several:
            self.grouper = Role(
                GroupIssues.with_instructions(f"{GroupIssues.instructions}\n\nThe draft is a {craft.name}."),
                f"{craft.name}_grouper",
            )

    def forward(
        self, document: Document, draft: Any, inputs: Mapping[str, Any], known: Sequence[Issue] = ()
    ) -> ReviewRecord:
        """Review `draft` against the document.

        Args:
            inputs: What the review signature asks for (the draft under its field's name, and what it is read against).
            known: Issues that stand without review.

        Raises:
            MembersLost: No majority of reviewers replied.
        """
        annotating = self._annotate(document, inputs)  # line (a)
        annotations: list[NumberedIssue] = [issue for reply in annotating.replies.values() for issue in reply]
        if len(self.reviewers) == 1:
            outcomes = [_outcome([issue], "agreed") for issue in annotations]
            return _review(annotations, "none", outcomes, known, lost=annotating.lost)
        groups, grouped_by = self._group(annotations)
        agreed = [group for group in groups if len({issue.reviewer for issue in group}) > 1]  # line (b): M
        contested = [group[0] for group in groups if len({issue.reviewer for issue in group}) == 1]  # line (b): C
        arguments, lost = self._debate(document, draft, contested)  # line (c)
        deciding, asked = self._decide(document, draft, contested, arguments)  # line (d)
        verdicts = [ReviewerVerdicts(reviewer=r, verdicts=v) for r, v in deciding.replies.items()]
        by_id = {group[0].id: group for group in groups}
        outcomes = [_outcome(group, "agreed") for group in agreed]
        outcomes += [_tallied(by_id[issue.id], verdicts) for issue in contested]
        unasked = len(self.reviewers) - asked if contested else 0
        return _review(
            annotations,
            grouped_by,
            outcomes,
            known,
            arguments=arguments,
            verdicts=verdicts,
            lost=[*annotating.lost, *lost, *deciding.lost],
            saved=self._saved(unasked),
        )

    def _annotate(self, document: Document, inputs: Mapping[str, Any]) -> RollCall:
        def one(member: int) -> list[NumberedIssue]:
            role = self.reviewers[member].review
            found = role(**asked_for(role, {"document": document, **inputs})).found.issues
            sound = [issue for issue in found if issue]
            return [
                NumberedIssue(**issue.model_dump(), id=f"{member + 1}.{k}", reviewer=member)
                for k, issue in enumerate(sound, 1)
            ]

        n = len(self.reviewers)
        outcomes = fan_out([lambda m=m: one(m) for m in range(n)])  # type: ignore[misc]
        return call_roll(f"{self.craft.name}_reviewer.review", outcomes, at_least=n // 2 + 1)

    def _group(self, annotations: list[NumberedIssue]) -> tuple[list[list[NumberedIssue]], Any]:
        """Issues that are the same, together. Where only one reviewer raised any there is nothing to compare."""
        if len({issue.reviewer for issue in annotations}) < 2:
            return [[issue] for issue in annotations], "none"
        (outcome,) = fan_out([lambda: self.grouper(issues=annotations).same.groups])
        told = call_roll(self.grouper.role, [outcome]).replies.get(0)
        if told is None:
            return _grouped_by_rule(annotations), "rule"
        return _grouped_as_told(annotations, told), "call"

    def _debate(
        self, document: Document, draft: Any, contested: list[NumberedIssue]
    ) -> tuple[list[HeardArgument], list[Any]]:
        """All rounds of debate: one call per reviewer and round for all issues, earlier arguments shown."""
        heard: list[HeardArgument] = []
        lost: list[Any] = []
        for round_number in range(1, self.debate_rounds + 1) if contested else ():
            outcomes = self._ask_all("debate", document, draft, contested, heard)
            roll = call_roll(f"{self.craft.name}_reviewer.debate", outcomes)
            lost += roll.lost
            heard = heard + [
                HeardArgument(**argument.model_dump(), reviewer=reviewer, round=round_number)
                for reviewer, reply in roll.replies.items()
                for argument in _about(contested, reply.debate.arguments)
            ]
        return heard, lost

    def _decide(
        self, document: Document, draft: Any, contested: list[NumberedIssue], heard: list[HeardArgument]
    ) -> tuple[RollCall, int]:
        """Votes by reviewer and how many were asked; the stand taken in the last round where that is the vote."""
        n = len(self.reviewers)
        if not contested:
            return RollCall({}, []), 0
        if self.votes_in_debate:
            return RollCall(_stands(heard, self.debate_rounds), []), n
        first = n // 2 + 1 if self.savings.majority_suffices else n
        outcomes = self._ask_all("verdict", document, draft, contested, heard, range(first))
        if first < n and not _settled(outcomes, contested):
            outcomes += self._ask_all("verdict", document, draft, contested, heard, range(first, n))
        roll = call_roll(f"{self.craft.name}_reviewer.verdict", outcomes)
        votes = {r: _about(contested, reply.votes.verdicts) for r, reply in roll.replies.items()}
        return RollCall(votes, roll.lost), len(outcomes)

    def _ask_all(
        self,
        duty: str,
        document: Document,
        draft: Any,
        contested: list[NumberedIssue],
        heard: list[HeardArgument],
        members: Sequence[int] | None = None,
    ) -> list[Any]:
        shown = self.craft.shown(draft)
        roles = [getattr(self.reviewers[m], duty) for m in members or range(len(self.reviewers))]
        return fan_out(
            [lambda r=r: r(document=document, draft=shown, contested=contested, heard=heard) for r in roles]  # type: ignore[misc]
        )

    def _saved(self, unasked: int) -> dict[str, int]:
        return {"majority_suffices": unasked} if unasked else {}


def _outcome(group: Sequence[NumberedIssue], status: Any, upheld: int = 0, votes: int = 0) -> IssueOutcome:
    return IssueOutcome(
        issue=group[0],
        members=[issue.id for issue in group],
        reviewers=sorted({issue.reviewer for issue in group}),
        status=status,
        upheld=upheld,
        votes=votes,
    )


def _tallied(group: Sequence[NumberedIssue], verdicts: Sequence[ReviewerVerdicts]) -> IssueOutcome:
    """Line (d): kept if upheld by more than half of the votes cast."""
    votes = [vote for v in verdicts if (vote := stand(v.verdicts, group[0].id)) is not None]
    upheld = sum(votes)
    return _outcome(group, "upheld" if 2 * upheld > len(votes) else "rejected", upheld, len(votes))


def stand(verdicts: Sequence[Verdict | Argument], issue: str) -> bool | None:
    """One reviewer's vote on an issue; None when there is none, or when the reviewer contradicts himself."""
    votes = {v.uphold for v in verdicts if v.issue == issue and v.uphold is not None}
    return votes.pop() if len(votes) == 1 else None


def _stands(heard: Sequence[HeardArgument], last_round: int) -> dict[int, list[Verdict]]:
    """The stands of the last round as votes, by reviewer."""
    votes: dict[int, list[Verdict]] = defaultdict(list)
    for argument in heard:
        if argument.round == last_round:
            votes[argument.reviewer].append(Verdict(issue=argument.issue, uphold=argument.uphold))
    return dict(votes)


def _settled(outcomes: Sequence[Any], contested: Sequence[NumberedIssue]) -> bool:
    """Whether a majority of all reviewers has voted alike on every issue, so that nobody else can change anything."""
    if any(isinstance(outcome, Exception) for outcome in outcomes):
        return False
    stands = [[stand(reply.votes.verdicts, issue.id) for reply in outcomes] for issue in contested]
    return all(None not in votes and len(set(votes)) == 1 for votes in stands)


def _about(contested: Sequence[NumberedIssue], items: Sequence[Any]) -> list[Any]:
    """What is about an issue that exists."""
    known = {issue.id for issue in contested}
    return [item for item in items if item.issue in known]


def _grouped_as_told(annotations: Sequence[NumberedIssue], told: Sequence[Sequence[str]]) -> list[list[NumberedIssue]]:
    """The groups of the grouping call. Unknown ids are ignored, an id counts once, what is not named stands alone."""
    open_issues = {issue.id: issue for issue in annotations}
    groups = [[open_issues.pop(i) for i in dict.fromkeys(ids) if i in open_issues] for ids in told]
    groups = [group for group in groups if group] + [[issue] for issue in open_issues.values()]
    order = {issue.id: k for k, issue in enumerate(annotations)}
    return sorted(groups, key=lambda group: order[group[0].id])


def _grouped_by_rule(annotations: Sequence[NumberedIssue]) -> list[list[NumberedIssue]]:
    """Same kind and same normalised target."""
    groups: dict[str, list[NumberedIssue]] = defaultdict(list)
    for issue in annotations:
        groups[f"{issue.kind}: {same_text(issue.target)}"].append(issue)
    return list(groups.values())


def _review(
    annotations: list[NumberedIssue],
    grouped_by: Any,
    outcomes: list[IssueOutcome],
    known: Sequence[Issue],
    **record: Any,
) -> ReviewRecord:
    stands = [Issue(**o.issue.model_dump(exclude={"id", "reviewer"})) for o in outcomes if o.status != "rejected"]
    return ReviewRecord(
        annotations=annotations, grouped_by=grouped_by, outcomes=outcomes, issues=[*known, *stands], **record
    )


__all__ = ["Review", "Reviewer", "stand"]
