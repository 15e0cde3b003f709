"""What a run was spared, by rule, counted from its record afterwards.

Rules are those of `Economy`, and two that can't change the outcome: `majority_suffices` (no further votes, no
comparison of equals) and `keep_uncriticised` (no revision without feedback). Counts are of calls that were not made
(of a review that was not made, of its annotations), and of readings of the document by calls that were
(`comparing_without_document`, `debate_on_passages`).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from summq.programs.config import SummQConfig
from summq.programs.review import evidence_of
from summq.signatures import Document, Generation, Iteration, LostAgent, ReviewRecord


def with_savings(iterations: Sequence[Iteration], document: Document, config: SummQConfig) -> list[Iteration]:
    """The iterations with what each generation and review was spared.

    Args:
        document: As the agents read it.
    """
    return [_counted(iteration, number, document, config) for number, iteration in enumerate(iterations, 1)]


def total_savings(iterations: Sequence[Iteration]) -> dict[str, int]:
    """What all iterations together were spared, by rule."""
    total: Counter[str] = Counter()
    for i in iterations:
        for record in (i.summary_generation, i.quiz_generation, i.summary_review, i.quiz_review):
            total.update(record.saved if record else {})
    return dict(total)


def _counted(this: Iteration, number: int, document: Document, config: SummQConfig) -> Iteration:
    unheard = config.reviews and not config.reviews_iteration(number)

    def of_review(record: ReviewRecord, agents: int) -> ReviewRecord:
        saved = {"no_last_review": agents} if unheard else saved_by_review(record, agents, document, config)
        return record.model_copy(update={"saved": saved})

    def of_generation(record: Generation[Any], agents: int) -> Generation[Any]:
        return record.model_copy(update={"saved": saved_by_generation(record, agents, config)})

    update: dict[str, Any] = {
        "summary_generation": of_generation(this.summary_generation, config.summary_generators),
        "summary_review": of_review(this.summary_review, config.summary_reviewers),
    }
    if this.quiz_generation and this.quiz_review:
        update["quiz_generation"] = of_generation(this.quiz_generation, config.quiz_generators)
        update["quiz_review"] = of_review(this.quiz_review, config.quiz_reviewers)
    return this.model_copy(update=update)


def saved_by_generation(record: Generation[Any], agents: int, config: SummQConfig) -> dict[str, int]:
    """What one run of Algorithm 2 by so many generators was spared."""
    comparisons = 2 + agents if agents > 1 else 0
    if record.decided_by == "kept":
        return {"keep_uncriticised": agents + comparisons}
    if record.decided_by == "equal" and record.aggregate is None:
        return _counts({"majority_suffices": comparisons})
    if record.decided_by not in ("equal", "vote", "tie"):
        return {}
    votes = len(record.votes) + _lost(record.lost, "vote")
    unread = 2 + votes if config.economy.comparing_without_document else 0
    return _counts({"majority_suffices": agents - votes, "comparing_without_document": unread})


def saved_by_review(record: ReviewRecord, agents: int, document: Document, config: SummQConfig) -> dict[str, int]:
    """What one run of Algorithm 3 by so many reviewers was spared; nothing where no issue was contested."""
    contested = [outcome.issue for outcome in record.outcomes if outcome.status != "agreed"]
    if not contested:
        return {}
    in_debate = config.economy.verdict_in_debate and config.debate_rounds > 0
    on_passages = config.economy.debate_on_passages and evidence_of(contested, document) is not document
    verdicts = 0 if in_debate else len(record.verdicts) + _lost(record.lost, "verdict")
    return _counts(
        {
            "verdict_in_debate" if in_debate else "majority_suffices": agents - verdicts,
            "debate_on_passages": agents * config.debate_rounds if on_passages else 0,
        }
    )


def _lost(lost: Sequence[LostAgent], duty: str) -> int:
    return sum(agent.role.endswith(f".{duty}") for agent in lost)


def _counts(saved: dict[str, int]) -> dict[str, int]:
    return {rule: number for rule, number in saved.items() if number}


__all__ = ["saved_by_generation", "saved_by_review", "total_savings", "with_savings"]
