"""Who replied and who was lost when several agents were asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dspy.utils.exceptions import (
    ContextWindowExceededError,
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMError,
    LMUnsupportedFeatureError,
    LMUnsupportedModelError,
)

from summq.programs.errors import AgentsLost, BackboneError, DocumentError, RunError, SummQError
from summq.programs.runtime.failures import Unreachable
from summq.programs.runtime.role import UnusableReply
from summq.signatures import LostAgent

THIS_TEXT = "this text"
"""What a backbone says that it does not support when it can't read the document at hand."""
_HOPELESS = (
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMUnsupportedFeatureError,
    LMUnsupportedModelError,
    Unreachable,
)


Reply = TypeVar("Reply")


@dataclass(frozen=True)
class Replies(Generic[Reply]):
    """The replies that came, by the place of the agent asked, and the agents that were lost."""

    by_agent: dict[int, Reply]
    lost: list[LostAgent]


def collect_replies(role: str, outcomes: Sequence[Reply | Exception], *, at_least: int = 0) -> Replies[Reply]:
    """Separate the replies that came from the agents that were lost.

    Raises:
        AgentsLost: Fewer than `at_least` replied.
        Exception: What `lost_agent` raises.
    """
    replies = {i: outcome for i, outcome in enumerate(outcomes) if not isinstance(outcome, Exception)}
    lost = [lost_agent(role, error, i) for i, error in enumerate(outcomes) if isinstance(error, Exception)]
    if len(replies) < at_least:
        raise AgentsLost(
            f"{role}: only {len(replies)} of {len(outcomes)} agents replied, {at_least} are needed; "
            f"last error: {lost[-1].error}; finished calls are kept: run again to continue"
        )
    return Replies(replies, lost)


def attempt(role: str, call: Callable[[], Reply], place: int = 0) -> Reply | LostAgent:
    """The reply of a single agent, or the agent if it was lost; raises what `lost_agent` raises."""
    try:
        return call()
    except Exception as error:
        return lost_agent(role, error, place)


def lost_agent(role: str, error: Exception, place: int = 0) -> LostAgent:
    """The agent that is lost by a failure which one agent can have alone.

    That is an unreadable reply, a time-out, a refusal, an overloaded provider. Any other exception is raised: a spent
    budget, a bug, as `RunError` a document that is too long for the model, and as `BackboneError` what will fail every
    call (key, bill, address, model name, what the model can't do).
    What will fail every call about one document alone is raised as `DocumentError`.
    """
    if isinstance(error, (*_HOPELESS, ContextWindowExceededError)):
        raise as_expected(error, role) from error
    if not isinstance(error, (LMError, UnusableReply)):
        raise error
    return LostAgent(role=role, member=place, error=first_line(error))


def as_expected(error: Exception, role: str = "") -> Exception:
    """What a user is told of an exception: failures of a backbone as a SummQError, any other exception as it is."""
    if not isinstance(error, LMError):
        return error
    if isinstance(error, LMUnsupportedFeatureError) and error.feature == THIS_TEXT:
        kind: type[SummQError] = DocumentError  # another document may do
    else:
        kind = BackboneError if isinstance(error, _HOPELESS) else RunError
    return kind(f"{role}: {first_line(error)}" if role else first_line(error))


def first_line(error: BaseException) -> str:
    """An error in one line of at most 300 characters."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:300]


__all__ = ["THIS_TEXT", "Replies", "as_expected", "attempt", "collect_replies", "first_line", "lost_agent"]
