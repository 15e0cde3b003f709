"""The page of prompts as sent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from summq.programs import SummQ
from summq.programs.prompts import EXAMPLE, page, prompts_of
from summq.programs.text.sentences import split_sentences
from tests.command import Ran

ROLES = {
    "summary_generator.draft",
    "summary_reviewer.review",
    "quiz_generator.draft",
    "quiz_ranker",
    "examinee",
}


def said(messages: list[dict[str, Any]]) -> str:
    return "\n".join(str(message["content"]) for message in messages)


@pytest.mark.slow
@pytest.mark.parametrize("under_schema", [False, True])
def test_every_role_that_is_called_is_shown_as_it_is_asked(under_schema: bool) -> None:
    program = SummQ.preset("combo_r", target_words=60)
    prompts = {prompt.role: prompt.messages for prompt in prompts_of(program, under_schema=under_schema)}
    assert prompts.keys() >= ROLES
    asked = str(prompts["quiz_generator.draft"][-1]["content"])
    assert ("Write a JSON object" in asked) is under_schema
    evidence = [
        sentence for sentence in split_sentences(EXAMPLE.text) if sentence in said(prompts["examinee.open_book"])
    ]
    assert evidence
    assert EXAMPLE.text not in said(prompts["examinee"])
    for messages in prompts.values():
        text = str(messages[-1]["content"])
        for unwanted in ("Python", '"$defs"', "maxLength", "\n        "):
            assert unwanted not in text


@pytest.mark.slow
def test_the_command_writes_them_to_a_file(summq: Callable[..., Ran], tmp_path: Path) -> None:
    out = tmp_path / "prompts.md"
    assert summq("prompts", "--preset", "combo", "--out", out).status == 0
    assert set(out.read_text().split("\n")) >= {f"## {role}" for role in ROLES}


@pytest.mark.slow
def test_a_document_in_them_rewrites_no_terminal(summq: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(EXAMPLE.text.replace("guilders", "guil\u202eders"))
    shown = summq("prompts", tmp_path / "a.txt").out
    assert shown.startswith("# Prompts as sent")
    assert "guilders" in shown


def test_a_page_has_each_turn() -> None:
    text = page(prompts_of(SummQ.preset("solo", quiz_stream=False, max_iterations=1)))
    assert text.startswith("# Prompts as sent")
    assert "**system**" in text
