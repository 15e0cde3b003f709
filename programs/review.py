"""REVIEW (Algorithm 3): annotate, agree, debate what is contested, vote on it."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import dspy

from summq.programs.agreement import Grouping, grouped_by_ids, grouped_by_rule, outcome_of, settled, stands_of, tallied
from summq.programs.config import Economy
from summq.programs.craft import Craft, Draft
from summq.programs.generate import angle_of
from summq.programs.runtime.parallel import parallel_outcomes
from summq.programs.runtime.replies import Replies, attempt, collect_replies
from summq.programs.runtime.role import Role
from summq.programs.text.quotes import excerpt, same_text
from summq.signatures import (
    DebateIssues,
    DecideIssues,
    Document,
    GroupIssues,
    HeardArgument,
    Issue,
    IssueOutcome,
    LostAgent,
    NumberedIssue,
    ReviewerVerdicts,
    ReviewRecord,
    Verdict,
    label,
    named_label,
)

READ_AGAIN = 0.1  # what a document costs that is in the provider's cache, in terms of one that is not
ANGLES = (
    "Go through the draft sentence by sentence, or question by question, and check each against the document.",
    "Go through the document from beginning to end and look for what matters and is missing from the draft.",
    "Look first at figures, dates and names, then at how the whole hangs together.",
    "Read as somebody who knows nothing of the matter and has to rely on the draft.",
    "Look first at what is said about causes, results and decisions.",
)


class Reviewer(dspy.Module):
    """One of n reviewers: annotates from its own angle; argues and votes if there is anybody to disagree with.

    In debate and vote nobody has an angle, but everybody is told who they are among those heard.
    """

    def __init__(self, craft: Craft[Any, Any], agent: int, *, debates: bool, decides: bool) -> None:
        super().__init__()
        role = f"{craft.name}_reviewer"
        self.review = Role(craft.review, f"{role}.review", agent, angle_of(agent, ANGLES))
        letter = label(agent)
        me = f"The draft is a {craft.name}. You are reviewer {letter}; issues with ids from {letter}1 on are your own."
        if debates:
            self.debate = Role(DebateIssues, f"{role}.debate", agent, me)
        if decides:
            self.verdict = Role(DecideIssues, f"{role}.verdict", agent, me)


class Review(dspy.Module):
    """Algorithm 3 for any artifact.

    Args:
        craft: What is reviewed and which signature asks for annotations.
        agents: Number n of reviewers. One reviewer has nobody to disagree with: all its issues are kept, nothing is
            debated.
        debate_rounds: T_debate.
        economy: What is left out though it may change the outcome.
        every_call: Whether calls that can't change the outcome are made, too.
    """

    def __init__(
        self,
        craft: Craft[Any, Any],
        agents: int,
        debate_rounds: int = 1,
        economy: Economy | None = None,
        *,
        every_call: bool = False,
    ) -> None:
        super().__init__()
        self.craft = craft
        self.debate_rounds = debate_rounds
        self.economy = economy or Economy()
        self.every_call = every_call
        several = agents > 1
        self.votes_in_debate = self.economy.verdict_in_debate and debate_rounds > 0
        self.reviewers = [
            Reviewer(craft, i, debates=several and debate_rounds > 0, decides=several and not self.votes_in_debate)
            for i in range(agents)
        ]
        if several:
            self.grouper = Role(
                GroupIssues.with_instructions(f"{GroupIssues.instructions}\n\nThe draft is a {craft.name}."),
                f"{craft.name}_grouper",
            )

    def forward(self, document: Document, draft: Draft, known: Sequence[Issue] = ()) -> ReviewRecord:
        """Review `draft` against the document.

        Args:
            draft: What is reviewed, and what it is read against.
            known: Issues that stand without review.

        Raises:
            AgentsLost: No majority of reviewers replied.
        """
        annotating = self._annotate(document, draft)  # line (a)
        annotations: list[NumberedIssue] = [issue for reply in annotating.by_agent.values() for issue in reply]
        if len(self.reviewers) == 1:
            outcomes = [outcome_of([issue], "agreed") for issue in annotations]
            return _review(known, outcomes, annotations=annotations, grouped_by="none", lost=annotating.lost)
        grouping = self._group(annotations)  # line (b): M and C
        contested = [group[0] for group in grouping.contested]
        evidence = evidence_of(contested, document) if self.economy.debate_on_passages else document
        with nullcontext() if evidence is document else dspy.context(primer=None):  # so little needs no primer
            debate = self._debate(evidence, draft, contested)  # line (c)
        deciding = self._decide(document, draft, contested, debate.heard)  # line (d): K
        verdicts = [ReviewerVerdicts(reviewer=r, verdicts=v) for r, v in deciding.by_agent.items()]
        agreed = [outcome_of(group, "agreed") for group in grouping.agreed]
        return _review(
            known,
            agreed + [tallied(group, verdicts) for group in grouping.contested],
            annotations=annotations,
            grouped_by=grouping.by,
            arguments=debate.heard,
            verdicts=verdicts,
            lost=[*annotating.lost, *grouping.lost, *debate.lost, *deciding.lost],
        )

    def _annotate(self, document: Document, draft: Draft) -> Replies[list[NumberedIssue]]:
        def one(agent: int) -> list[NumberedIssue]:
            issues = self.reviewers[agent].review(document=document, **vars(draft)).found.issues
            return [
                NumberedIssue(**issue.model_dump(), id=f"{label(agent)}{k}", reviewer=agent)
                for k, issue in enumerate(filter(None, issues), 1)
            ]

        n = len(self.reviewers)
        outcomes = parallel_outcomes(one, range(n), alike=True)
        return collect_replies(f"{self.craft.name}_reviewer.review", outcomes, at_least=n // 2 + 1)

    def _group(self, annotations: list[NumberedIssue]) -> Grouping:
        """Issues that are the same, together. Where only one reviewer raised any there is nothing to compare."""
        if len({issue.reviewer for issue in annotations}) < 2:
            return Grouping([[issue] for issue in annotations], "none")
        groups = attempt(self.grouper.role, lambda: self.grouper(issues=annotations).same.groups)
        if isinstance(groups, LostAgent):
            return Grouping(grouped_by_rule(annotations), "rule", [groups])
        return Grouping(grouped_by_ids(annotations, groups), "call")

    def _debate(self, document: Document, draft: Draft, contested: list[NumberedIssue]) -> "Debate":
        """All rounds of debate: one call per reviewer and round for all issues, earlier arguments shown."""
        heard: list[HeardArgument] = []
        lost: list[LostAgent] = []
        for round_number in range(1, self.debate_rounds + 1) if contested else ():
            outcomes = self._ask("debate", range(len(self.reviewers)), document, draft, contested, heard)
            replies = collect_replies(f"{self.craft.name}_reviewer.debate", outcomes)
            lost += replies.lost
            heard = heard + [
                HeardArgument(**argument.model_dump(), reviewer=reviewer, round=round_number)
                for reviewer, reply in replies.by_agent.items()
                for argument in _about(contested, reply.debate.arguments)
            ]
        return Debate(heard, lost)

    def _decide(
        self, document: Document, draft: Draft, contested: list[NumberedIssue], heard: list[HeardArgument]
    ) -> Replies[list[Verdict]]:
        """Votes by reviewer: verdicts of all who have read all arguments, or the stands taken in the last round."""
        n = len(self.reviewers)
        if not contested:
            return Replies({}, [])
        if self.votes_in_debate:
            return Replies(stands_of(heard, self.debate_rounds), [])
        first = n if self.every_call else n // 2 + 1
        outcomes = self._ask("verdict", range(first), document, draft, contested, heard)
        if not settled(outcomes, contested):
            outcomes += self._ask("verdict", range(first, n), document, draft, contested, heard)
        replies = collect_replies(f"{self.craft.name}_reviewer.verdict", outcomes)
        votes = {r: _about(contested, reply.votes.verdicts) for r, reply in replies.by_agent.items()}
        return Replies(votes, replies.lost)

    def _ask(
        self,
        duty: str,
        agents: Sequence[int],
        document: Document,
        draft: Draft,
        contested: list[NumberedIssue],
        heard: list[HeardArgument],
    ) -> list[Any]:
        roles = [getattr(self.reviewers[agent], duty) for agent in agents]
        inputs = {"draft": draft.about(contested), "contested": contested, "heard": quoted_once(heard, contested)}
        return parallel_outcomes(lambda role: role(document=document, **inputs), roles, alike=True)


@dataclass(frozen=True)
class Debate:
    """The arguments of all rounds, and the agents that were lost."""

    heard: list[HeardArgument]
    lost: list[LostAgent]


def evidence_of(contested: Sequence[Issue], document: Document) -> Document:
    """What a debate reads: the passages that the issues quote, if each quotes one and reading them costs less.

    An issue without evidence may quote the document in what it is about.
    """
    passages = excerpt(document.text, [issue.evidence or issue.target for issue in contested])
    if passages is None or len(passages) > READ_AGAIN * len(document.text):
        return document
    return Document(text=passages, title=document.title, id=document.id)


def quoted_once(heard: Sequence[HeardArgument], contested: Sequence[NumberedIssue]) -> list[HeardArgument]:
    """The arguments without quotations that stand in the issue itself, or in an argument about it before."""
    quoted = {(issue.id, same_text(text)) for issue in contested for text in (issue.target, issue.evidence)}
    told = []
    for argument in heard:
        quotation = (argument.issue, same_text(argument.evidence))
        told.append(argument.model_copy(update={"evidence": ""}) if quotation in quoted else argument)
        quoted.add(quotation)
    return told


def _about(contested: Sequence[NumberedIssue], items: Sequence[Any]) -> list[Any]:
    """Those of the arguments or votes that are about a contested issue."""
    ids = {issue.id for issue in contested}
    named = [(item, item.issue if item.issue in ids else named_label(item.issue, ids)) for item in items]
    return [item.model_copy(update={"issue": issue}) for item, issue in named if issue]


def _review(known: Sequence[Issue], outcomes: list[IssueOutcome], **record: Any) -> ReviewRecord:
    """The record with the issues that stand: M and K, after those that were known."""
    stand = [Issue(**o.issue.model_dump(exclude={"id", "reviewer"})) for o in outcomes if o.status != "rejected"]
    return ReviewRecord(outcomes=outcomes, issues=[*known, *stand], **record)


__all__ = ["Review", "evidence_of"]
