"""Replies that were paid for, kept for the next time the same is asked.

Entries are JSON in an SQLite file, or in files of their own on a shared disk, so that nothing in them is ever executed;
any number of processes may share them. A reply is kept once whoever asked for it has read and accepted it
(`accepted_replies`): a bad one is asked for again.
"""

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

import dspy
from dspy.clients.execution import request_to_dict
from dspy.lm15 import Request

from summq.programs.runtime.stores import FAILURES, Database, ReplyStore, store_in

logger = logging.getLogger("summq.runtime")

CACHE_VARIABLE = "SUMMQ_CACHE_DIR"
DEFAULT_CACHE = "~/.cache/summq"


@dataclass(frozen=True)
class KeptReply:
    """A reply's text, and what it cost in USD when it was made (None: unknown)."""

    text: str
    cost: float | None = None


class ReplyCache:
    """Replies by key, in the store that is named (see `store_in`), or in memory where it can't be used.

    Trouble with it is told in one line; the work goes on.
    """

    def __init__(self, where: str | Path | None) -> None:
        self.where = str(where or "")
        self._lock = Lock()
        self._in_flight: dict[str, Future[KeptReply]] = {}
        try:
            self._store: ReplyStore = store_in(self.where)
        except FAILURES as error:
            self._go_on_without(error)

    def get(self, key: str, *, younger_than: float | None = None) -> KeptReply | None:
        """The reply under `key`, None if there is none, or none younger than so many seconds."""
        since = 0.0 if younger_than is None else time.time() - younger_than
        with self._lock:
            try:
                return _read(self._store.read(key, since))
            except FAILURES as error:
                self._go_on_without(error)
                return None

    def put(self, key: str, reply: KeptReply) -> None:
        """Keep a reply."""
        entry = json.dumps(asdict(reply))
        with self._lock:
            for _ in range(2):
                try:
                    self._store.write(key, entry, time.time())
                    return
                except FAILURES as error:
                    self._go_on_without(error)

    def shared(self, key: str, ask: Callable[[], KeptReply]) -> tuple[KeptReply, bool]:
        """What `ask` returns, and whether it was called: whoever asks the same in the meantime waits for it.

        Raises what `ask` raises, for all who waited.
        """
        with self._lock:
            call = self._in_flight.get(key)
            mine: Future[KeptReply] = Future()
            if call is None:
                self._in_flight[key] = mine
        if call is not None:
            return call.result(), False
        try:
            mine.set_result(ask())
        except BaseException as error:
            mine.set_exception(error)
        finally:
            with self._lock:
                del self._in_flight[key]
        return mine.result(), True

    def _go_on_without(self, error: Exception) -> None:
        logger.warning(
            "%s can't be used to keep replies (%s): they are kept in memory until this run ends; "
            "make room, delete it, or name another folder with %s",
            self.where,
            getattr(error, "strerror", None) or error,
            CACHE_VARIABLE,
        )
        self._store = Database()


def reply_key(request: Request, rollout: object, candidate: int = 0) -> str:
    """What a reply depends on: everything in the request, and what sets equal requests apart.

    That is the rollout, and which of the replies that one call asks for it is.
    """
    apart = [rollout, candidate] if candidate else [rollout]
    content = json.dumps([request_to_dict(request), *apart], sort_keys=True, default=str)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _read(entry: object) -> KeptReply | None:
    """An entry of the file; None for what is no reply."""
    try:
        value = json.loads(entry) if isinstance(entry, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    text, cost = value.get("text"), value.get("cost")
    if not isinstance(text, str) or not (cost is None or isinstance(cost, (int, float))):
        return None
    return KeptReply(text, cost)


_open = ReplyCache(None)


def open_cache(directory: str | Path | None = None) -> ReplyCache:
    """Keep replies in `directory` from now on, for the whole process; "" keeps them in memory.

    `files:DIRECTORY` keeps each in a file, for a disk that several machines share. Without a directory it is that of
    `SUMMQ_CACHE_DIR`, else `~/.cache/summq`.
    """
    global _open
    where = str(os.environ.get(CACHE_VARIABLE, DEFAULT_CACHE) if directory is None else directory)
    if _open.where != where:
        _open = ReplyCache(where)
    return _open


def keep_with(cache: ReplyCache) -> None:
    """Keep replies with `cache` from now on, for the whole process."""
    global _open
    _open = cache


def current_cache() -> ReplyCache:
    """The cache that is open; one in memory before any was opened."""
    return _open


def forget() -> None:
    """Close the cache that is open: what only memory holds is gone."""
    global _open
    _open = ReplyCache(None)


@contextmanager
def accepted_replies() -> Iterator[None]:
    """Keep the replies that are asked for inside when the block ends without an exception, and else none of them.

    Blocks may be nested: the outermost decides.
    """
    outer = dspy.settings.get("pending_replies")
    pending: list[tuple[str, KeptReply]] = []
    with dspy.context(pending_replies=pending):
        yield
    if outer is not None:
        outer.extend(pending)
        return
    for key, reply in pending:
        _open.put(key, reply)


def keep(key: str, reply: KeptReply) -> None:
    """Keep a reply, or note it for whoever is to accept it."""
    pending = dspy.settings.get("pending_replies")
    if pending is None:
        _open.put(key, reply)
    else:
        pending.append((key, reply))


__all__ = [
    "CACHE_VARIABLE",
    "DEFAULT_CACHE",
    "KeptReply",
    "ReplyCache",
    "accepted_replies",
    "current_cache",
    "forget",
    "keep",
    "keep_with",
    "open_cache",
    "reply_key",
]
