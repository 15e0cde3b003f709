"""The prefix that all readers of a document share, and who pays for it.

Providers keep what they computed for a prompt, and serve the next prompt that begins the same at a fraction of the
price; but only once the first one has been read. Calls that start together, as drafts and reviews do, would each pay
for the whole document. A `Primer` lets one tiny call go ahead of them.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from threading import Event, Lock
from typing import Literal

import dspy
from dspy.lm15 import CacheConfig, Request
from dspy.utils.exceptions import LMError

from summq.programs.runtime.adapter import ACKNOWLEDGEMENT
from summq.programs.text.tokens import estimate_tokens
from summq.signatures import fingerprint

Caching = Literal["none", "automatic", "key", "marks"]
"""How a provider learns which prefix will come again: not at all, by itself, by a key for routing, by marks in the
prompt."""

PRIMER = "primer"
LIFETIME = 3600.0  # seconds for which providers keep a prefix that is used now and then
SHORTEST = 1024  # tokens; hosted providers keep no shorter prefix


class Primer:
    """Sees to it that each backbone has read the document before several calls at once need it; for one run."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: dict[Hashable, Event] = {}

    def before(self, backbone: Hashable, request: Request, send: Callable[[Request], object]) -> None:
        """Return when `request` can find its document in the cache; the first to come sends what puts it there.

        Raises:
            BudgetSpent: The budget admits no further call. Any other failure only means that nothing was saved.
        """
        if not reads_document(request):
            return
        with self._lock:
            key = (backbone, _fence(request))
            first = key not in self._read
            read = self._read.setdefault(key, Event())
        if not first:
            read.wait()
            return
        try:
            if estimate_tokens(request.messages[0].text or "") >= SHORTEST:
                with dspy.context(role=PRIMER):
                    send(_priming(request))
        except LMError:
            pass  # metered as a failed call; the calls that follow tell whether the backbone is at fault
        finally:
            read.set()


def prompt_cache(caching: Caching, request: Request) -> CacheConfig | None:
    """How to tell the provider that the turn with the document, if there is one, will come again."""
    if not reads_document(request):
        return None
    if caching == "marks":
        return CacheConfig(prefix_until_index=0, retention="long")
    if caching == "key":
        return CacheConfig(key=f"summq-{fingerprint(_fence(request), 32)}")
    return None


def reads_document(request: Request) -> bool:
    """Whether the request begins with a document."""
    return len(request.messages) > 1 and request.messages[1].text == ACKNOWLEDGEMENT


def primes(request: Request) -> bool:
    """Whether the request is that of a primer, whose reply nobody reads."""
    return len(request.messages) == 1 and request.config.max_tokens == 1


def _priming(request: Request) -> Request:
    """The document's turn alone, and a reply of one token."""
    config = replace(request.config, max_tokens=1, response_format=None)
    return replace(request, messages=request.messages[:1], config=config)


def _fence(request: Request) -> str:
    """The first line of the document's turn, which carries a hash of the document."""
    return (request.messages[0].text or "").partition("\n")[0]


__all__ = ["LIFETIME", "PRIMER", "Caching", "Primer", "primes", "prompt_cache"]
