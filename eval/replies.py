"""Whose replies are whose: systems and metrics don't share what they asked in the response cache."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dspy

from summq.programs.runtime.backbones import Backbone


@contextmanager
def kept_apart(purpose: str, backbone: Backbone | None = None) -> Iterator[None]:
    """A context in which calls share replies only with calls of the same purpose, now and when a run is continued.

    Without it a system would pay less for what another one happened to ask before, and two systems would not draft
    independently.

    Args:
        backbone: Plays every role, in place of the backbones of the session.
    """
    lm = backbone or dspy.settings.lm
    settings: dict[str, Any] = {} if lm is None else {"lm": lm.copy(rollout_id=purpose)}
    if backbone:
        settings["role_lms"] = {}
    with dspy.context(**settings):
        yield


__all__ = ["kept_apart"]
