"""How well a list of issues finds planted errors."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from summq.optimizers.role_tasks.base import Judgement
from summq.signatures import Issue

Error = TypeVar("Error")


def judged(
    issues: Sequence[Issue],
    errors: Sequence[Error],
    about: Callable[[Issue, Error], bool],
    told: Callable[[Error], str],
) -> Judgement:
    """F1 of the planted errors; where none was planted 1 / (1 + number of issues), so that a clean draft is let pass.

    Args:
        about: Whether an issue is about an error. Several may be about the same one.
        told: An error in words, for the feedback.
    """
    missed = [error for error in errors if not any(about(issue, error) for issue in issues)]
    false = [issue for issue in issues if not any(about(issue, error) for error in errors)]
    reasons = (
        *(f"Missed: {told(error)}" for error in missed),
        *(f"Found: {told(error)}" for error in errors if error not in missed),
        *(f"Raised without reason: {issue.kind}, {issue.target!r}: {issue.explanation}" for issue in false),
    )
    if not errors:
        return Judgement(1 / (1 + len(issues)), reasons or ("There was nothing wrong, and nothing was raised.",))
    found, right = len(errors) - len(missed), len(issues) - len(false)
    if not found:
        return Judgement(0.0, reasons)
    recall, precision = found / len(errors), right / len(issues)
    return Judgement(2 * recall * precision / (recall + precision), reasons)


__all__ = ["judged"]
