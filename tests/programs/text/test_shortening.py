"""A text is made shorter by whole sentences only, and never below what is wanted at least."""

from hypothesis import given
from hypothesis import strategies as st

from summq.programs.text.sentences import split_sentences
from summq.programs.text.shortening import leave_out_sentences
from summq.programs.text.words import count_words

FEE = "The council raised the harbour fee in 1912.\n\nCaptain Vale refused to pay. The harbour closed for a year."


def test_the_last_sentences_go_and_paragraphs_stay() -> None:
    text = f"{FEE} Gulls were seen. They cried."
    assert leave_out_sentences(text, 12, 20) == (FEE, ["Gulls were seen.", "They cried."])


def test_a_sentence_that_is_needed_for_the_least_length_stays() -> None:
    assert leave_out_sentences(f"Vale refused. {FEE[: FEE.index('Captain')].strip()}", 8, 9)[1] == []


def test_a_single_sentence_is_never_cut() -> None:
    text = " ".join(["harbour"] * 90) + "."
    assert leave_out_sentences(text, 15, 23) == (text, [])


@given(st.lists(st.integers(1, 12), min_size=1, max_size=12), st.integers(1, 40), st.integers(0, 30))
def test_every_sentence_is_kept_or_named_and_the_rest_is_within_the_bounds_if_it_can_be(
    lengths: list[int], least: int, room: int
) -> None:
    sentences = [f"Hall {' '.join(['lamps'] * n)} {place}." for place, n in enumerate(lengths)]
    rest, left_out = leave_out_sentences("  ".join(sentences), least, least + room)
    kept = split_sentences(rest)
    assert sorted(kept + left_out) == sorted(sentences)
    assert kept == [sentence for sentence in sentences if sentence in kept]
    if left_out:
        assert count_words(rest) >= least
    if count_words(rest) > least + room:
        assert all(count_words(rest) - count_words(one) < least for one in kept[1:])
