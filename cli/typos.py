"""Mistakes that are told before what a command needs is imported, which takes seconds: see `mistake`.

The names of options are read from the source: parameters of the command's function, and all that is written there with
dashes.
"""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from summq.programs.errors import BackboneError, closest
from summq.programs.runtime.specs import parse_spec

HERE = Path(__file__).parent
SHARED = HERE / "options.py"
DATA = HERE.parent / "eval" / "data"
USUAL = frozenset({"--help"})
BACKBONES = frozenset({"--backbone", "--backbones", "--judge", "--prompt-model", "--role", "--scorer"})
"""Options that name backbones."""


def mistake(command: str, target: str, args: Sequence[str]) -> str | None:
    """What is wrong with the arguments of a command, whose function is `target`; None: nothing that is seen here."""
    if typo := unknown_option(target, args):
        return f"{command} has no option {typo}"
    return malformed_spec(target, args)


def unknown_option(target: str, args: Sequence[str]) -> str | None:
    """The first option that the command behind `module:function` lacks, with what was meant; None: no such."""
    known = options_of(target)
    before = ""
    for arg in args:
        if arg == "--":
            return None
        name = arg.partition("=")[0]
        if name.startswith("--") and not before.startswith("--") and name not in known:
            words = sorted(one.removeprefix("--") for one in known if not one.startswith("--no-"))
            meant = closest(name.removeprefix("--"), words)
            return f"{name}; did you mean --{meant}?" if meant else f"{name}; --help lists them"
        before = "" if "=" in arg else arg
    return None


def malformed_spec(target: str, args: Sequence[str]) -> str | None:
    """What is wrong with the first spec of a backbone that has none of the forms; None: all have one."""
    known = options_of(target) & BACKBONES
    try:
        for option, value in _values(args):
            if option in known:
                for spec in _specs(option, value):
                    parse_spec(spec)
    except BackboneError as error:
        return str(error)
    return None


def _values(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with what stands behind them: `--out DIR`, `--out=DIR`."""
    for place, arg in enumerate(args):
        if arg == "--":
            return
        option, equals, value = arg.partition("=")
        if equals:
            yield option, value
        elif place + 1 < len(args):
            yield option, args[place + 1]


def _specs(option: str, value: str) -> list[str]:
    """The specs in the value of an option: all of `A,B`, none of a role without one."""
    if option == "--backbones":
        return [spec for spec in map(str.strip, value.split(",")) if spec]
    spec = value.partition("=")[2] if option == "--role" else value
    return [spec] if spec else []


@cache
def options_of(target: str) -> frozenset[str]:
    """The names that options of a command may have: all that it has, and few others."""
    module, function = target.split(":")
    tree = _parsed(HERE / "commands" / f"{module}.py")
    names = set(USUAL)
    for name in _parameters(tree, function):
        names |= {_dashed(name), _dashed(f"no_{name}")}
        if name == "options":
            names |= set(_data_options())
    return frozenset(names | set(_option_names(tree)) | set(_option_names(_parsed(SHARED))))


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameters(tree: ast.Module, function: str) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            yield from (argument.arg for argument in [*node.args.args, *node.args.kwonlyargs])


def _option_names(tree: ast.Module) -> Iterator[str]:
    """Every name with dashes in front that stands there as a text of its own: `--return`, `--on/--off`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("--"):
            yield from (name for name in node.value.split("/") if " " not in name)


def _data_options() -> Iterator[str]:
    """An option for each field of `DataOptions`, that of a column with its ending."""
    for file, kind, ending in (("loading.py", "DataOptions", ""), ("records.py", "Columns", "_column")):
        for node in _parsed(DATA / file).body:
            if isinstance(node, ast.ClassDef) and node.name == kind:
                fields = (one.target for one in node.body if isinstance(one, ast.AnnAssign))
                names = [field.id for field in fields if isinstance(field, ast.Name)]
                yield from (_dashed(name + ending) for name in names)
                yield from (_dashed(f"no_{name}{ending}") for name in names)


__all__ = ["BACKBONES", "mistake", "options_of"]
