"""Settings: flags before the file, the file before the preset, and one line for each mistake."""

from pathlib import Path

import dspy
import pytest

from summq.programs.errors import BackboneError, ConfigError
from summq.programs.runtime.usage import Prices
from summq.programs.settings import Settings, parse_questions, parse_roles

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "summq.toml"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_nothing_given_is_solo_on_offline() -> None:
    settings = Settings.resolve()
    assert settings.backbone == "offline"
    assert settings.config.summary_generators == 1


def test_flags_go_before_the_file_and_the_file_before_the_preset(tmp_path: Path) -> None:
    file = write(
        tmp_path / "f.toml",
        'preset = "combo"\ntarget_words = 200\nsummary_reviewers = 5\n[roles]\nexaminee = "x"\ngrader = "y"',
    )
    settings = Settings.resolve(file, target_words=100, preset=None, roles={"grader": "z"})
    assert settings.config.target_words == 100
    assert settings.config.summary_generators == 3
    assert settings.config.summary_reviewers == 5
    assert settings.roles == {"examinee": "x", "grader": "z"}


def test_the_shipped_example_is_valid() -> None:
    settings = Settings.resolve(EXAMPLE)
    assert settings.config.questions.total == 15
    assert settings.roles["summary_generator"] == ["offline:seed=3", "offline:seed=4", "offline:seed=5"]
    assert list(settings.prices.values()) == [Prices(input=0.20, cached=0.02, output=0.80)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents = 3", "unknown config key 'agents'"),
        ("max_iterations = 0", "'max_iterations': has to be greater than or equal to 1"),
        ('preset = "duet"', "unknown preset 'duet'"),
        ("concurrency = 0", "config key 'concurrency': has to be greater than or equal to 1"),
        ('[prices."m"]\ninput = 1', "config key 'prices.m.output': Field required"),
        ("[questions]\nmultiple_choice = 0\ntrue_false = 0\nshort_answer = 0", "the question mix is zero"),
        ("preset = ", "not valid TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Settings.resolve(write(tmp_path / "f.toml", text))


def test_an_unknown_role_is_an_error_that_lists_the_roles() -> None:
    with pytest.raises(ConfigError, match=r"no role is called 'examinator'.*examinee.*summary_generator"):
        Settings.resolve(roles={"examinator": "offline"})


def test_an_unknown_option_of_backbones_is_an_error() -> None:
    with pytest.raises(BackboneError, match="option heat"):
        Settings.resolve(options={"heat": 1.0}).session().__enter__()


def test_the_temperature_of_a_role_can_be_set(tmp_path: Path) -> None:
    file = write(tmp_path / "f.toml", "[temperatures]\nsummary_generator = 0.7\n")
    settings = Settings.resolve(file)
    with settings.session():
        assert dspy.settings.temperatures == {"summary_generator": 0.7}
    with pytest.raises(ConfigError, match="no role is called 'writer'"):
        Settings.resolve(temperatures={"writer": 0.7})
    with pytest.raises(ConfigError, match="greater than or equal to 0"):
        Settings.resolve(temperatures={"examinee": -1})


def test_a_role_named_again_gets_a_backbone_for_each_agent() -> None:
    assert parse_roles(["examinee=a/b", "generator=a/b", "generator=c/d@http://h/v1?x=1"]) == {
        "examinee": "a/b",
        "generator": ["a/b", "c/d@http://h/v1?x=1"],
    }


@pytest.mark.parametrize("assignment", ["examinee", "=offline", "examinee="])
def test_a_role_without_a_backbone_is_an_error(assignment: str) -> None:
    with pytest.raises(ConfigError, match="write ROLE=BACKBONE"):
        parse_roles([assignment])


def test_question_counts_are_three_whole_numbers() -> None:
    assert parse_questions("5/0/12") == {"multiple_choice": 5, "true_false": 0, "short_answer": 12}
    for wrong in ("30", "5/5", "5/5/x", "-1/5/5", "1.5/5/5"):
        with pytest.raises(ConfigError, match="for instance 10/10/10"):
            parse_questions(wrong)
