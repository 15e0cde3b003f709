import copy
from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from summq.programs.runtime.schemas import CHARACTERS_PER_TOKEN, bounded


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


def longest(schema: dict[str, Any]) -> int:
    """The free text that a reply under `schema` can hold, in characters."""
    if options := schema.get("anyOf"):
        return max(map(longest, options))
    match schema.get("type"):
        case "object":
            return sum(map(longest, schema["properties"].values()))
        case "array":
            return int(schema["maxItems"]) * longest(schema["items"])
        case "string":
            return 0 if "enum" in schema else int(schema["maxLength"])
    return 0


@given(tokens=st.integers(300, 20_000))
def test_a_reply_at_its_longest_fits_the_tokens(tokens: int) -> None:
    assert longest(bounded(Sheet.model_json_schema(), tokens)) <= tokens * CHARACTERS_PER_TOKEN


def test_lists_have_room_for_several_useful_items() -> None:
    items = bounded(Sheet.model_json_schema(), 2048)["properties"]["items"]
    question, options = (items["items"]["properties"][name] for name in ("question", "options"))
    assert items["maxItems"] >= 8
    assert question["maxLength"] >= 70
    assert options["maxItems"] >= 4


def test_what_is_bounded_or_fixed_stays_within_its_bounds() -> None:
    class Bounded(BaseModel):
        short: str = Field(max_length=10)
        three: list[str] = Field(min_length=3, max_length=3)
        kind: Literal["a", "b"]
        when: str = Field(pattern=r"\d{4}")

    parts = bounded(Bounded.model_json_schema(), 100)["properties"]
    assert parts["short"]["maxLength"] == 10
    assert (parts["three"]["minItems"], parts["three"]["maxItems"]) == (3, 3)
    assert "maxLength" not in parts["kind"]
    assert "maxLength" not in parts["when"]


def test_a_tight_budget_still_gives_a_schema_that_can_be_met() -> None:
    items = bounded(Sheet.model_json_schema(), 1)["properties"]["items"]
    assert items["maxItems"] >= 1
    assert items["items"]["properties"]["question"]["maxLength"] >= 1


def test_a_schema_that_contains_itself_is_bounded_as_far_as_it_goes() -> None:
    schema = bounded(Tree.model_json_schema(), 1000)
    assert schema["properties"]["name"]["maxLength"] > 0


def test_the_schema_given_is_not_changed() -> None:
    schema = Sheet.model_json_schema()
    before = copy.deepcopy(schema)
    bounded(schema, 1000)
    assert schema == before
