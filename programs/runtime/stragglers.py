"""DSPy's executor runs an item that takes longer than two minutes a second time, and pays for it again.

`dspy.Evaluate` and the optimizers have no switch for that; here it is turned off for the whole process.
"""

from functools import wraps
from typing import Any

from dspy.utils.parallelizer import ParallelExecutor

_NEVER = 0


def never_resubmit() -> None:
    """Let every item of DSPy's executors run once, however long it takes."""
    original = ParallelExecutor.__init__
    if hasattr(original, "__wrapped__"):
        return

    @wraps(original)
    def patient(self: ParallelExecutor, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.timeout = _NEVER

    ParallelExecutor.__init__ = patient


__all__ = ["never_resubmit"]
