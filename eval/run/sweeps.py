"""The paper's ablations and sweeps, each by its name: which systems they compare, and where these stand on an axis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summq.eval.archive import Point, SweepAxis
from summq.programs.errors import ConfigError

COMPONENTS = ("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers")
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
        raise ConfigError(f"unknown sweep {name!r}: there are {', '.join(SWEEPS)}")
    points = SWEEPS[name].points(base, backbones)
    if not points:
        raise ConfigError("a sweep over backbones needs backbones: name at least two (--backbones A,B)")
    return SweepAxis(
        name=name, label=SWEEPS[name].label, points=[Point(x=x, system=system) for x, system in points.items()]
    )


def varied(base: str, **options: object) -> str:
    """The spec of `base` with further options."""
    given = "+".join(f"{key}={value}" for key, value in options.items())
    return f"{base}{'+' if ':' in base else ':'}{given}"


def _quiz(base: str, backbones: Sequence[str]) -> Points:
    return {"with quiz": base, "without quiz": varied(base, quiz_stream="false")}


def _component(base: str, backbones: Sequence[str]) -> Points:
    ones, threes = dict.fromkeys(COMPONENTS, 1), dict.fromkeys(COMPONENTS, 3)
    usual = base == "summq-combo"
    single, triple = ("summq-solo", base) if usual else (varied(base, **ones), varied(base, **threes))
    one: Points = {
        f"three {name.replace('_', ' ')}": varied(single, **{name: 3}) if usual else varied(base, **{**ones, name: 3})
        for name in COMPONENTS
    }
    return {"one of each": single, **one, "three of each": triple}


def _iterations(base: str, backbones: Sequence[str]) -> Points:
    return {n: varied(base, max_iterations=n) for n in STEPS}


def _agents(base: str, backbones: Sequence[str]) -> Points:
    return {n: varied(base, **dict.fromkeys(COMPONENTS, n)) for n in STEPS}


def _backbones(base: str, backbones: Sequence[str]) -> Points:
    return {backbone: f"{base}@{backbone}" for backbone in backbones}


def _questions(base: str, backbones: Sequence[str]) -> Points:
    return {count: varied(base, questions=mix) for count, mix in QUESTION_MIXES.items()}


SWEEPS = {
    "quiz": Sweep("quiz stream", _quiz),
    "component": Sweep("what is ensembled", _component),
    "iterations": Sweep("iterations at most", _iterations),
    "agents": Sweep("agents in each component", _agents),
    "backbones": Sweep("backbone", _backbones),
    "questions": Sweep("questions in the quiz", _questions),
}

__all__ = ["SWEEPS", "sweep_axis"]
