from concurrent.futures import ThreadPoolExecutor

import pytest

from summq.programs.errors import BudgetSpent
from summq.programs.runtime.limits import Budget


def test_calls_never_go_beyond_their_limit() -> None:
    budget = Budget(max_calls=20)

    def call(_: int) -> bool:
        try:
            budget.admit()
        except BudgetSpent:
            return False
        budget.charge(0.0)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(60))) == 20
    assert budget.calls == 20


def test_cost_is_exceeded_by_calls_in_flight_only() -> None:
    budget = Budget(max_cost=1.0)
    budget.admit()
    budget.admit()
    budget.charge(0.9)
    budget.admit()
    budget.charge(0.9)
    with pytest.raises(BudgetSpent, match=r"stopped at USD 1\.8000: the limit is USD 1\.0000"):
        budget.admit()


def test_no_limit_admits_everything() -> None:
    budget = Budget()
    for _ in range(100):
        budget.admit()
        budget.charge(None)
    assert budget.calls == 100


def test_a_limit_on_cost_cannot_be_kept_without_prices() -> None:
    budget = Budget(max_cost=1.0)
    budget.admit()
    budget.charge(None)
    with pytest.raises(BudgetSpent, match="without a known price"):
        budget.admit()


def test_the_message_is_one_line_and_exits_with_3() -> None:
    with pytest.raises(BudgetSpent) as caught:
        Budget(max_calls=0).admit()
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 3
