"""A proposer of instructions for GEPA that keeps long documents out of its prompt."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dspy.teleprompt.gepa import InstructionProposer
from pydantic import BaseModel

from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.signatures import Document

MOST_CHARS = 4000


class BriefProposer(InstructionProposer):
    """Shows the reflecting model examples in which documents are named, not quoted, and long texts are cut.

    The stock proposer puts every input into its prompt: the documents of a whole minibatch, whatever their length.
    GEPA goes on when a proposal fails; before that, `on_failure` is called with the error.
    """

    def __init__(self, on_failure: Callable[[Exception], None], most_chars: int = MOST_CHARS) -> None:
        super().__init__(adapter=DocumentFirstAdapter())
        self.on_failure = on_failure
        self.most_chars = most_chars

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        """New instructions; an error of the prompt model is reported to `on_failure` before it is raised."""
        try:
            proposed: dict[str, str] = super().__call__(*args, **kwargs)
        except Exception as error:
            self.on_failure(error)
            raise
        return proposed

    def _prepare_examples(self, examples: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [{key: brief(value, self.most_chars) for key, value in example.items()} for example in examples]


def brief(value: Any, most_chars: int) -> Any:
    """The value without documents, and with no text longer than `most_chars`; a cut says what it left out."""
    if isinstance(value, Document):
        return str(value)
    if isinstance(value, BaseModel):
        return brief(value.model_dump(mode="json"), most_chars)
    if isinstance(value, Mapping):
        return {key: brief(item, most_chars) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [brief(item, most_chars) for item in value]
    if isinstance(value, str) and len(value) > most_chars:
        return f"{value[:most_chars]} [... {len(value) - most_chars} characters left out]"
    return value


__all__ = ["BriefProposer", "brief"]
