"""How tables and plots name systems, by short names (specs of a sweep are long), and which of them people wrote."""

import re
from collections import Counter
from collections.abc import Iterable

from summq.eval.archive import RunConfig
from summq.eval.systems.people import PEOPLE
from summq.programs.config import COMPONENTS

SHORT = {
    **dict(zip(COMPONENTS, ("s-gen", "s-rev", "q-gen", "q-rev"), strict=True)),
    "max_iterations": "iter",
    "debate_rounds": "debates",
    "questions": "quiz",
    "target_words": "words",
    "quiz_stream=false": "no quiz",
}
LONGEST = 40


def short_names(specs: Iterable[str]) -> dict[str, str]:
    """A name for each spec, no two alike: the system, then its options in short (`summq-combo agents 5`).

    `s-gen`, `s-rev`, `q-gen` and `q-rev` count generators and reviewers of the summary and of the quiz; `iter` is the
    most iterations. A name that is short already stays as it is.
    """
    names = {spec: _cut(_short(spec)) for spec in specs}
    shared = {name for name, count in Counter(names.values()).items() if count > 1}
    numbers: Counter[str] = Counter()
    for spec, name in names.items():
        if name in shared:
            numbers[name] += 1
            names[spec] = f"{name} #{numbers[name]}"
    return names


def _short(spec: str) -> str:
    head, _, backbone = spec.partition("@")
    system, _, settings = head.partition(":")
    options = [option for option in settings.split("+") if option]
    agents = {option.partition("=")[2] for option in options if option.partition("=")[0] in COMPONENTS}
    if len(agents) == 1 and sum(option.startswith(COMPONENTS) for option in options) == len(COMPONENTS):
        options = [f"agents={agents.pop()}", *(option for option in options if not option.startswith(COMPONENTS))]
    parts = [system, *map(_option, options), *([f"@{backbone.rpartition('/')[2]}"] if backbone else [])]
    return " ".join(parts)


def _option(option: str) -> str:
    name, _, value = option.partition("=")
    return SHORT.get(option) or f"{SHORT.get(name, name.replace('_', ' '))} {value}".strip()


def _cut(name: str) -> str:
    name = re.sub(r"\s+", " ", name)
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def written_by_people(config: RunConfig) -> list[str]:
    """The systems of a run that are none: what people wrote."""
    return [name for name, identity in config.systems.items() if identity.get("spec") in PEOPLE]


__all__ = ["short_names", "written_by_people"]
