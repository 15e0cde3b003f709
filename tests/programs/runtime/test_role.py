"""What a role is asked with: at which temperature."""

import dspy
import pytest

from summq.programs.runtime.role import Role
from summq.programs.runtime.session import session
from tests.fakes import FakeProvider, InstantEngine, failing, instant_backbone

GOOD = "[[ ## gist ## ]]\nlamps\n\n[[ ## completed ## ]]"


def temperature_of(role: str, *, backbone: float | None = None, **settings: float) -> float | None:
    """The temperature at which a role is asked."""
    engine = InstantEngine(GOOD)
    with session(instant_backbone(engine, temperature=backbone), temperatures=settings):
        Role(dspy.Signature("text -> gist"), role)(text="hall")
    temperature: float | None = engine.requests[0].config.temperature
    return temperature


@pytest.mark.parametrize("role", ["examinee", "examinee.open_book", "grader", "judge", "fact_checker"])
def test_roles_that_measure_run_at_0_unless_told_otherwise(role: str) -> None:
    assert temperature_of(role) == 0
    assert temperature_of(role, backbone=0.7) == 0.7
    assert temperature_of(role, backbone=0.7, **{role.partition(".")[0]: 0.2}) == 0.2


def test_other_roles_have_the_temperature_of_their_backbone() -> None:
    assert temperature_of("summary_generator.draft") is None
    assert temperature_of("summary_generator.draft", backbone=0.7) == 0.7
    assert temperature_of("summary_generator.draft", generator=0.9) == 0.9


def test_a_model_that_takes_no_temperature_is_asked_without_and_that_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    grader = Role(dspy.Signature("text -> gist"), "grader")
    with FakeProvider(GOOD) as server, session(f"openai/m@{server.url}", cache_dir=""):
        server.script = [failing(400, "Unsupported value: 'temperature' does not support 0 with this model.")]
        assert [grader(text=text).gist for text in "ab"] == ["lamps"] * 2
    assert [request.get("temperature") for request in server.requests] == [0, None, None]
    assert "takes no temperature of 0: its own is used" in caplog.text
