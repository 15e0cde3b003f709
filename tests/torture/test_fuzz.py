"""A few mutations of everything; `make torture` tries many."""

import pytest

from tests.torture.fuzz import WIRES, answering, invalid, reading, running, samples


@pytest.mark.slow
def test_mutated_replies_of_every_role_are_read_or_refused() -> None:
    outcomes = {place: reading(place, 10, seed=1) for place in samples()}
    assert {role.partition(",")[0] for role in outcomes} >= {"examinee.blind", "judge", "fact_checker", "digester"}
    assert sum(one["read"] for one in outcomes.values()) > 100
    assert sum(one["refused"] for one in outcomes.values()) > 100
    assert not [fault for one in outcomes.values() for fault in one["faults"]]


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
def test_mutated_bodies_are_read_or_refused(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summq.programs.runtime.retries.FIRST_WAIT", 0.01)
    outcome = answering(wire, 40, seed=1)
    assert min(outcome["read"], outcome["refused"]) > 3
    assert not outcome["faults"]


@pytest.mark.slow
def test_runs_on_mutated_replies_end_well_and_name_their_losses() -> None:
    outcomes = [running(f"1/run/{number}", rate=0.5) for number in range(12)]
    assert sum(one["lost"] for one in outcomes) > 0
    assert not [fault for one in outcomes for fault in one["faults"]]


@pytest.mark.slow
def test_what_is_invalid_is_found() -> None:
    _, signature, _ = samples()["summary_generator.draft, text"][0]
    assert invalid(signature, {"summary": "A hall."}) == ""
    assert invalid(signature, {"summary": " "}) == "summary is blank"
    assert "surrogates" in invalid(signature, {"summary": "\ud83d"})
