"""The prompts of a program's predictors: copying them from a compiled program, and showing what has changed."""

import difflib
from collections.abc import Iterable
from typing import Any

import dspy

from summq.programs.artifact import State


def predictor_names(program: dspy.Module, part: dspy.Module) -> list[str]:
    """The names that the predictors of `part` have in the program.

    A predictor that the program doesn't have (a helper of a role's task) has no place in it and is left out.
    """
    own = {id(predictor) for predictor in part.predictors()}
    return [name for name, predictor in program.named_predictors() if id(predictor) in own]


def state_of(program: dspy.Module, names: Iterable[str] | None = None) -> State:
    """The prompts of the named predictors, or of all, as plain data."""
    predictors = dict(program.named_predictors())
    return {name: {**predictors[name].dump_state(), "lm": None} for name in (predictors if names is None else names)}


def apply_prompts(program: dspy.Module, state: State) -> None:
    """Give each predictor that `state` holds and the program has its prompts."""
    predictors = dict(program.named_predictors())
    for name in predictors.keys() & state.keys():
        predictors[name].load_state(state[name])


def prompts_diff(before: State, after: State) -> str:
    """What has changed from one state to another, as Markdown; one line when nothing has."""
    changed = [name for name in after if _prompt(before.get(name)) != _prompt(after[name])]
    if not changed:
        return "No prompt has changed.\n"
    unchanged = len(after) - len(changed)
    parts = [_predictor_diff(name, before.get(name), after[name]) for name in changed]
    return "\n".join([*parts, f"{unchanged} other predictors are as they were."]) + "\n"


def _predictor_diff(name: str, before: Any, after: Any) -> str:
    old, new = _prompt(before), _prompt(after)
    lines = difflib.unified_diff(
        old["text"].splitlines(), new["text"].splitlines(), "before", "after", lineterm="", n=9
    )
    instructions = "\n".join(lines)
    shown = [f"## {name}", ""]
    if instructions:
        shown += ["````diff", instructions, "````", ""]
    for number, demo in enumerate(new["demos"], 1):
        shown += [f"Demo {number} of {len(new['demos'])}:", "", *(_field(*item) for item in demo.items()), ""]
    return "\n".join(shown)


def _prompt(state: Any) -> dict[str, Any]:
    """What of a predictor's state a model gets to read."""
    if state is None:
        return {"text": "", "demos": []}
    signature = state["signature"]
    fields = [f"{field['prefix']} {field['description']}" for field in signature["fields"]]
    demos = [{k: v for k, v in demo.items() if k != "augmented"} for demo in state["demos"]]
    return {"text": "\n".join([signature["instructions"], "", *fields]), "demos": demos}


def _field(name: str, value: Any) -> str:
    text = " ".join(str(value).split())
    return f"- {name}: {text[:300]}{' ...' if len(text) > 300 else ''}"


__all__ = [
    "apply_prompts",
    "predictor_names",
    "prompts_diff",
    "state_of",
]
