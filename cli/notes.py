"""What a user should know about a backbone before trusting its results."""

from rich.console import Console

from summq.programs.runtime.specs import parse_spec

_NAME_ANOTHER = "--backbone openai/gpt-4o, --backbone ollama_chat/qwen3:32b, ... (see `summq doctor`)"
OFFLINE = (
    "offline is an extractive reader, not a language model: it picks sentences and asks about facts by rules. "
    f"Name a language model with {_NAME_ANOTHER}."
)
SMALL = (
    "local without a path is SmolLM2-135M, which is too small for this work: use it to see that everything runs, "
    f"never for results. Name a model of 4B or more with --backbone local:PATH.gguf, or {_NAME_ANOTHER}."
)


def print_note(spec: str, console: Console) -> None:
    """Print the line about a backbone, if there is one."""
    if note := note_on(spec):
        console.print(note, markup=False, soft_wrap=True)


def note_on(spec: str) -> str | None:
    """One line about a backbone that is not meant for results, None for any other."""
    parsed = parse_spec(spec)
    if parsed.kind == "offline":
        return OFFLINE
    return SMALL if parsed.kind == "local" and parsed.path is None else None


__all__ = ["note_on", "print_note"]
