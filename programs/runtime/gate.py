"""How many calls are in flight at once, and whose turn is next.

Waiting calls are served round robin over documents, so that one long document doesn't hold up the others; within a
document in the order of arrival.
"""

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

import dspy


class Gate:
    """Lets at most `limit` calls through at a time.

    A slot that becomes free is handed to the next waiting call directly: nobody who comes later can take it, and no
    wake-up is lost.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"the limit of a gate is at least 1, not {limit}")
        self.limit = limit
        self._lock = Lock()
        self._free = limit
        self._queues: OrderedDict[Hashable, deque[Event]] = OrderedDict()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one slot; the document whose turn it is comes from `dspy.settings.document_key`."""
        self._enter(dspy.settings.get("document_key"))
        try:
            yield
        finally:
            self._leave()

    def _enter(self, document: Hashable) -> None:
        with self._lock:
            if self._free:  # slots are free only when nobody waits
                self._free -= 1
                return
            turn = Event()
            self._queues.setdefault(document, deque()).append(turn)
        try:
            turn.wait()
        except BaseException:  # interrupted while waiting: step out of the queue, or pass on the slot just given
            if not self._withdraw(document, turn):
                self._leave()
            raise

    def _leave(self) -> None:
        with self._lock:
            if not self._queues:
                self._free += 1
                return
            document, queue = next(iter(self._queues.items()))
            queue.popleft().set()
            self._queues.move_to_end(document)
            if not queue:
                del self._queues[document]

    def _withdraw(self, document: Hashable, turn: Event) -> bool:
        with self._lock:
            if turn.is_set():
                return False
            self._queues[document].remove(turn)
            if not self._queues[document]:
                del self._queues[document]
            return True


__all__ = ["Gate"]
