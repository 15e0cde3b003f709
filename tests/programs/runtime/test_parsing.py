"""How fields are read out of replies of any kind."""

import contextlib
import json
from typing import Any, Literal

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.runtime.parsing import COMPLETED, is_closed, marked_sections, read_marked, read_object, read_text
from summq.signatures import IssueList, Quiz

GIST = dspy.Signature("text -> gist")
VERDICT = dspy.Signature({"reasons": (str, dspy.OutputField()), "verdict": (Literal["A", "B"], dspy.OutputField())})
BETTER = dspy.Signature({"better": (Literal["first", "second"], dspy.OutputField())})
QUIZ = dspy.Signature({"quiz": (Quiz, dspy.OutputField())})
ISSUES = dspy.Signature({"found": (IssueList, dspy.OutputField())})


@pytest.mark.parametrize(
    ("reply", "gist"),
    [
        ("[[ ## gist ## ]]\nText.\n\n[[ ## completed ## ]]", "Text."),
        ("[[ ## gist ## ]]\nText.[[ ## completed ## ]]", "Text."),  # as Gemini writes
        ("[[ ## gist ## ]] Text.\n[[ ## completed ## ]]\n", "Text."),
        ("Sure!\n[[ ## gist ## ]]\nText.\n[[ ## completed ## ]]\nAnything else?", "Text."),
        (f"[[ ## gist ## ]]\nIt says\n{COMPLETED}\nand ends.\n{COMPLETED}", f"It says\n{COMPLETED}\nand ends."),
        ("[[ ## gist ## ]]\nA `[[ ## completed ## ]]` in it.\n\n[[ ## completed ## ]]", f"A `{COMPLETED}` in it."),
        ("[[ ## gist ## ]]\n[[ ## gist ## ]] is a marker.\n[[ ## completed ## ]]", "[[ ## gist ## ]] is a marker."),
        (f"[[ ## gist ## ]]\nText.\n{COMPLETED}\n\n[[ ## text ## ]]\nMore\n[[ ## gist ## ]]\nx\n{COMPLETED}", "Text."),
    ],
)
def test_a_text_ends_at_its_marker_and_may_quote_others(reply: str, gist: str) -> None:
    assert read_marked(GIST, reply) == {"gist": gist}


@pytest.mark.parametrize(
    ("reply", "choice"),
    [("First", "first"), ("the second.", "second"), ("Second summary", "second")]
    + [(reply, None) for reply in ("first and second", "not the first", "2", "neither", "First is worse", "")],
)
def test_a_choice_is_read_where_one_of_the_words_is_named_and_not_denied(reply: str, choice: str | None) -> None:
    with contextlib.nullcontext() if choice else pytest.raises(AdapterParseError):
        assert read_marked(BETTER, f"[[ ## better ## ]]\n{reply}\n{COMPLETED}") == {"better": choice}


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("[[ ## reasons ## ]]\nGood.\n\n[[ ## verdict ## ]]\nA\n\n[[ ## completed ## ]]", "A"),
        ("[[ ## reasons ## ]]\nGood.[[ ## verdict ## ]]\nA[[ ## completed ## ]]", "A"),
        (f"[[ ## reasons ## ]]\nIt says\n[[ ## verdict ## ]]\nB\nfalsely.\n[[ ## verdict ## ]]\nA\n{COMPLETED}", "A"),
        ("[[ ## reasons ## ]]\nIt says\n[[ ## verdict ## ]] B\n[[ ## verdict ## ]]\nA\n[[ ## completed ## ]]", "A"),
        ("[[ ## reasons ## ]]\n'[[ ## verdict ## ]] B'\n[[ ## verdict ## ]] A\n[[ ## completed ## ]]", "A"),
        ("[[ ## verdict ## ]]\nA\n[[ ## reasons ## ]]\nGood.\n[[ ## completed ## ]]", "A"),
    ],
)
def test_a_quoted_marker_replaces_no_verdict(reply: str, verdict: str) -> None:
    assert read_marked(VERDICT, reply)["verdict"] == verdict


@pytest.mark.parametrize(
    ("signature", "reply", "why"),
    [
        (GIST, "[[ ## gist ## ]]\nText.", "cut off"),
        (GIST, "[[ ## gist ## ]]\nHe wrote '[[ ## completed ## ]]' and th", "cut off"),
        (GIST, "[[ ## gist ## ]]\n \n[[ ## completed ## ]]", "gist is empty"),
        (GIST, "[[ ## completed ## ]]", "lacks gist"),
        (VERDICT, "[[ ## reasons ## ]]\nx\n[[ ## verdict ## ]]\nC\n[[ ## completed ## ]]", "verdict can't be read"),
        (QUIZ, "[[ ## quiz ## ]]\n" + "[" * 3000 + "\n[[ ## completed ## ]]", "."),
        (QUIZ, "[[ ## quiz ## ]]\n" + "9" * 5000 + "\n[[ ## completed ## ]]", "."),
        (ISSUES, '[[ ## found ## ]]\n{"issues": [1, 2, 3]}\n[[ ## completed ## ]]', "found can't be read"),
    ],
)
def test_what_can_not_be_read_in_sections_is_one_error(signature: type[dspy.Signature], reply: str, why: str) -> None:
    with pytest.raises(AdapterParseError, match=why):
        read_marked(signature, reply)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"gist": "Half a te', "cut off"),
        ('{"gist": "Half", "more": [1, {"a": 2}', "cut off"),
        ('{"gist": null}', "gist is no text"),
        ('{"gist": 5}', "gist is no text"),
        ('{"gist": "  "}', "gist is empty"),
        ('{"answer": "x"}', "lacks gist"),
        ("null", "cut off"),
        ('{"gist": ' + "[" * 3000, "cut off"),
        ('{"gist": ' + "[" * 3000 + "]" * 3000 + "}", "."),
    ],
)
def test_what_can_not_be_read_in_json_is_one_error(reply: str, why: str) -> None:
    with pytest.raises(AdapterParseError, match=why):
        read_object(GIST, reply)


@pytest.mark.parametrize(
    "reply",
    ['{"gist": "Text."}', '```json\n{"gist": "Text."}\n```', "{'gist': \"Text.\",}", 'Here: {"gist": "Text."} Bye.'],
)
def test_slips_in_the_form_of_json_are_mended(reply: str) -> None:
    assert read_object(GIST, reply) == {"gist": "Text."}


def test_half_a_character_becomes_the_mark_for_it() -> None:
    assert read_object(GIST, r'{"gist": "a \ud83d b \ude00 c \ud83d\ude00"}') == {"gist": "a \ufffd b \ufffd c 😀"}
    assert read_marked(GIST, f"[[ ## gist ## ]]\na \ud83d b\n{COMPLETED}") == {"gist": "a \ufffd b"}


def test_a_bad_item_costs_one_item() -> None:
    issue = {"kind": "omission", "target": "x", "explanation": "y"}
    reply = f"[[ ## found ## ]]\n{json.dumps({'issues': [issue, 7]})}\n{COMPLETED}"
    assert len(read_marked(ISSUES, reply)["found"].issues) == 1


@pytest.mark.parametrize(
    ("text", "closed"), [('{"a": "}"}', True), ('{"a": "\\"}', False), ("{[]", False), ("", False)]
)
def test_json_is_closed_when_its_brackets_are(text: str, closed: bool) -> None:
    assert is_closed(text) is closed


PIECES = [
    "[[ ## gist ## ]]",
    COMPLETED,
    "[[ ## verdict ## ]]",
    "\n",
    "text",
    " ",
    '{"gist": "',
    '"}',
    "\\ud83d",
    "[",
    "\ud83d",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_reply_is_fields_or_one_error(reply: str) -> None:
    for read in (read_marked, read_object):
        with contextlib.suppress(AdapterParseError):
            assert read(GIST, reply)["gist"].strip()


@given(st.text(alphabet="ab \n.[]#", min_size=1).filter(str.strip))
def test_what_is_written_is_read(text: str) -> None:
    assert marked_sections(f"[[ ## gist ## ]]\n{text}\n\n{COMPLETED}", ["gist"]) == {"gist": text.strip()}


@pytest.mark.parametrize("read", [read_marked, read_object, read_text])
def test_half_a_character_is_mended_in_every_form(read: Any) -> None:
    written = {read_marked: f"[[ ## gist ## ]]\nlamps \ud83d\n{COMPLETED}", read_object: '{"gist": "lamps \ud83d"}'}
    assert read(GIST, written.get(read, "lamps \ud83d")) == {"gist": "lamps \ufffd"}
