"""The paper's ablations and sweeps, each by its name: which systems they compare, and where these stand on an axis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summq.eval.archive import Point, SweepAxis
from summq.programs.config import COMPONENTS
from summq.programs.errors import ConfigError, there_are

QUESTION_MIXES = {5: "2/2/1", 10: "4/3/3", 30: "10/10/10"}
STEPS = range(1, 6)

Points = dict[float | str, str]


@dataclass(frozen=True)
class Sweep:
    """An axis and the systems along it, given the system that is varied and the backbones that are compared."""

    label: str
    points: Callable[[str, Sequence[str]], Points]


def sweep_axis(name: str, base: str = "summq-combo", backbones: Sequence[str] = ()) -> SweepAxis:
    """The sweep called `name` over variants of the system `base`; the specs of its points are their names.

    Raises:
        ConfigError: An unknown sweep, or a sweep over backbones that names none.
    """
    if name not in SWEEPS:
        raise ConfigError(f"unknown sweep {name!r}: {there_are(SWEEPS, name)}")
    points = SWEEPS[name].points(base, backbones)
    if not points:
        raise ConfigError("a sweep over backbones needs backbones: name at least two (--backbones A,B)")
    return SweepAxis(
        name=name, label=SWEEPS[name].label, points=[Point(x=x, system=system) for x, system in points.items()]
    )


def varied(base: str, **options: object) -> str:
    """The spec of `base` with further options."""
    settings = "+".join(f"{key}={value}" for key, value in options.items())
    return f"{base}{'+' if ':' in base else ':'}{settings}"


def _components(base: str, _: Sequence[str]) -> Points:
    ones, threes = dict.fromkeys(COMPONENTS, 1), dict.fromkeys(COMPONENTS, 3)
    usual = base == "summq-combo"
    single, triple = ("summq-solo", base) if usual else (varied(base, **ones), varied(base, **threes))
    one: Points = {
        f"three {name.replace('_', ' ')}": varied(single, **{name: 3}) if usual else varied(base, **{**ones, name: 3})
        for name in COMPONENTS
    }
    return {"one of each": single, **one, "three of each": triple}


SWEEPS = {
    "quiz": Sweep(
        "quiz stream", lambda base, _: {"with quiz": base, "without quiz": varied(base, quiz_stream="false")}
    ),
    "component": Sweep("what is ensembled", _components),
    "iterations": Sweep("iterations at most", lambda base, _: {n: varied(base, max_iterations=n) for n in STEPS}),
    "agents": Sweep(
        "agents in each component",
        lambda base, _: {n: varied(base, **dict.fromkeys(COMPONENTS, n)) for n in STEPS},
    ),
    "backbones": Sweep("backbone", lambda base, backbones: {name: f"{base}@{name}" for name in backbones}),
    "questions": Sweep(
        "questions in the quiz",
        lambda base, _: {count: varied(base, questions=mix) for count, mix in QUESTION_MIXES.items()},
    ),
}

__all__ = ["SWEEPS", "sweep_axis"]
