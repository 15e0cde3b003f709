"""Documents made for the benchmarks."""

import re

from chronicle import chronicle
from prefix_cache import count_tokens


def test_length_is_what_was_asked_for() -> None:
    assert 36_000 <= count_tokens(chronicle(36_000)) <= 36_300


def test_a_seed_names_the_text() -> None:
    assert chronicle(2000, seed=1) == chronicle(2000, seed=1)
    assert chronicle(2000, seed=1) != chronicle(2000, seed=2)


def test_chapters_have_ten_paragraphs_and_consecutive_numbers() -> None:
    chapters = chronicle(10_000).split("\n\n## Chapter ")[1:]

    assert [int(re.match(r"\d+", chapter)[0]) for chapter in chapters] == list(range(1, len(chapters) + 1))  # type: ignore[index]
    assert all(len(chapter.split("\n\n")) == 11 for chapter in chapters[:-1])
