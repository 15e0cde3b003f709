"""Who replied and who was lost when several agents were asked (DESIGN 5.8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dspy.utils.exceptions import (
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMError,
    LMUnsupportedFeatureError,
    LMUnsupportedModelError,
)

from summq.programs.errors import AgentsLost, BackboneError, RunError
from summq.programs.runtime.role import UnusableReply
from summq.signatures import LostAgent

_HOPELESS = (LMAuthError, LMBillingError, LMConfigurationError, LMUnsupportedFeatureError, LMUnsupportedModelError)


@dataclass(frozen=True)
class Replies:
    """The replies that came, by the place of the agent asked, and the agents that were lost."""

    by_agent: dict[int, Any]
    lost: list[LostAgent]


def collect_replies(role: str, outcomes: Sequence[Any], *, at_least: int = 0) -> Replies:
    """Part the replies that came from the agents that were lost.

    A failure that one agent can have alone (an unreadable reply, a time-out, a refusal, an overloaded provider) loses
    that agent. Any other exception is raised: a spent budget, a rejected key, a bug.

    Raises:
        AgentsLost: Fewer than `at_least` replied.
        BackboneError: The backbone will fail every call (key, bill, model name, what it can't do).
    """
    for outcome in outcomes:
        if isinstance(outcome, _HOPELESS):
            raise as_expected(outcome, role) from outcome
        if isinstance(outcome, Exception) and not isinstance(outcome, (LMError, UnusableReply)):
            raise outcome
    replies = {i: outcome for i, outcome in enumerate(outcomes) if not isinstance(outcome, Exception)}
    lost = [
        LostAgent(role=role, member=i, error=first_line(outcome))
        for i, outcome in enumerate(outcomes)
        if isinstance(outcome, Exception)
    ]
    if len(replies) < at_least:
        raise AgentsLost(
            f"{role}: only {len(replies)} of {len(outcomes)} agents replied, {at_least} are needed; "
            f"last error: {lost[-1].error}; finished calls are kept: run again to continue"
        )
    return Replies(replies, lost)


def as_expected(error: Exception, role: str = "") -> Exception:
    """What a user is told of an exception: failures of a backbone as a SummQError, any other exception as it is."""
    if not isinstance(error, LMError):
        return error
    kind = BackboneError if isinstance(error, _HOPELESS) else RunError
    return kind(f"{role}: {first_line(error)}" if role else first_line(error))


def first_line(error: BaseException) -> str:
    """An error in one line of at most 200 characters."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]


__all__ = ["Replies", "as_expected", "collect_replies", "first_line"]
