"""A Ray cluster of two nodes on this machine: what comes out, whatever dies, and what a provider sees of it."""

import pytest
from cluster import LIMIT, MOST_CALLS, calls_a_second, limits, same

pytestmark = [pytest.mark.extra_ray, pytest.mark.simulation]


def test_a_cluster_writes_what_one_process_does_though_a_worker_and_a_node_are_killed() -> None:
    found = same(200)
    assert (found.finished, found.differing) == (200, 0)


def test_limits_hold_for_all_workers_and_finished_calls_are_not_paid_again() -> None:
    seen = limits(200)
    assert seen.peak <= LIMIT
    assert abs(seen.calls - MOST_CALLS) <= LIMIT
    assert seen.again <= 2 * LIMIT  # what was on its way when a worker was killed
    assert seen.finished == 200


def test_two_nodes_are_nearly_twice_as_fast_as_one() -> None:
    assert calls_a_second(2, 640) / calls_a_second(1, 640) >= 1.8
