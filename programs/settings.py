"""Everything that an entry point needs to run SummQ: its configuration, backbones, prices and limits."""

from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from summq.programs.config import SummQConfig, read_config
from summq.programs.errors import ConfigError
from summq.programs.runtime.prices import Prices

OFFLINE = "offline"


class Settings(BaseModel):
    """What a config file may hold besides the keys of `SummQConfig`. Flags of the command line go before the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: SummQConfig = SummQConfig()
    backbone: str = OFFLINE
    roles: dict[str, str | list[str]] = Field(default_factory=dict, description="role to backbone, or a list of them")
    prices: dict[str, Prices] = Field(default_factory=dict, description="backbone to USD per million tokens")
    concurrency: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=1)

    @classmethod
    def resolve(cls, file: Path | None = None, **flags: Any) -> Self:
        """Settings out of flags and a file; None stands for a flag that was not given.

        Flags and the keys of the file are those of this class and of `SummQConfig`, and `preset`.

        Raises:
            ConfigError: The file can't be read, or holds an unknown key or a value out of range.
        """
        given = {key: value for key, value in flags.items() if value is not None}
        read = read_config(file) if file else {}
        roles = {**read.get("roles", {}), **given.get("roles", {})}
        merged = {**read, **given, "roles": roles}
        preset = merged.pop("preset", "solo")
        own = {key: merged.pop(key) for key in list(merged) if key in cls.model_fields and key != "config"}
        try:
            return cls(config=SummQConfig.preset(preset, **merged), **own)
        except ValidationError as error:
            problem = error.errors()[0]
            raise ConfigError(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error


__all__ = ["OFFLINE", "Settings"]
