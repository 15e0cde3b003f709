"""The prefix cache of a simulated provider: fixed-size blocks, hash chain, least recently used out.

A prompt is cut into blocks of `block_tokens`; the key of a block covers everything before it, so a block
is only found behind the same prefix. A block can be read from `ready_at` on, when the request that computed
it has finished its prefill: a cold fan-out misses with every call.
"""

import hashlib
import itertools
import threading
from collections import OrderedDict

CHARACTERS_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """Tokens of a text: four characters each. A shared prefix of characters is a shared prefix of tokens."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class PrefixCache:
    """Blocks computed so far, at most `capacity_tokens` of them; shorter hits than `minimum_tokens` don't count."""

    def __init__(self, *, capacity_tokens: int, block_tokens: int = 128, minimum_tokens: int = 1024) -> None:
        self.block_tokens = block_tokens
        self._minimum_tokens = minimum_tokens
        self._capacity = capacity_tokens // block_tokens
        self._ready_at: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    def blocks(self, text: str, *, model: str = "") -> list[bytes]:
        """The keys of the full blocks of a prompt; a model shares nothing with another model."""
        size = self.block_tokens * CHARACTERS_PER_TOKEN
        chain = hashlib.sha256(model.encode())
        keys = []
        for start in range(0, len(text) - size + 1, size):
            chain.update(text[start : start + size].encode())
            keys.append(chain.digest())
        return keys

    def prefix_hash(self, blocks: list[bytes]) -> str:
        """Names the shortest prefix that can be cached: requests that agree on it can share their document."""
        head = blocks[: self._minimum_tokens // self.block_tokens]
        return head[-1].hex()[:12] if head else ""

    def cached_tokens(self, blocks: list[bytes], *, now: float) -> int:
        """How many tokens of the prompt can be read at `now`; marks them as used."""
        with self._lock:
            found = list(itertools.takewhile(lambda key: self._ready_at.get(key, now + 1) <= now, blocks))
            self._touch(found)
        tokens = len(found) * self.block_tokens
        return tokens if tokens >= self._minimum_tokens else 0

    def insert(self, blocks: list[bytes], *, ready_at: float) -> None:
        """Keeps the blocks of a prompt whose prefill ends at `ready_at`, and lets the oldest ones go."""
        with self._lock:
            for key in blocks:
                self._ready_at[key] = min(ready_at, self._ready_at.get(key, ready_at))
            self._touch(blocks)
            while len(self._ready_at) > self._capacity:
                self._ready_at.popitem(last=False)

    def __len__(self) -> int:
        return len(self._ready_at)

    def _touch(self, blocks: list[bytes]) -> None:
        """The head of a chain becomes the most recent: losing it first would strand all that follows it."""
        for key in reversed(blocks):
            self._ready_at.move_to_end(key)


__all__ = ["CHARACTERS_PER_TOKEN", "PrefixCache", "count_tokens"]
