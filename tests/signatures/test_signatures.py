"""The signatures: prompts of their own, fields that are described, the same fields for both streams."""

import inspect
from typing import Any

import dspy
import pytest

from summq import signatures
from summq.signatures import Document, PartQuota

SIGNATURES: list[Any] = [
    value for value in vars(signatures).values() if inspect.isclass(value) and issubclass(value, dspy.Signature)
]
STREAMS = [
    (signatures.AggregateSummaries, signatures.AggregateQuizzes),
    (signatures.RankSummaries, signatures.RankQuizzes),
    (signatures.VoteSummary, signatures.VoteQuiz),
]


def test_every_exported_name_exists() -> None:
    assert [name for name in signatures.__all__ if not hasattr(signatures, name)] == []


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_signature_says_what_is_wanted_and_describes_its_fields(signature: type[dspy.Signature]) -> None:
    assert len(signature.instructions.split()) > 5
    assert "Given the fields" not in signature.instructions
    for name, field in signature.fields.items():
        assert field.json_schema_extra["desc"] != f"${{{name}}}", name


def test_no_two_signatures_say_the_same() -> None:
    assert len({signature.instructions for signature in SIGNATURES}) == len(SIGNATURES)


@pytest.mark.parametrize(("summary", "quiz"), STREAMS)
def test_both_streams_are_compared_under_the_same_names(
    summary: type[dspy.Signature], quiz: type[dspy.Signature]
) -> None:
    given = set(quiz.input_fields) ^ set(summary.input_fields)
    assert given == {"target_words", "wanted", "shared"}


@pytest.mark.parametrize("signature", [signatures.TakeQuiz, signatures.GradeAnswers, signatures.GroupIssues])
def test_who_needs_no_document_has_no_field_for_one(signature: type[dspy.Signature]) -> None:
    assert Document not in [field.annotation for field in signature.input_fields.values()]


def test_a_document_never_prints_itself() -> None:
    document = Document(text="The halls were dark. " * 1000, id="halls")
    assert len(repr(document)) < 150
    assert str(document) == f"{document}" == repr(document)
    assert len(repr(dspy.Example(document=document))) < 250


def test_the_parts_of_a_document_are_of_equal_length() -> None:
    document = Document(text="x" * 100)
    assert [document.part_at(offset) for offset in (0, 19, 20, 59, 99)] == [1, 1, 2, 3, 5]
    assert PartQuota(part=1, of=5, questions=2).opens_with == ""


def test_the_same_text_has_the_same_key_wherever_it_came_from() -> None:
    assert Document(text="x", id="a", title="A").key == Document(text="x").key != Document(text="y").key
