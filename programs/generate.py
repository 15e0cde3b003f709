"""GENERATE (Algorithm 2): independent drafts, an aggregate, the best draft, and a vote between the two."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import dspy
from pydantic import BaseModel

from summq.programs.config import Economy
from summq.programs.craft import Brief, Craft, ask
from summq.programs.errors import BudgetSpent
from summq.programs.runtime.adapter import document_field
from summq.programs.runtime.cache import accepted_replies
from summq.programs.runtime.parallel import parallel_outcomes, together
from summq.programs.runtime.replies import Replies, attempt, collect_replies
from summq.programs.runtime.role import Role, UnusableReply
from summq.signatures import Choice, Decision, Generation, Issue, LostAgent, Vote, label, named_label

Artifact = TypeVar("Artifact")

ANGLES = (
    "Attend above all to what carries the whole: the main course of things from beginning to end.",
    "Attend above all to people and institutions: who did what, and why.",
    "Attend above all to figures, dates and quantities, and to what they show.",
    "Attend above all to causes and results: what led to what.",
    "Attend above all to the middle and the end, which readers tend to neglect.",
)


class Generator(dspy.Module):
    """One of n agents: drafts and revises from its own angle, and votes without one if there are others."""

    def __init__(self, craft: Craft[Any, Any], agent: int, *, votes: bool, voter_reads: bool) -> None:
        super().__init__()
        role = f"{craft.name}_generator"
        angle = angle_of(agent, ANGLES)
        self.draft = Role(craft.draft, f"{role}.draft", agent, angle)
        self.revise = Role(craft.revise, f"{role}.revise", agent, angle)
        if votes:
            self.vote = Role(
                _for_readers(craft.vote, voter_reads), f"{role}.vote", agent, f"You are voter {agent + 1}."
            )


@dataclass
class Mending:
    """What came of mending drafts: whose reply was lost, and the sentences that code left out of each agent's text."""

    lost: list[LostAgent] = field(default_factory=list)
    left_out: dict[int, list[str]] = field(default_factory=dict)


class Generate(dspy.Module, Generic[Artifact]):
    """Algorithm 2 for any artifact.

    Args:
        craft: What is made and which signatures ask for it.
        agents: Number n of generators.
        economy: What is left out though it may change the outcome.
        every_call: Whether calls that can't change the outcome are made, too.
        seed: Of the order in which voters see the candidates.
    """

    def __init__(
        self,
        craft: Craft[Artifact, Any],
        agents: int,
        economy: Economy | None = None,
        *,
        every_call: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.craft = craft
        self.economy = economy or Economy()
        self.every_call = every_call
        self.seed = seed
        reads = not self.economy.comparing_without_document
        self.generators = [Generator(craft, i, votes=agents > 1, voter_reads=reads) for i in range(agents)]
        if agents > 1:
            self.aggregator = Role(_for_readers(craft.aggregate, reads), f"{craft.name}_aggregator")
            self.ranker = Role(_for_readers(craft.rank, reads), f"{craft.name}_ranker")

    def forward(
        self, brief: Brief, previous: Artifact | None = None, feedback: Sequence[Issue] = ()
    ) -> Generation[Artifact]:
        """Draft, or revise `previous` in the light of `feedback`.

        Where no revision can be had `previous` stays as it is. A budget that ends before the choice leaves the first
        draft.

        Args:
            brief: What the craft's signatures ask for whoever replies: the document, and how much is to be written.

        Raises:
            AgentsLost: No generator replied, and there is nothing to revise.
            BudgetSpent: The budget ended before there was a draft.
        """
        mending = Mending()
        drafting = self._draft(brief, previous, feedback, mending)  # line (a)
        drafts = list(drafting.by_agent.values())
        if previous is not None and not drafts:
            made = Generation[Any](drafts=[], chosen=previous, decided_by="unrevised", lost=drafting.lost)
        else:
            try:
                made = self._choose(brief, drafts, drafting.lost, mending)
            except BudgetSpent:
                made = Generation[Any](drafts=drafts, chosen=drafts[0], decided_by="budget", lost=drafting.lost)
        left_out = [sentence for _, by_agent in sorted(mending.left_out.items()) for sentence in by_agent]
        return made.model_copy(update={"lost": [*made.lost, *mending.lost], "left_out": left_out})

    def _choose(
        self, brief: Brief, drafts: list[Artifact], lost: list[LostAgent], mending: Mending
    ) -> Generation[Artifact]:
        """One of the drafts, or one made out of all of them."""
        if decision := self._decision_without_vote(drafts):
            return Generation[Any](drafts=drafts, best=0, chosen=drafts[0], decided_by=decision, lost=lost)
        candidates = self._candidates(brief, drafts, mending)  # lines (b) and (c)
        aggregate, best = (None if isinstance(one, LostAgent) else one for one in candidates)
        lost = [*lost, *(one for one in candidates if isinstance(one, LostAgent))]
        record = partial(Generation[Any], drafts=drafts, aggregate=aggregate, best=best)
        if aggregate is None or best is None:
            chosen = aggregate if aggregate is not None else drafts[best or 0]
            return record(decided_by="only_candidate", chosen=chosen, lost=lost)
        if aggregate == drafts[best] and not self.every_call:
            return record(decided_by="equal", chosen=aggregate, lost=lost)
        voting = self._vote(brief, aggregate, drafts[best])  # line (d)
        votes: list[Vote] = list(voting.by_agent.values())
        for_best = sum(vote.choice == "best" for vote in votes)
        return record(
            votes=votes,
            decided_by="tie" if 2 * for_best == len(votes) else "vote",
            chosen=drafts[best] if 2 * for_best > len(votes) else aggregate,
            lost=[*lost, *voting.lost],
        )

    def _draft(
        self, brief: Brief, previous: Artifact | None, feedback: Sequence[Issue], mending: Mending
    ) -> Replies[Artifact]:
        """The drafts that could be had, also where the budget ended before others."""

        def one(generator: Generator) -> Artifact:
            written: Artifact
            if previous is None:
                written = self.craft.first_draft(generator.draft, brief)
            else:
                written = self.craft.revision(generator.revise, brief, previous, feedback)
            return self._mend(generator, brief, written, mending)

        revising = previous is not None
        outcomes = parallel_outcomes(one, self.generators, alike=revising)
        if not all(isinstance(outcome, Exception) for outcome in outcomes):  # whom the budget stopped is lost to them
            outcomes = [UnusableReply(str(one)) if isinstance(one, BudgetSpent) else one for one in outcomes]
        return collect_replies(f"{self.craft.name}_generator", outcomes, at_least=0 if revising else 1)

    def _mend(self, generator: Generator, brief: Brief, draft: Artifact, mending: Mending) -> Artifact:
        """What was written; where code finds fault with it, it is sent back once, and then fitted by code."""
        faults = self.craft.faults(brief, draft)
        if not faults:
            return draft
        revised = self._sent_back(generator.revise, brief, draft, faults, mending)
        fitted, left_out = self.craft.fitted(brief, revised)
        mending.left_out.setdefault(generator.revise.agent, []).extend(left_out)
        return fitted

    def _sent_back(
        self, role: Role, brief: Brief, draft: Artifact, faults: Sequence[Issue], mending: Mending
    ) -> Artifact:
        """The better one of what came back and the draft, which stays where nothing comes back."""
        try:
            revised = attempt(role.role, lambda: self.craft.revision(role, brief, draft, faults), role.agent)
        except BudgetSpent:
            return draft
        if isinstance(revised, LostAgent):
            mending.lost.append(revised)
            return draft
        return self.craft.better(brief, draft, revised)

    def _decision_without_vote(self, drafts: Sequence[Artifact]) -> Decision | None:
        """Why the first draft is chosen without comparison; None if there is something to compare."""
        if len(drafts) == 1:
            return "single" if len(self.generators) == 1 else "only_candidate"
        equal = all(draft == drafts[0] for draft in drafts)
        return "equal" if equal and not self.every_call else None

    def _candidates(self, brief: Brief, drafts: Sequence[Artifact], mending: Mending) -> list[Any]:
        """The aggregate, and the index of the best draft; a `LostAgent` stands for either that could not be had."""
        return together(
            lambda: attempt(self.aggregator.role, lambda: self._aggregate(brief, drafts, mending)),
            lambda: attempt(self.ranker.role, lambda: self._best(brief, drafts)),
        )

    def _aggregate(self, brief: Brief, drafts: Sequence[Artifact], mending: Mending) -> Artifact:
        """The aggregate; the first generator mends it where it has to be."""
        return self._mend(self.generators[0], brief, self.craft.aggregation(self.aggregator, brief, drafts), mending)

    def _best(self, brief: Brief, drafts: Sequence[Artifact]) -> int:
        """The index of the draft that the ranker names by its label."""
        shown = self.craft.comparison(brief, drafts)
        labelled = {label(i): draft for i, draft in enumerate(shown.candidates)}
        with accepted_replies():
            reply = ask(self.ranker, shown.brief, **shown.inputs, candidates=labelled).best
            best = named_label(reply, labelled)
            if best is None:
                raise UnusableReply(f"{self.ranker.role}: named {reply[:40]!r}, which is not one candidate")
        return list(labelled).index(best)

    def _vote(self, brief: Brief, aggregate: Artifact, best: Artifact) -> Replies[Vote]:
        """The generators' choices.

        Voters see the candidates in an order that alternates from voter to voter; which comes first is drawn for each
        pair of candidates, so that whoever always prefers the first decides nothing on average.
        """

        def one(agent: int) -> Vote:
            order: tuple[Choice, Choice] = ("aggregate", "best") if (agent + drawn) % 2 == 0 else ("best", "aggregate")
            first, second = shown.candidates if order[0] == "aggregate" else reversed(shown.candidates)
            reply = ask(self.generators[agent].vote, shown.brief, **shown.inputs, first=first, second=second)
            return Vote(voter=agent, choice=order[reply.better == "second"], shown_first=order[0])

        shown = self.craft.comparison(brief, [aggregate, best])
        pair = f"{_in_full(aggregate)}/{_in_full(best)}"
        drawn = random.Random(f"{self.seed}/{brief.document.key}/{pair}").randrange(2)
        everybody = list(range(len(self.generators)))
        majority = len(everybody) // 2 + 1
        first = everybody if self.every_call else everybody[:majority]
        outcomes = parallel_outcomes(one, first, alike=bool(shown.inputs))  # candidates come in another order for each
        if not _unanimous(outcomes):
            outcomes += parallel_outcomes(one, everybody[len(first) :])
        return collect_replies(f"{self.craft.name}_generator.vote", outcomes)


def angle_of(agent: int, angles: Sequence[str]) -> str:
    """The angle of one agent; beyond the list they repeat, told apart by a number."""
    angle = angles[agent % len(angles)]
    return angle if agent < len(angles) else f"{angle} You are reader number {agent + 1}."


def _in_full(artifact: Any) -> str:
    """Everything in an artifact, whose own `repr` may be short."""
    return BaseModel.__repr__(artifact) if isinstance(artifact, BaseModel) else repr(artifact)


def _for_readers(signature: type[dspy.Signature], reads: bool) -> type[dspy.Signature]:
    """The signature with its document field or without it."""
    name = document_field(signature)
    return signature if reads or name is None else signature.delete(name)


def _unanimous(outcomes: Sequence[Any]) -> bool:
    return all(isinstance(vote, Vote) for vote in outcomes) and len({vote.choice for vote in outcomes}) == 1


__all__ = ["ANGLES", "Generate", "angle_of"]
