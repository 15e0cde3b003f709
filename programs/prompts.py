"""The prompt of every role as it is sent: what a program asks in a run of the offline reader on a short text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import dspy

from summq.programs.runtime.adapter import DocumentFirstAdapter, Message, layout
from summq.programs.runtime.session import session
from summq.programs.summq import SummQ
from summq.signatures import Document

READER = (
    "offline:generator=0.3,reviewer=0.3,examinee=0.3,grader=0.3,seed=4"  # errs, so that there is much to argue about
)
EXAMPLE = Document(
    title="The harbour of Meerholm",
    text="""The harbour of Meerholm was rebuilt between 1921 and 1934 after a storm had destroyed its outer wall. The
town council under Mayor Johanna Vries borrowed 4.2 million guilders from the Noorder Bank for the work.
The engineer Pieter Adema designed a wall of concrete blocks, each of which weighed 38 tons.

Fishing had fed the town for three centuries, but the herring catch fell by 60 percent between 1925 and
1931. The council therefore leased the eastern quay to the Baltic Timber Company in March 1932. The
company paid 90,000 guilders a year and employed 210 dockers, most of whom had been fishermen before.

A strike in the summer of 1936 closed the port for eleven weeks because the company had cut wages by 15
percent. The mediator Clara Hoving brought both sides to sign an agreement in September 1936. It restored
the wages and gave the dockers a pension fund, into which the company paid 2 guilders a week for every
worker.""",
)


@dataclass(frozen=True)
class SentPrompt:
    """The first request of a role in a run."""

    role: str
    messages: list[Message]


def prompts_of(program: SummQ, document: Document = EXAMPLE, *, under_schema: bool = False) -> Iterator[SentPrompt]:
    """The prompt of each role that a run of `program` calls, in the order of the calls.

    Args:
        under_schema: As backbones are sent it that decode replies under a JSON schema.
    """
    requests: dict[str, list[Message]] = {}
    form = layout(under_schema=under_schema)

    class Recorder(DocumentFirstAdapter):
        """Keeps the first request of each role."""

        def format(
            self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: Mapping[str, Any]
        ) -> list[Message]:
            requests.setdefault(dspy.settings.role, form.format(signature, demos, dict(inputs)))
            return super().format(signature, demos, dict(inputs))

    with session(READER, cache_dir="", concurrency=1), dspy.context(adapter=Recorder()):
        program(document=document)
    return (SentPrompt(role, messages) for role, messages in requests.items())


def page(prompts: Iterator[SentPrompt]) -> str:
    """The prompts under headings, turn by turn, as Markdown."""
    parts = ["# Prompts as sent"]
    for prompt in prompts:
        parts.append(f"## {prompt.role}")
        parts += [f"**{turn['role']}**\n\n````text\n{turn['content']}\n````" for turn in prompt.messages]
    return "\n\n".join(parts) + "\n"


__all__ = ["EXAMPLE", "page", "prompts_of"]
