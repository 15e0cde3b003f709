"""Finding quotations."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.text.quotes import excerpt, find_quote
from tests.planted import halls, sentence

TEXT = 'The harbour – deepened in 1923 – froze.\nThen,  on 4 March,\n"nobody" came:\nthe ice had closed it for good.'
words = st.text(alphabet="abcdefg", min_size=2, max_size=8)


@pytest.mark.slow
@given(st.lists(words, min_size=6, max_size=40, unique=True), st.data())
def test_a_stretch_of_the_text_is_found_where_it_stands(some: list[str], data: st.DataObject) -> None:
    text = " ".join(some)
    start = data.draw(st.integers(0, len(some) - 3))
    quote = " ".join(some[start : start + 3])
    span = find_quote(quote, text)
    assert span is not None
    assert text[span] == quote


@given(st.lists(words, min_size=3, max_size=8), st.lists(st.sampled_from([" ", "\n", ", ", " – "]), min_size=8))
def test_other_spaces_punctuation_and_case_do_not_matter(some: list[str], between: list[str]) -> None:
    text = "Before. " + "".join(w + gap for w, gap in zip(some, between, strict=False)) + "After."
    span = find_quote(" ".join(some).upper(), text)
    assert span is not None
    assert re.findall(r"\w+", text[span]) == some


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("the ice had closed it for good.", "the ice had closed it for good."),
        ('"Then, on 4 March, nobody came"', 'Then,  on 4 March,\n"nobody" came'),
        ("The harbor – deepened in 1923 – froze", "The harbour – deepened in 1923 – froze."),
    ],
)
def test_quotes_are_given_back_in_the_characters_of_the_text(quote: str, there: str) -> None:
    span = find_quote(quote, TEXT)
    assert span is not None
    assert TEXT[span] == there


@pytest.mark.parametrize("quote", ["", '""', "  ", "The railway was opened by the mayor in 1950.", TEXT + TEXT, "…"])
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_an_excerpt_holds_each_quoted_passage_once_and_in_order() -> None:
    text = excerpt(halls().text, [sentence(90), sentence(10), sentence(11)])
    assert text is not None
    first, second = text.split("\n\n[...]\n\n")
    assert all(sentence(hall) in first for hall in (9, 10, 11, 12))
    assert sentence(90) in second
    assert len(text) < len(halls().text) / 2


def test_there_is_no_excerpt_when_a_quote_is_not_in_the_document() -> None:
    assert excerpt(halls().text, [sentence(10), "Nobody said this anywhere in the halls."]) is None
    assert excerpt(halls().text, [sentence(10), ""]) is None
