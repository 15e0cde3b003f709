"""Everything that an entry point needs to run a program: its configuration, backbones, prices and limits."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from summq.programs.artifact import apply_state, read_manifest, read_state
from summq.programs.config import DEFAULT_PRESET, PRESETS, Economy, SummQConfig, in_words, preset_values, read_config
from summq.programs.errors import ConfigError, there_are
from summq.programs.runtime.backbones import Backbone, connect, connect_batches
from summq.programs.runtime.clients import Transport
from summq.programs.runtime.role import lookup_order
from summq.programs.runtime.session import Session, session
from summq.programs.runtime.usage import Prices
from summq.programs.summq import SummQ

Backbones = str | list[str]
OTHER_ROLES = frozenset(
    [
        "summarizer",
        "merger",
        "critic",
        "corrector",
        "chooser",
        "refiner",
        "densifier",
        "examiner",
        "fact_checker",
        "judge",
    ]
)
"""Roles of baselines and measures; those of SummQ are found in the program itself."""


class Settings(BaseModel):
    """What flags and a config file say besides the keys of `SummQConfig`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: SummQConfig = SummQConfig()
    backbone: str = "offline"
    roles: dict[str, Backbones] = Field(default_factory=dict, description="role to backbone; a list: one per agent")
    prices: dict[str, Prices] = Field(default_factory=dict, description="backbone to USD per million tokens")
    options: dict[str, float] = Field(default_factory=dict, description="of every backbone: see BackboneOptions")
    temperatures: dict[str, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict, description="role to temperature"
    )
    concurrency: int = Field(default=16, ge=1)
    max_cost: float | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=1)
    program: Path | None = Field(default=None, description="folder of a compiled program, which brings its own config")

    _from_file: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def resolve(cls, file: Path | None = None, *, usual_preset: str | None = None, **flags: Any) -> Self:
        """Settings out of flags and a TOML file; a flag goes before the file, None is a flag that was not given.

        Keys are those of this class, those of `SummQConfig`, and of `SummQConfig.preset`.

        Args:
            usual_preset: The preset where neither preset, program nor a number of agents is given.

        Raises:
            ConfigError: The file can't be read; an unknown key; a value out of range.
            DataError: The compiled program can't be read.
        """
        read = read_config(file) if file else {}
        given = {key: value for key, value in flags.items() if value is not None}
        merged = {**read, **given, "roles": {**read.get("roles", {}), **given.get("roles", {})}}
        if usual_preset and merged.keys().isdisjoint({"preset", "program", *PRESETS[usual_preset]}):
            merged["preset"] = usual_preset
        if "savings" in merged:
            rules = ", ".join(Economy.model_fields)
            raise ConfigError(f"config key 'savings' is now 'economy', true or a list of names: {rules}; see README")
        known = [*cls.model_fields, *SummQConfig.model_fields, "preset", "paper_faithful"]
        for key in merged.keys() - set(known):
            raise ConfigError(f"unknown config key {key!r}: {there_are(known, key)}")
        own = {key: merged.pop(key) for key in cls.model_fields if key in merged}
        require_roles([*own["roles"], *own.get("temperatures", {})])
        try:
            settings = cls.model_validate({"config": _config(merged, own.get("program")), **own})
            settings._from_file.update(read)
            return settings
        except ValidationError as error:
            raise ConfigError("; ".join(in_words(problem, given) for problem in error.errors())) from error

    @property
    def overrides(self) -> dict[str, Any]:
        """What the file says of how SummQ runs, for whoever takes the preset from elsewhere; all but the length."""
        known = {*SummQConfig.model_fields, "paper_faithful"} - {"target_words"}
        return {key: value for key, value in self._from_file.items() if key in known}

    @property
    def preset(self) -> str | None:
        """The preset that the file names."""
        return self._from_file.get("preset")

    def summq(self) -> SummQ:
        """The program, with the compiled prompts if there are any. Raises DataError when these don't fit it."""
        summq = SummQ(self.config)
        if self.program:
            apply_state(summq, read_state(self.program), read_manifest(self.program), self.program)
        return summq

    def session(self) -> AbstractContextManager[Session]:
        """The session in which to run.

        Raises:
            BackboneError: A backbone can't be had.
        """
        roles = {
            role: self.connected(named) if isinstance(named, str) else [self.connected(each) for each in named]
            for role, named in self.roles.items()
        }
        return session(
            self.connected(self.backbone),
            roles=roles,
            concurrency=self.concurrency,
            max_calls=self.max_calls,
            max_cost=self.max_cost,
            temperatures=self.temperatures,
        )

    def connected(self, spec: str, batches: Transport | None = None) -> Backbone:
        """A backbone with the prices and options given for it, answered by `batches` if there are any.

        Raises `BackboneError` when it can't be had.
        """
        options = {"prices": self.prices.get(spec), **self.options}
        return connect_batches(spec, batches, **options) if batches else connect(spec, **options)


def _config(values: dict[str, Any], program: str | Path | None) -> dict[str, Any]:
    """The preset's or the compiled program's configuration, with `values` in it."""
    if program is None:
        return preset_values(values.pop("preset", DEFAULT_PRESET), **values)
    if "preset" in values:
        raise ConfigError("a compiled program has agents of its own: leave out the preset, or the program")
    return {**read_manifest(Path(program)).config.model_dump(), **values}


def role_keys() -> frozenset[str]:
    """Everything that a role, or a group of roles, may be called in a mapping to backbones."""
    whole = SummQ.preset("combo_r", paper_faithful=True, verify_quiz=True, blind_control=True)
    return OTHER_ROLES | {key for _, predictor in whole.named_predictors() for key in lookup_order(predictor.role)}


def require_roles(roles: Sequence[str]) -> None:
    """Raise `ConfigError` for the first name that is neither a role nor a group of roles."""
    if not roles:
        return
    known = role_keys()
    if unknown := set(roles) - known:
        names = sorted(key for key in known if "." not in key)
        raise ConfigError(f"no role is called {min(unknown)!r}: {there_are(names, min(unknown))}")


def parse_roles(assignments: Sequence[str]) -> dict[str, Backbones]:
    """`examinee=openai/gpt-4o-mini`, ... as a mapping; a role that is named again gets a list, one for each agent.

    Raises:
        ConfigError: An assignment without a role or without a backbone.
    """
    roles: dict[str, list[str]] = {}
    for assignment in assignments:
        role, _, spec = assignment.partition("=")
        if not role or not spec:
            raise ConfigError(f"--role {assignment!r}: write ROLE=BACKBONE, for instance examinee=openai/gpt-4o-mini")
        roles.setdefault(role, []).append(spec)
    return {role: specs[0] if len(specs) == 1 else specs for role, specs in roles.items()}


def parse_questions(counts: str) -> Mapping[str, int]:
    """`10/10/10` as counts of multiple choice, true/false and short answers.

    Raises:
        ConfigError: Anything but three whole numbers, or three zeros.
    """
    kinds = ("multiple_choice", "true_false", "short_answer")
    numbers = counts.split("/")
    if len(numbers) != len(kinds) or not all(number.isdecimal() for number in numbers):
        raise ConfigError(f"--questions {counts!r}: write multiple choice/true-false/short, for instance 10/10/10")
    if not any(map(int, numbers)):
        raise ConfigError(f"--questions {counts}: the question mix is zero; ask at least one question")
    return dict(zip(kinds, map(int, numbers), strict=True))


__all__ = ["Settings", "parse_questions", "parse_roles", "require_roles"]
