"""Sentences are found without a download, and nothing of the text is lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.text.sentences import sentence_spans, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One came. Two went!  Why?", ["One came.", "Two went!", "Why?"]),
        ("Dr. J. Smith met Mr. Lee. They spoke.", ["Dr. J. Smith met Mr. Lee.", "They spoke."]),
        ("The U.S. army left. It rained.", ["The U.S. army left.", "It rained."]),
        ("It cost 3.5 million. Nobody paid.", ["It cost 3.5 million.", "Nobody paid."]),
        ("“Come in.” She sat (at last). He left.", ["“Come in.”", "She sat (at last).", "He left."]),
        ("Well... it rained. So what", ["Well...", "it rained.", "So what"]),
        ("He walked, e.g. home. It was I. Then", ["He walked, e.g. home.", "It was I.", "Then"]),
        ("A heading\n\nA line\nthat goes on. End.", ["A heading", "A line\nthat goes on.", "End."]),
        ("今天下雨。我们回家！好吗？", ["今天下雨。", "我们回家！", "好吗？"]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_splits_where_a_reader_would(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="aB.!? \n”。", max_size=60))
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
    spans = list(sentence_spans(text))
    assert all(a.end <= b.start for a, b in pairwise(spans))
