"""The search space of a study: numbers of a configuration, values of any other key; what roles run with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from summq.optimizers.compiling.student import Lesson, Student, lessons_of, teach
from summq.programs import SummQ, SummQConfig
from summq.programs.config import PRESETS
from summq.programs.errors import ConfigError, told
from summq.programs.runtime.role import lookup_order
from summq.programs.settings import parse_questions, require_roles
from summq.signatures import KINDS

if TYPE_CHECKING:
    from optuna.trial import BaseTrial

AS_IT_WAS = "as it was"
BASELINES = ("solo", "combo")
Params = Mapping[str, Any]
Value = bool | int | float | str


class Bounds(BaseModel):
    """Whole numbers from `low` to `high`, in a file written as one number, `[low, high]` or `[low, high, step]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: int
    high: int
    step: int = Field(default=1, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, value: Any) -> Any:
        bounds = [value, value] if isinstance(value, int) else value
        return dict(zip(("low", "high", "step"), bounds, strict=False)) if isinstance(bounds, list) else bounds

    @model_validator(mode="after")
    def _check_order(self) -> Self:
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
    """What a study may vary. `questions` is the number of each kind; a parameter that is None stays as configured.

    `values` are those of any key of a config file, `questions` among them written as for `--questions`; a key that is
    there has no bounds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    summary_generators: Bounds | None = Bounds(low=1, high=5)
    summary_reviewers: Bounds | None = Bounds(low=1, high=5)
    quiz_generators: Bounds | None = Bounds(low=1, high=5)
    quiz_reviewers: Bounds | None = Bounds(low=1, high=5)
    max_iterations: Bounds | None = Bounds(low=1, high=5)
    debate_rounds: Bounds | None = Bounds(low=0, high=2)
    questions: Bounds | None = Bounds(low=2, high=10, step=2)
    target_words: Bounds | None = None
    values: dict[str, list[Value]] = Field(
        default_factory=dict, description="configuration key to values to choose from"
    )
    temperatures: dict[str, list[float]] = Field(
        default_factory=dict, description="role to temperatures to choose from"
    )
    roles: dict[str, list[str]] = Field(default_factory=dict, description="role to backbones to choose from")
    prompts: dict[str, list[str]] = Field(default_factory=dict, description="role to artifact folders to choose from")

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """A space from plain values; False: not varied. Raises `ConfigError` for unknown names and bad bounds."""
        try:
            space = cls.model_validate({key: None if value is False else value for key, value in values.items()})
        except ValidationError as error:
            problem = error.errors()[0]
            known = ", ".join(cls.model_fields)
            where = ".".join(map(str, problem["loc"]))
            raise ConfigError(f"search space: {where}: {told(problem)}; there are {known}") from error
        for key, options in space.values.items():
            for value in options:
                SummQConfig.checked(**{key: _configured(key, value)})
        require_roles([*space.roles, *space.temperatures, *space.prompts])
        return space.model_copy(update=dict.fromkeys(space.values.keys() & cls.model_fields.keys()))

    @property
    def record(self) -> str:
        """The space as JSON, as studies keep it; tables that early studies don't have are left out where empty."""
        return self.model_dump_json(exclude={name for name in ("values", "temperatures") if not getattr(self, name)})

    def suggest(self, trial: "BaseTrial") -> dict[str, Any]:
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
        changes |= {key: _configured(key, params[key]) for key in self.values}
        return Structure(
            config=SummQConfig.checked(**{**base.model_dump(), **changes}),
            roles={role: params[f"roles.{role}"] for role in self.roles},
            temperatures={role: params[f"temperatures.{role}"] for role in self.temperatures},
            prompts={
                role: Path(params[f"prompts.{role}"]) for role in self.prompts if params[f"prompts.{role}"] != AS_IT_WAS
            },
        )

    def _params(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that come nearest to a configuration; the first of those that it says nothing of."""
        wanted = {**config, "questions": config["questions"]["multiple_choice"]}
        numbers = {name: b.nearest(wanted[name]) for name, b in self._bounds().items() if b.varies}
        first = {name: options[0] for name, options in self._choices().items()}
        usual = {
            key: value
            for key, options in self.values.items()
            for value in options
            if SummQConfig.checked(**{**config, key: _configured(key, value)}) == SummQConfig.checked(**config)
        }
        return {**numbers, **first, **usual}

    def _bounds(self) -> dict[str, Bounds]:
        return {name: value for name, value in self if isinstance(value, Bounds)}

    def _choices(self) -> dict[str, list[Any]]:
        return {
            **self.values,
            **{f"temperatures.{role}": options for role, options in self.temperatures.items()},
            **{f"roles.{role}": specs for role, specs in self.roles.items()},
            **{f"prompts.{role}": [AS_IT_WAS, *folders] for role, folders in self.prompts.items()},
        }


def _configured(key: str, value: Value) -> Any:
    """What a configuration takes for a value of the space."""
    return parse_questions(value) if key == "questions" and isinstance(value, str) else value


@dataclass(frozen=True)
class Structure:
    """One structure: a configuration; backbones, temperatures and artifact folders with prompts by role."""

    config: SummQConfig
    roles: Mapping[str, str]
    prompts: Mapping[str, Path]
    temperatures: Mapping[str, float] = field(default_factory=dict)

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
