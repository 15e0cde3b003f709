"""Calls run a few at a time, keep their order, and stop at the first failure."""

import threading
import time
from collections.abc import Callable

import dspy
import pytest

from summq.programs.runtime.limits import Gate
from summq.programs.runtime.parallel import run_all


def test_results_come_in_order_whatever_ends_first() -> None:
    def later(number: int) -> Callable[[], int]:
        def call() -> int:
            time.sleep(0.02 * (3 - number))
            return number

        return call

    with dspy.context(gate=Gate(3)):
        assert run_all([later(n) for n in range(3)]) == [0, 1, 2]


def test_no_more_calls_are_at_work_than_the_gate_lets_through() -> None:
    lock, at_work, most = threading.Lock(), [0], [0]

    def work() -> None:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        time.sleep(0.01)
        with lock:
            at_work[0] -= 1

    with dspy.context(gate=Gate(2)):
        run_all([work] * 8)
    assert most[0] == 2


def test_settings_of_the_caller_reach_every_call() -> None:
    with dspy.context(gate=Gate(2), role="teller"):
        assert run_all([lambda: dspy.settings.get("role")] * 3) == ["teller"] * 3


def test_the_first_failure_ends_the_rest_and_is_raised() -> None:
    made: list[int] = []

    def call(number: int) -> Callable[[], None]:
        def run() -> None:
            made.append(number)
            if number == 1:
                raise ValueError("dark")
            time.sleep(0.01)

        return run

    with dspy.context(gate=Gate(1)), pytest.raises(ValueError, match="dark"):
        run_all([call(n) for n in range(50)])
    assert len(made) < 10


def test_without_calls_there_are_no_results() -> None:
    assert run_all([]) == []
