import threading
import time
from collections.abc import Callable

import dspy
import pytest
from dspy.utils.exceptions import LMAuthError, LMRateLimitError, LMServerError

from summq.programs.runtime.retries import DeadlineExceeded, RetryPolicy, Teller, within_deadline


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr("summq.programs.runtime.retries.time.sleep", waited.append)
    return waited


def failing(*errors: Exception) -> Callable[[], str]:
    left = list(errors)

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "reply"

    return attempt


def test_passing_failures_are_tried_again_with_growing_waits(waits: list[float]) -> None:
    assert RetryPolicy().run(failing(*[LMServerError("busy")] * 3)) == "reply"
    assert [round(wait) for wait in waits] == pytest.approx([1, 2, 4], abs=1)
    assert waits == sorted(waits)


def test_the_last_error_is_raised_when_attempts_are_used_up(waits: list[float]) -> None:
    with pytest.raises(LMServerError, match="third"):
        RetryPolicy(attempts=3).run(failing(LMServerError("first"), LMServerError("second"), LMServerError("third")))
    assert len(waits) == 2


def test_retry_after_is_obeyed_up_to_the_longest_wait(waits: list[float]) -> None:
    errors = [LMRateLimitError("slow down", retry_after=2.5), LMRateLimitError("slow down", retry_after=3600)]
    assert RetryPolicy(longest_wait=60).run(failing(*errors)) == "reply"
    assert waits == [2.5, 60]


@pytest.mark.parametrize("error", [LMAuthError("no"), ValueError("bug")])
def test_other_failures_are_raised_at_once(error: Exception, waits: list[float]) -> None:
    with pytest.raises(type(error)):
        RetryPolicy().run(failing(error))
    assert waits == []


def test_an_unanswered_request_is_sent_once_more(waits: list[float]) -> None:
    assert RetryPolicy().run(failing(DeadlineExceeded("late"))) == "reply"
    with pytest.raises(DeadlineExceeded, match="later"):
        RetryPolicy().run(failing(DeadlineExceeded("late"), DeadlineExceeded("later")))
    assert len(waits) == 2


def test_a_wait_is_told_and_one_beyond_patience_is_waited_for_once(waits: list[float]) -> None:
    told: list[str] = []
    errors = [LMRateLimitError("slow down", retry_after=3600), LMRateLimitError("slower", retry_after=3600)]
    with pytest.raises(LMRateLimitError, match="slower"):
        RetryPolicy(longest_wait=60).run(failing(*errors), told.append)
    assert waits == [60]
    assert told == ["slow down: trying again in 60 s (it asks for 3600 s), attempt 2 of 4"]


def test_whoever_waits_for_a_reply_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summq.programs.runtime.retries.TOLD_EVERY", 0.05)
    told: list[float] = []
    with pytest.raises(DeadlineExceeded, match=r"within 0\.2 s \(raise \[options\] deadline"):
        within_deadline(0.2, lambda: time.sleep(1), told.append)
    assert told == pytest.approx([0.05, 0.1, 0.15])


def test_many_who_wait_are_told_by_one_line(caplog: pytest.LogCaptureFixture) -> None:
    teller = Teller()
    for number in range(5):
        teller.tell(f"call {number} waits")
    assert [record.message for record in caplog.records] == ["call 0 waits"]


def test_a_reply_in_time_passes_with_the_settings_of_the_caller() -> None:
    with dspy.context(role="ranker"):
        assert within_deadline(5, lambda: dspy.settings.role) == "ranker"


def test_a_call_is_left_behind_at_its_deadline() -> None:
    release, started = threading.Event(), time.monotonic()
    with pytest.raises(DeadlineExceeded, match=r"within 0\.05 s"):
        within_deadline(0.05, lambda: release.wait(10))
    assert time.monotonic() - started < 2
    release.set()


def test_errors_of_the_call_reach_the_caller_as_they_are() -> None:
    with pytest.raises(LMAuthError, match="no"):
        within_deadline(5, failing(LMAuthError("no")))
    with pytest.raises(TimeoutError, match="its own"):
        within_deadline(5, failing(TimeoutError("its own")))
