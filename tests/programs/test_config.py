"""Configurations: presets, overrides, and one line about each mistake."""

from pathlib import Path
from typing import Any

import pytest

from summq.programs import Economy, SummQConfig
from summq.programs.config import PRESETS, read_config
from summq.programs.errors import ConfigError

AGENTS = ("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers")


@pytest.mark.parametrize(
    ("preset", "agents", "rewrite"), [("solo", 1, False), ("combo", 3, False), ("combo_r", 3, True)]
)
def test_presets_are_the_papers(preset: str, agents: int, rewrite: bool) -> None:
    config = SummQConfig.preset(preset)
    assert [getattr(config, name) for name in AGENTS] == [agents] * 4
    assert (config.rewrite, config.max_iterations, config.debate_rounds) == (rewrite, 3, 1)
    assert config.questions.model_dump() == {"multiple_choice": 10, "true_false": 10, "short_answer": 10}


def test_the_papers_reading_saves_nothing_and_stops_only_without_feedback() -> None:
    config = SummQConfig.preset("combo", paper_faithful=True)
    assert config.every_call
    assert (config.verify_quiz, config.accept_accuracy) == (False, None)


@pytest.mark.parametrize("paper_faithful", [True, False])
def test_nothing_that_may_change_the_outcome_is_left_out_unless_asked_for(paper_faithful: bool) -> None:
    config = SummQConfig.preset("combo", paper_faithful=paper_faithful)
    assert not any(config.economy.model_dump().values())


@pytest.mark.parametrize(
    ("given", "on"),
    [
        (True, set(Economy.model_fields)),
        (False, set()),
        (["verdict_in_debate"], {"verdict_in_debate"}),
        ({"verdict_in_debate": True, "debate_on_passages": False}, {"verdict_in_debate"}),
    ],
)
def test_economy_is_all_of_it_or_rules_by_name(given: Any, on: set[str]) -> None:
    economy = SummQConfig.preset("combo", economy=given).economy
    assert {name for name, is_on in economy.model_dump().items() if is_on} == on
    assert SummQConfig.model_validate(SummQConfig(economy=economy).model_dump()).economy == economy


OF_0_1 = Economy(comparing_without_document=True, debate_on_passages=True, verdict_in_debate=True)


@pytest.mark.parametrize(
    ("savings", "economy", "every_call"),
    [
        ({}, OF_0_1, False),
        ({"verdict_in_debate": False}, OF_0_1.model_copy(update={"verdict_in_debate": False}), False),
        ({"majority_suffices": False, "revise_only_criticised": True}, OF_0_1, True),
    ],
)
def test_the_config_of_a_program_of_version_0_1_means_what_it_did(
    savings: dict[str, bool], economy: Economy, every_call: bool
) -> None:
    config = SummQConfig.checked(savings=savings)
    assert (config.economy, config.every_call) == (economy, every_call)


def test_overrides_go_before_presets() -> None:
    config = SummQConfig.preset("combo", paper_faithful=True, quiz_reviewers=2, every_call=False)
    assert config.quiz_reviewers == 2
    assert not config.every_call


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"summary_generator": 3},
            "unknown config key 'summary_generator': there are .*; did you mean summary_generators?",
        ),
        ({"quiz_reviewers": 0}, "config key 'quiz_reviewers': .*greater than or equal to 1"),
        ({"target_words": 3}, "config key 'target_words'"),
        ({"accept_accuracy": 90}, "config key 'accept_accuracy'"),
        ({"economy": ["everything"]}, "economy.everything"),
        ({"questions": dict.fromkeys(("multiple_choice", "true_false", "short_answer"), 0)}, "question mix is zero"),
        ({"questions": {"essay": 1}}, "questions.essay"),
        ({"questions": {"true_false": -1}}, "questions.true_false"),
        ({"return_iteration": "first"}, "config key 'return_iteration'"),
    ],
)
def test_a_mistake_is_told_in_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        SummQConfig.preset("solo", **values)
    assert "\n" not in str(caught.value)


def test_without_quiz_stream_no_question_is_needed() -> None:
    none = dict.fromkeys(("multiple_choice", "true_false", "short_answer"), 0)
    assert SummQConfig.preset("solo", quiz_stream=False, questions=none).questions.total == 0


def test_an_unknown_preset_is_told_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=f"unknown preset 'duo': there are {', '.join(PRESETS)}"):
        SummQConfig.preset("duo")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "name an existing TOML file"), (b"a = ", "not valid TOML"), (b"\xff", "not valid TOML")],
)
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "summq.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_config(file)
