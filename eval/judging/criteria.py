"""What summaries are judged by: one criterion a call, so that one does not colour the other."""

from summq.programs.errors import ConfigError

CRITERIA = {
    "coverage": "coverage: tells what matters in the document, from all of its parts",
    "faithfulness": "faithfulness: states only what the document says",
    "coherence": "coherence: reads as one connected text, in a sensible order",
    "conciseness": "conciseness: says what it says without repetition or filler",
}


def criteria_of(names: list[str]) -> dict[str, str]:
    """The named criteria with what they mean; all of them for no name. Raises `ConfigError` for an unknown one."""
    unknown = [name for name in names if name not in CRITERIA]
    if unknown:
        raise ConfigError(f"unknown criterion {unknown[0]!r}: there are {', '.join(CRITERIA)}")
    return {name: CRITERIA[name] for name in names or CRITERIA}


__all__ = ["CRITERIA", "criteria_of"]
