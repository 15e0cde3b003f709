"""Options that a command does not have, told before what the command needs is imported, which takes seconds.

The names are read from the source: parameters of the command's function, and all that is written there with dashes.
"""

import ast
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
SHARED = HERE / "options.py"
DATA = HERE.parent / "eval" / "data"
USUAL = frozenset({"--help"})


def unknown_option(target: str, args: Sequence[str]) -> str | None:
    """The first option that the command behind `module:function` lacks, with what was meant; None: no such."""
    known = options_of(target)
    before = ""
    for arg in args:
        if arg == "--":
            return None
        name = arg.partition("=")[0]
        if name.startswith("--") and not before.startswith("--") and name not in known:
            meant = get_close_matches(name, [one for one in known if not one.startswith("--no-")], n=1)
            return f"{name}; did you mean {meant[0]}?" if meant else f"{name}; --help lists them"
        before = "" if "=" in arg else arg
    return None


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


__all__ = ["options_of", "unknown_option"]
