"""Dividing a text into passages."""

from hypothesis import given
from hypothesis import strategies as st

from summq.programs.text.passages import passages
from summq.programs.text.tokens import estimate_tokens
from tests.planted import halls, sentence

texts = st.text(alphabet="ab. \n", max_size=400) | st.text(max_size=200)


def without_spaces(text: str) -> str:
    return "".join(text.split())


@given(texts, st.integers(2, 60))
def test_passages_together_are_the_text(text: str, limit: int) -> None:
    assert without_spaces("".join(passages(text, limit))) == without_spaces(text)


@given(texts, st.integers(2, 60))
def test_no_passage_is_empty_or_exceeds_the_limit(text: str, limit: int) -> None:
    assert all(passage.strip() and estimate_tokens(passage) <= limit for passage in passages(text, limit))


def test_a_text_that_fits_is_one_passage() -> None:
    assert passages(" A.\n\nB. ", 100) == ["A.\n\nB."]


def test_nothing_gives_no_passage() -> None:
    assert passages(" \n ", 100) == []


def test_sentences_stay_whole_where_they_fit() -> None:
    parts = passages(halls(100).text, 200)
    assert len(parts) > 5
    assert all(part.startswith("In hall") and part.endswith("lamps.") for part in parts)


def test_paragraphs_stay_whole_where_they_fit() -> None:
    paragraphs = [" ".join(map(sentence, range(k, k + 5))) for k in (1, 6, 11)]
    room = estimate_tokens(paragraphs[0]) + 10
    assert passages("\n\n".join(paragraphs), room) == paragraphs


def test_a_text_without_any_space_is_divided_too() -> None:
    parts = passages("城" * 95, 10)
    assert "".join(parts) == "城" * 95
    assert max(map(len, parts)) <= 10
