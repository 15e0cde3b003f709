"""No text makes a pattern of the product slow: each is tried on hostile characters.

What takes `SECONDS` for `LENGTH` of them and grows with the square takes a hundredth for a tenth of them: only what
takes that long is tried on all.
"""

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex

LENGTH, SECONDS = 100_000, 1.0
PACKAGES = ("signatures", "programs", "eval", "optimizers", "cli")
UNITS = ("A", "1", ".", " ", "“", "1,111,", "two-", "A.", "A ", "a.)", " \n", "\n", "港", "(a", "<!", "Aa: ")


def modules() -> Iterator[Any]:
    """All modules of the product that can be imported here."""
    for package in PACKAGES:
        root = importlib.import_module(f"summq.{package}")
        for info in pkgutil.walk_packages(root.__path__, f"summq.{package}."):
            try:
                yield importlib.import_module(info.name)
            except ImportError:  # of an extra that is not installed
                continue


def patterns_in(value: object) -> Iterator[Any]:
    """The compiled patterns in a value, inside of tuples, lists and dicts too."""
    if isinstance(value, re.Pattern | regex.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        yield from (pattern for item in value.values() for pattern in patterns_in(item))
    elif isinstance(value, tuple | list):
        yield from (pattern for item in value for pattern in patterns_in(item))


def inline_patterns(source: str) -> Iterator[Any]:
    """The patterns that are written into calls, such as `re.sub("...", ...)`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            library = {"re": re, "regex": regex}.get(getattr(node.func.value, "id", ""))
            first = node.args[0]
            if library and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield library.compile(first.value)


@cache
def all_patterns() -> list[Any]:
    found: dict[str, Any] = {}
    for module in modules():
        for value in vars(module).values():
            found.update((pattern.pattern, pattern) for pattern in patterns_in(value))
        if module.__file__:
            source = Path(module.__file__).read_text("utf-8")
            found.update((pattern.pattern, pattern) for pattern in inline_patterns(source))
    return list(found.values())


def slowest(pattern: Any) -> tuple[float, str]:
    """The seconds that a search for all places takes at most, and of which unit the text was made."""
    worst = (0.0, "")
    for unit in UNITS:
        seconds = search_seconds(pattern, unit, LENGTH // 10)
        if seconds > SECONDS / 10:
            return seconds * 10, unit  # at least: it takes so long even if it is linear
        if seconds > SECONDS / 100:
            seconds = search_seconds(pattern, unit, LENGTH)
        worst = max(worst, (seconds, unit))
    return worst


def search_seconds(pattern: Any, unit: str, length: int) -> float:
    text = (unit * (length // len(unit) + 1))[:length] + "\0"
    started = time.process_time()
    for _ in pattern.finditer(text, timeout=5) if isinstance(pattern, regex.Pattern) else pattern.finditer(text):
        if time.process_time() - started > SECONDS:
            break
    return time.process_time() - started


@pytest.mark.slow
def test_a_slow_pattern_is_found_out() -> None:
    assert slowest(re.compile(r" +\n"))[0] > SECONDS


def test_the_patterns_are_found() -> None:
    found = {pattern.pattern for pattern in all_patterns()}
    assert len(found) > 60
    assert any("Sept?" in pattern for pattern in found)  # in a tuple of facts.py
    assert any("fiscal" in pattern for pattern in found)


@pytest.mark.parametrize("pattern", all_patterns(), ids=lambda pattern: pattern.pattern[:40])
def test_every_pattern_is_fast_on_hostile_text(pattern: Any) -> None:
    seconds, unit = slowest(pattern)
    assert seconds < SECONDS, f"{pattern.pattern!r} takes {seconds:.1f} s on {unit!r}"


@pytest.mark.parametrize("unit", [*UNITS, "ACGT", "BUNDESVERFASSUNGSGERICHT", "Ελληνικα", "한국어"])
def test_sentences_are_told_apart_in_linear_time(unit: str) -> None:
    from summq.programs.text.stems import sentences

    started = time.process_time()
    sentences(f"It follows.\n\n{unit * (20_000 // len(unit))} was found.\n\nIt was new.")
    assert time.process_time() - started < SECONDS
