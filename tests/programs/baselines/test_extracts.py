"""Trivial systems copy a stretch of the document of the wanted length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.baselines.extracts import Extract, Lead, RandomSpan, Tail
from summq.programs.errors import DocumentError

TEXT = "One came early. Two men went home late. Three!\n\nFour stayed. Nobody else was there at all."


def summary(system: Extract, text: str = TEXT) -> str:
    return str(system(document=text).summary)


def test_whole_sentences_are_taken_from_the_beginning_or_the_end() -> None:
    assert summary(Lead(9)) == "One came early. Two men went home late. Three!"
    assert summary(Tail(8)) == "Four stayed. Nobody else was there at all."


def test_words_are_taken_to_the_wanted_number() -> None:
    assert summary(Lead(4, unit="words")) == "One came early. Two"
    assert summary(Tail(4, unit="words")) == "was there at all."


def test_a_random_span_is_the_same_for_a_seed_and_lies_anywhere() -> None:
    assert summary(RandomSpan(3, unit="words")) == summary(RandomSpan(3, unit="words"))
    spans = {summary(RandomSpan(3, unit="words", seed=seed)) for seed in range(1, 60)}
    assert {"One came early.", "there at all."} <= spans
    assert all(span in TEXT and len(span.split()) == 3 for span in spans)


def test_one_sentence_is_taken_even_if_it_is_too_long() -> None:
    assert summary(Lead(1)) == "One came early."
    assert summary(Tail(1)) == "Nobody else was there at all."


def test_a_short_document_is_taken_whole_and_an_empty_one_refused() -> None:
    for system in (Lead(), Tail(), RandomSpan()):
        assert summary(system) == TEXT
        with pytest.raises(DocumentError, match="empty"):
            system(document=" ")


@given(st.lists(st.sampled_from(["a", "bb.", "Cc!", "d\n\n"]), min_size=1, max_size=30), st.integers(1, 12))
def test_extracts_never_exceed_the_wanted_number_of_words(words: list[str], wanted: int) -> None:
    text = " ".join(words)
    for kind in (Lead, Tail, RandomSpan):
        assert len(summary(kind(wanted, "words"), text).split()) == min(wanted, len(text.split()))
