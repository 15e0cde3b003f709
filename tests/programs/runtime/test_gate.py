import threading
import time

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summq.programs.runtime.limits import Gate
from tests.waiting import until


class Crowd:
    """Calls that go through a gate one by one at a test's command."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.served: list[tuple[str, int]] = []
        self.threads: list[threading.Thread] = []

    def arrive(self, document: str, number: int) -> None:
        waiting = self.waiting()
        thread = threading.Thread(target=self._call, args=(document, number), daemon=True)
        thread.start()
        self.threads.append(thread)
        until(lambda: self.waiting() == waiting + 1)

    def waiting(self) -> int:
        return sum(len(queue) for queue in self.gate._queues.values())

    def leave(self) -> None:
        for thread in self.threads:
            thread.join(timeout=10)
            assert not thread.is_alive()

    def _call(self, document: str, number: int) -> None:
        with dspy.context(document_key=document), self.gate.slot():
            self.served.append((document, number))


def test_waiting_documents_are_served_in_turn() -> None:
    gate = Gate(1)
    crowd = Crowd(gate)
    with gate.slot():
        for number in range(3):
            crowd.arrive("long", number)
        crowd.arrive("short", 0)
        crowd.arrive("other", 0)
    crowd.leave()
    assert crowd.served == [("long", 0), ("short", 0), ("other", 0), ("long", 1), ("long", 2)]


@settings(max_examples=15, deadline=None)
@given(limit=st.integers(1, 4), documents=st.lists(st.integers(0, 3), min_size=1, max_size=25))
def test_never_more_than_the_limit_and_everybody_gets_through(limit: int, documents: list[int]) -> None:
    gate, lock = Gate(limit), threading.Lock()
    inside, peak, done = 0, 0, 0

    def call(document: int) -> None:
        nonlocal inside, peak, done
        with dspy.context(document_key=document), gate.slot():
            with lock:
                inside += 1
                peak = max(peak, inside)
            time.sleep(0.0005)
            with lock:
                inside -= 1
                done += 1

    threads = [threading.Thread(target=call, args=(document,), daemon=True) for document in documents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert done == len(documents)
    assert peak <= limit
    assert gate._free == limit


@given(arrivals=st.lists(st.integers(0, 3), min_size=2, max_size=8))
@settings(max_examples=15, deadline=None)
def test_no_document_is_served_twice_while_another_has_waited_since_before(arrivals: list[int]) -> None:
    gate = Gate(1)
    crowd = Crowd(gate)
    with gate.slot():
        for number, document in enumerate(arrivals):
            crowd.arrive(str(document), number)
    crowd.leave()
    documents = set(map(str, arrivals))
    first_round = [document for document, _ in crowd.served[: len(documents)]]
    assert set(first_round) == documents
    for name in documents:
        numbers = [number for served, number in crowd.served if served == name]
        assert numbers == sorted(numbers)


def test_a_slot_is_free_again_after_an_error() -> None:
    gate = Gate(1)
    with pytest.raises(RuntimeError), gate.slot():
        raise RuntimeError
    with gate.slot():
        assert gate._free == 0


@pytest.mark.parametrize("slot_comes_first", [False, True])
def test_an_interrupted_call_loses_no_slot(slot_comes_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(1)
    gate._enter("holder")

    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if slot_comes_first:
                gate.leave()
            raise KeyboardInterrupt

    monkeypatch.setattr("summq.programs.runtime.limits.Event", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        gate._enter("document")
    if not slot_comes_first:
        gate.leave()
    assert (gate._free, list(gate._queues)) == (1, [])


def test_a_gate_needs_room_for_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Gate(0)
