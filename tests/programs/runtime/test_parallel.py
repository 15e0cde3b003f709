"""Calls run a few at a time, keep their order, and stop at the first failure."""

import threading
import time
from collections.abc import Iterator

import dspy
import pytest

from summq.programs.runtime.limits import Gate
from summq.programs.runtime.parallel import for_each, parallel, parallel_outcomes


def test_results_come_in_order_whatever_ends_first() -> None:
    def later(number: int) -> int:
        time.sleep(0.02 * (3 - number))
        return number

    with dspy.context(gate=Gate(3)):
        assert parallel(later, range(3), at_once=8) == [0, 1, 2]


def test_no_more_calls_are_at_work_than_the_gate_lets_through() -> None:
    lock, at_work, most = threading.Lock(), [0], [0]

    def work(_: int) -> None:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        time.sleep(0.01)
        with lock:
            at_work[0] -= 1

    with dspy.context(gate=Gate(2)):
        parallel(work, range(8), at_once=8)
    assert most[0] == 2


def test_settings_of_the_caller_reach_every_call() -> None:
    with dspy.context(gate=Gate(2), role="teller"):
        assert parallel(lambda _: dspy.settings.get("role"), range(3), at_once=8) == ["teller"] * 3


def test_the_first_failure_ends_the_rest_and_is_raised() -> None:
    made: list[int] = []

    def call(number: int) -> None:
        made.append(number)
        if number == 1:
            raise ValueError("dark")
        time.sleep(0.01)

    with dspy.context(gate=Gate(1)), pytest.raises(ValueError, match="dark"):
        parallel(call, range(50), at_once=8)
    assert len(made) < 10


def test_without_calls_there_are_no_results() -> None:
    assert parallel(str, []) == []


def test_an_exception_stands_for_a_result_where_all_calls_are_made() -> None:
    first, second, third = parallel_outcomes(lambda number: 6 / number, [2, 0, 3])
    assert (first, third) == (3.0, 2.0)
    assert isinstance(second, ZeroDivisionError)


def test_traces_are_merged_in_the_order_of_the_items() -> None:
    def traced(number: int) -> None:
        time.sleep(0.02 * (3 - number))
        dspy.settings.trace.append(number)

    with dspy.context(trace=[]):
        parallel(traced, range(3))
        assert dspy.settings.trace == [0, 1, 2]


def test_items_are_taken_as_calls_end_and_never_far_ahead() -> None:
    taken, done, ahead = [0], [0], [0]

    def items() -> Iterator[int]:
        for number in range(50):
            taken[0] += 1
            ahead[0] = max(ahead[0], taken[0] - done[0])
            yield number

    def work(_: int) -> None:
        time.sleep(0.001)
        done[0] += 1

    with dspy.context(gate=Gate(1)):
        for_each(work, items(), at_once=2)
    assert done[0] == 50
    assert ahead[0] <= 6


def test_after_a_failure_no_further_item_is_worked_on() -> None:
    seen: list[int] = []

    def work(number: int) -> None:
        seen.append(number)
        if number == 2:
            raise ValueError("no")

    with dspy.context(gate=Gate(1)), pytest.raises(ValueError, match="no"):
        for_each(work, range(1000), at_once=2)
    assert seen == [0, 1, 2]
