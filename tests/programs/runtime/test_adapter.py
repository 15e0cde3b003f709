"""How the adapter reads replies to the forms that it shows."""

import json
import re

import pytest
from dspy.utils.exceptions import AdapterParseError

from summq.programs.quiz_checks import flaws
from summq.programs.runtime.adapter import DocumentFirstAdapter, layout
from summq.programs.runtime.parsing import COMPLETED
from summq.signatures import DraftQuiz, ReviseSummary

STANDS_FOR_A_SUMMARY = "<the whole summary as revised, at the wanted length>"


def test_what_stands_for_a_value_in_the_form_is_no_part_of_the_reply() -> None:
    adapter = DocumentFirstAdapter()
    assert STANDS_FOR_A_SUMMARY in adapter.reply_form(ReviseSummary)
    reply = f"[[ ## summary ## ]]\nThe dock was closed.\n{STANDS_FOR_A_SUMMARY}\n\n{COMPLETED}"
    assert adapter.parse(ReviseSummary, reply) == {"summary": "The dock was closed."}
    with pytest.raises(AdapterParseError, match="summary is empty"):
        adapter.parse(ReviseSummary, f"[[ ## summary ## ]]\n{STANDS_FOR_A_SUMMARY}\n\n{COMPLETED}")


def test_a_question_that_copies_the_form_is_a_fault() -> None:
    adapter = layout(under_schema=True)
    copied = re.findall(r'"question": "(<[^>]+>)"', adapter.reply_form(DraftQuiz))
    asked = [
        {"evidence": "It closed in 1936.", "question": text, "answer": "1936"}
        for text in ("When did it close?", copied[-1])
    ]
    quiz = adapter.parse(DraftQuiz, json.dumps({"quiz": {"short_answer": asked}}))["quiz"]
    whole, copy = (question.normalised() for question in quiz.questions)
    assert not flaws(whole)
    assert flaws(copy)


def test_words_between_angles_that_no_form_has_are_kept() -> None:
    reply = f"[[ ## summary ## ]]\nThey call it <the old dock> today.\n\n{COMPLETED}"
    assert DocumentFirstAdapter().parse(ReviseSummary, reply) == {"summary": "They call it <the old dock> today."}
