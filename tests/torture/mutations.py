"""What may become of a reply on its way: seeded mutations of a text, alone or several after each other."""

import random
import re
from collections.abc import Iterator
from typing import Any

JUNK = [
    "",
    " ",
    "\n\n",
    "\ud83d",
    r"\ud83d",
    r"\ude00\ud83d",
    r"\u0000",
    "\x00",
    "\x1b[31m",
    "\u202e",
    "\ufeff",
    "[[ ## completed ## ]]",
    "\n[[ ## completed ## ]]\n",
    "[[ ## summary ## ]]",
    "\n[[ ## quiz ## ]]\n",
    "\n[[ ## better ## ]]\n",
    "[[ ## ",
    " ## ]]",
    "```json\n",
    "```",
    "<think>",
    "</document>",
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ",",
    ":",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "1e999",
    "-1",
    "0",
    "10000000000000000000000",
    "9" * 5000,
    "[" * 3000,
    '{"a":' * 1500,
    "{}",
    "[]",
    '""',
    "I am sorry, I can't help with that.",
    "Ω≈ç√∫˜µ",
    "日本語",
]
_TOKEN = re.compile(r'"[^"\n]{0,200}"|-?\d+|true|false|null|\[\[ ## \w+ ## \]\]|\w+')


def _spot(text: str, dice: random.Random) -> int:
    return dice.randint(0, len(text))


def _span(text: str, dice: random.Random) -> tuple[int, int]:
    start, end = sorted((_spot(text, dice), _spot(text, dice)))
    return start, end


def cut(text: str, dice: random.Random) -> str:
    """It breaks off."""
    return text[: _spot(text, dice)]


def gap(text: str, dice: random.Random) -> str:
    """A stretch is missing."""
    start, end = _span(text, dice)
    return text[:start] + text[end:]


def stutter(text: str, dice: random.Random) -> str:
    """A stretch comes several times."""
    start, end = _span(text, dice)
    return text[:start] + text[start:end] * dice.choice([2, 3, 40]) + text[end:]


def junk(text: str, dice: random.Random) -> str:
    """Something is in it that does not belong there."""
    place = _spot(text, dice)
    return text[:place] + dice.choice(JUNK) + text[place:]


def other_token(text: str, dice: random.Random) -> str:
    """A word, a number, a string of JSON or a marker is another one."""
    tokens = list(_TOKEN.finditer(text))
    if not tokens:
        return dice.choice(JUNK)
    token, other = dice.choice(tokens), dice.choice([*JUNK, dice.choice(tokens)[0]])
    return text[: token.start()] + other + text[token.end() :]


def swapped(text: str, dice: random.Random) -> str:
    """Two lines change places."""
    lines = text.split("\n")
    a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def replaced(text: str, dice: random.Random) -> str:
    """All of it is something else."""
    return dice.choice(JUNK) * dice.choice([1, 3])


def framed(text: str, dice: random.Random) -> str:
    """It stands between other words."""
    return dice.choice(JUNK) + text + dice.choice(JUNK)


MUTATIONS = [cut, gap, stutter, junk, other_token, other_token, swapped, replaced, framed]


def mutated(text: str, dice: random.Random) -> str:
    """The text after one to three mutations."""
    for _ in range(dice.randint(1, 3)):
        text = dice.choice(MUTATIONS)(text, dice)[:200_000]
    return text


def restructured(value: Any, dice: random.Random) -> Any:
    """JSON in which one value is another one, is missing, or stands in a list."""
    places = list(_places(value))
    if not places:
        return dice.choice(VALUES)
    holder, key = dice.choice(places)
    action = dice.choice(["other", "other", "missing", "list"])
    if action == "missing":
        del holder[key]
    else:
        holder[key] = dice.choice(VALUES) if action == "other" else [holder[key]]
    return value


VALUES: list[Any] = [None, True, 0, -1, 1.5, 10**30, "", "x", "\ud83d", [], {}, [None], {"text": None}, "9" * 5000]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything in JSON, as what holds it and the key or index there."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


__all__ = ["mutated", "restructured"]
