import copy
import re
from typing import Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from summq import signatures
from summq.programs.runtime.schemas import bounded, reply_form
from summq.signatures import (
    LONGEST,
    Answers,
    Grades,
    QuestionCounts,
    Quiz,
    QuizIssues,
    SummaryIssues,
    Verdicts,
    quiz_of,
)


class Item(BaseModel):
    kind: Literal["open", "closed"]
    question: str
    options: list[str]
    page: int


class Sheet(BaseModel):
    reasoning: str
    items: list[Item]
    note: str | None = None


class Tree(BaseModel):
    name: str
    children: list["Tree"]


def bounds(schema: Any) -> list[int]:
    """The bounds of all strings in a schema."""
    if isinstance(schema, list):
        return [bound for each in schema for bound in bounds(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema["maxLength"]] if schema.get("type") == "string" and "maxLength" in schema else []
    return own + [bound for part in schema.values() for bound in bounds(part)]


def test_no_bound_is_within_what_people_write_and_none_beyond_what_grammars_take() -> None:
    for name in signatures.__all__:
        role = getattr(signatures, name)
        for field in getattr(role, "output_fields", {}).values():
            part = TypeAdapter(field.annotation).json_schema()
            schema = {"type": "object", "$defs": part.pop("$defs", {}), "properties": {"out": part}}
            assert all(bound == LONGEST for bound in bounds(bounded(schema))), name
    assert 1000 < LONGEST < 2000


def test_strings_and_lists_inside_a_reply_are_bounded_and_its_own_texts_are_not() -> None:
    parts = bounded(Sheet.model_json_schema())["properties"]
    assert "maxLength" not in parts["reasoning"]
    assert parts["items"]["maxItems"] > 30
    assert parts["items"]["items"]["properties"]["question"]["maxLength"] == LONGEST
    assert "maxLength" not in parts["items"]["items"]["properties"]["kind"]


def test_lists_have_as_many_items_as_the_reply_has_tokens_for() -> None:
    def most(tokens: int) -> Any:
        return bounded(Sheet.model_json_schema(), tokens)["properties"]["items"]["maxItems"]

    assert 8 <= most(512) < most(2048) <= 60
    assert most(1) == 1


def test_bounds_that_a_schema_has_stay() -> None:
    class Bounded(BaseModel):
        three: list[str] = Field(min_length=3, max_length=3)
        inner: list[Item] = Field(max_length=5)
        when: str = Field(pattern=r"\d{4}")

    parts = bounded(Bounded.model_json_schema())["properties"]
    assert (parts["three"]["minItems"], parts["three"]["maxItems"], parts["inner"]["maxItems"]) == (3, 3, 5)
    assert "maxLength" not in parts["when"]


def test_a_schema_that_contains_itself_is_bounded_as_far_as_it_goes() -> None:
    inside = bounded(Tree.model_json_schema())["properties"]["children"]["items"]["properties"]
    assert inside["name"]["maxLength"] == LONGEST


def test_the_schema_given_is_not_changed() -> None:
    schema = Sheet.model_json_schema()
    before = copy.deepcopy(schema)
    bounded(schema)
    assert schema == before


def keys(form: str) -> list[str]:
    return re.findall(r'"(\w+)":', form)


def test_fields_are_asked_for_in_the_order_in_which_a_model_is_to_think() -> None:
    assert keys(reply_form(Quiz))[:5] == ["multiple_choice", "evidence", "question", "answer", "wrong"]
    assert keys(reply_form(Grades)) == ["grades", "number", "correct"]
    assert keys(reply_form(Verdicts)) == ["verdicts", "issue", "reason", "uphold"]


def test_answers_are_asked_for_in_a_line_each() -> None:
    assert reply_form(Answers) == '{"answers": ["<number of the question>. <the answer>", ...]}'
    assert bounded(Answers.model_json_schema())["properties"]["answers"]["items"]["type"] == "string"


def test_a_form_of_some_questions_has_no_room_for_others() -> None:
    some = quiz_of(QuestionCounts(multiple_choice=0, true_false=2, short_answer=0))
    assert keys(reply_form(some)) == ["true_false", "evidence", "statement", "answer"]
    items = some.model_json_schema()["properties"]["true_false"]
    assert (items["minItems"], items["maxItems"]) == (2, 2)


def test_reviewers_of_a_stream_are_told_its_own_kinds_of_issues() -> None:
    assert "omission" in reply_form(SummaryIssues)
    assert "wrong_answer" not in reply_form(SummaryIssues)
    assert "wrong_answer" in reply_form(QuizIssues)
    assert "omission" not in reply_form(QuizIssues)
