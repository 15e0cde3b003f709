"""A predictor that knows which role it plays.

Which backbone plays a role is a setting (`role_lms`), not an attribute of the predictor: optimizers copy, erase or
refuse `predictor.lm`. The role name is also the address under which calls are metered.
"""

from functools import lru_cache
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from summq.programs.errors import SummQError
from summq.programs.runtime.cache import accepted_replies
from summq.programs.runtime.failures import UnfitReply

ASKED = 3
"""How often a role is asked for a reply that can be used. Two bad ones in a row are no rarity where many are bad."""

STEADY = ("examinee", "grader", "judge", "fact_checker")
"""Roles whose replies are measurements: they run at temperature 0 unless told otherwise."""


class UnusableReply(SummQError):
    """A role's reply was cut off or could not be parsed, however often it was asked."""


class Role(dspy.Predict):
    """A `dspy.Predict` with a role.

    Args:
        signature: What the role is asked.
        role: `summary_generator.draft`, `examinee`, ...: see `lookup_order` for how backbones are mapped to it.
        agent: Index among the agents of the component; picks from a list of backbones (heterogeneous ensembles).
        angle: What this agent in particular attends to, appended to the instructions. Agents of one component must
            differ in it: optimizers tell predictors apart by their instructions.

    `frozen` are the instructions as they are written here. Prompts that are learned add to them (`addendum`) and never
    replace them.
    """

    def __init__(self, signature: type[dspy.Signature], role: str, agent: int = 0, angle: str = "") -> None:
        if angle:
            signature = signature.with_instructions(f"{signature.instructions}\n\n{angle}")
        super().__init__(signature)
        self.frozen = signature.instructions
        self.role = role
        self.agent = agent
        self.angle = angle

    @property
    def addendum(self) -> str:
        """What was learned: all that the instructions say beyond the task, its guards and the angle."""
        return str(self.signature.instructions.removeprefix(self.frozen).strip())

    def instructed(self, addendum: str) -> type[dspy.Signature]:
        """The signature with the frozen instructions and this addendum."""
        signature: type[dspy.Signature] = _instructed(
            self.signature, "\n\n".join(filter(None, [self.frozen, addendum]))
        )
        return signature

    def forward(self, *, attempt: int = 0, **inputs: Any) -> dspy.Prediction:
        """Ask the backbone of this role; ask again, twice at most, when the reply can't be used.

        A reply is kept for equal calls once it could be used.

        Args:
            attempt: How often the role was asked for this before: a further reply is wanted, not the cached one.

        Raises:
            UnusableReply: When no reply is whole and can be parsed.
        """
        lm = self._backbone(inputs.pop("lm", None))
        config = inputs.pop("config", {})
        temperature = self._temperature(lm)
        if temperature is not None:
            config = {"temperature": temperature, **config}
        if attempt:
            config = {**config, "rollout_id": f"{config.get('rollout_id') or lm.kwargs.get('rollout_id')}/{attempt}"}
        failure: Exception | None = None
        with dspy.context(role=self.role, agent=self.agent, angle=self.angle):
            for number in range(ASKED):
                try:
                    with dspy.context(fresh_reply=number > 0), accepted_replies():
                        return super().forward(lm=lm, config=config, **inputs)
                except (AdapterParseError, UnfitReply) as error:
                    failure = error
        reason = (str(failure).splitlines() or ["no fields found"])[0][:160]
        raise UnusableReply(f"{self.role}: {ASKED} replies in a row could not be used ({reason})") from failure

    def _temperature(self, lm: Any) -> float | None:
        """The temperature set for this role; 0 where it judges or answers and its backbone has none; else None."""
        temperature = _looked_up(dspy.settings.get("temperatures") or {}, self.role)
        if temperature is not None or lm.kwargs.get("temperature") is not None:
            return None if temperature is None else float(temperature)
        return 0.0 if self.role.partition(".")[0] in STEADY else None

    @property
    def played_by(self) -> Any:
        """The LM that plays this role under the settings in force."""
        return self._backbone(None)

    def _backbone(self, given: Any) -> Any:
        """The LM mapped to this role, with the rollout of the LM that an optimizer set, else that LM itself."""
        outer = given or self.lm or dspy.settings.lm
        if outer is None:
            raise SummQError("no backbone is configured: run inside `with summq.session(...)` or dspy.context(lm=...)")
        mapped = _mapped(dspy.settings.get("role_lms") or {}, self.role, self.agent)
        if mapped is None:
            return outer
        rollout = outer.kwargs.get("rollout_id")
        return mapped if rollout is None else mapped.copy(rollout_id=rollout)


@lru_cache(maxsize=512)
def _instructed(signature: Any, instructions: str) -> Any:
    """Made once: adapters keep what they derive from a signature, by its identity."""
    return signature.with_instructions(instructions)


def lookup_order(role: str) -> list[str]:
    """The keys under which the backbone of a role may be given, most specific first.

    >>> lookup_order("summary_reviewer.debate")
    ['summary_reviewer.debate', 'summary_reviewer', 'reviewer.debate', 'reviewer']
    """
    name, dot, duty = role.partition(".")
    kind = name.partition("_")[2]  # what it is in any stream; none if the role belongs to no stream
    names = [role, f"{kind}{dot}{duty}"] if kind else [role]
    return [key for name in names for key in dict.fromkeys([name, name.partition(".")[0]])]


def _looked_up(by_role: dict[str, Any], role: str) -> Any:
    return next((by_role[key] for key in lookup_order(role) if key in by_role), None)


def _mapped(role_lms: dict[str, Any], role: str, agent: int) -> Any:
    lm = _looked_up(role_lms, role)
    return lm[agent % len(lm)] if isinstance(lm, (list, tuple)) else lm


__all__ = ["Role", "UnusableReply", "lookup_order"]
