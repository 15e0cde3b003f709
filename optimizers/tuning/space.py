"""The search space of a study: agents, iterations, debate, questions, length; backbones and prompts by role."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from summq.optimizers.compiling.student import Lesson, Student, lessons_of, teach
from summq.programs import SummQ, SummQConfig
from summq.programs.config import PRESETS
from summq.programs.errors import ConfigError
from summq.programs.runtime.role import lookup_order
from summq.signatures import KINDS

if TYPE_CHECKING:
    from optuna import Trial

AS_IT_WAS = "as it was"
BASELINES = ("solo", "combo")
Params = Mapping[str, Any]


class Bounds(BaseModel):
    """Whole numbers from `low` to `high`, in a file written as one number, `[low, high]` or `[low, high, step]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: int
    high: int
    step: int = Field(default=1, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        bounds = [value, value] if isinstance(value, int) else value
        return dict(zip(("low", "high", "step"), bounds, strict=False)) if isinstance(bounds, list) else bounds

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high or (self.high - self.low) % self.step:
            raise ValueError(f"from {self.low} to {self.high} in steps of {self.step} leads nowhere")
        return self

    @property
    def varies(self) -> bool:
        """Whether there is more than one number."""
        return self.low < self.high

    def nearest(self, number: int) -> int:
        """The number within the bounds that is nearest to another."""
        return min(range(self.low, self.high + 1, self.step), key=lambda inside: abs(inside - number))


class Space(BaseModel):
    """What a study may vary. `questions` is the number of each kind; a parameter that is None stays as configured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    summary_generators: Bounds | None = Bounds(low=1, high=5)
    summary_reviewers: Bounds | None = Bounds(low=1, high=5)
    quiz_generators: Bounds | None = Bounds(low=1, high=5)
    quiz_reviewers: Bounds | None = Bounds(low=1, high=5)
    max_iterations: Bounds | None = Bounds(low=1, high=5)
    debate_rounds: Bounds | None = Bounds(low=0, high=2)
    questions: Bounds | None = Bounds(low=2, high=10, step=2)
    target_words: Bounds | None = None
    roles: dict[str, list[str]] = Field(default_factory=dict, description="role to backbones to choose from")
    prompts: dict[str, list[str]] = Field(default_factory=dict, description="role to artifact folders to choose from")

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """A space from plain values; False: not varied. Raises `ConfigError` for unknown names and bad bounds."""
        try:
            return cls.model_validate({key: None if value is False else value for key, value in values.items()})
        except ValidationError as error:
            problem = error.errors()[0]
            known = ", ".join(cls.model_fields)
            where = ".".join(map(str, problem["loc"]))
            raise ConfigError(f"search space: {where}: {problem['msg']}; there are {known}") from error

    def suggest(self, trial: "Trial") -> dict[str, Any]:
        """Sample the parameters of a trial; those with a single value are left out."""
        numbers = {n: trial.suggest_int(n, b.low, b.high, step=b.step) for n, b in self._bounds().items() if b.varies}
        choices = {name: trial.suggest_categorical(name, options) for name, options in self._choices().items()}
        return {**numbers, **choices}

    def presets(self, base: SummQConfig) -> list[dict[str, Any]]:
        """The paper's presets as parameters, as near as the bounds allow.

        SOLO and COMBO, each with its prompts as they were, and then each with compiled ones where there are any.
        """
        plain = [self._params({**base.model_dump(), **PRESETS[name]}) for name in BASELINES]
        compiled = {f"prompts.{role}": folders[0] for role, folders in self.prompts.items()}
        return [*plain, *({**params, **compiled} for params in plain if compiled)]

    def require_prompts(self) -> None:
        """Raise `DataError` for the first folder of prompts that holds no compiled program."""
        for folder in dict.fromkeys(folder for folders in self.prompts.values() for folder in folders):
            lessons_in(Path(folder))

    def structure(self, params: Params, base: SummQConfig) -> "Structure":
        """The structure with these parameters."""
        changes: dict[str, Any] = {name: params.get(name, bounds.low) for name, bounds in self._bounds().items()}
        if self.questions:
            changes["questions"] = dict.fromkeys(KINDS, changes["questions"])
        return Structure(
            config=SummQConfig.checked(**{**base.model_dump(), **changes}),
            roles={role: params[f"roles.{role}"] for role in self.roles},
            prompts={
                role: Path(params[f"prompts.{role}"]) for role in self.prompts if params[f"prompts.{role}"] != AS_IT_WAS
            },
        )

    def _params(self, config: Mapping[str, Any]) -> dict[str, Any]:
        wanted = {**config, "questions": config["questions"]["multiple_choice"]}
        numbers = {name: b.nearest(wanted[name]) for name, b in self._bounds().items() if b.varies}
        return {**numbers, **{name: options[0] for name, options in self._choices().items()}}

    def _bounds(self) -> dict[str, Bounds]:
        return {name: value for name, value in self if isinstance(value, Bounds)}

    def _choices(self) -> dict[str, list[str]]:
        prompts = {f"prompts.{role}": [AS_IT_WAS, *folders] for role, folders in self.prompts.items()}
        return {**{f"roles.{role}": specs for role, specs in self.roles.items()}, **prompts}


@dataclass(frozen=True)
class Structure:
    """One structure: a configuration, backbones for roles, and artifact folders whose prompts roles use."""

    config: SummQConfig
    roles: Mapping[str, str]
    prompts: Mapping[str, Path]

    def program(self) -> SummQ:
        """Make the program. What a component has learned reaches all of its agents, however many there are.

        Raises:
            DataError: A folder holds no compiled program.
        """
        program = SummQ(self.config)
        for role, folder in self.prompts.items():
            teach(program, {name: lesson for name, lesson in lessons_in(folder).items() if role in lookup_order(name)})
        return program


def lessons_in(folder: Path) -> dict[str, Lesson]:
    """What the roles of a compiled program have learned. Raises `DataError` where there is none."""
    return lessons_of(Student(SummQ.from_artifact(folder)))


__all__ = ["AS_IT_WAS", "BASELINES", "Bounds", "Params", "Space", "Structure"]
