"""Words, sentences, quotes and terms of scripts other than the Latin one."""

import pytest

from summq.programs.text.quotes import excerpt
from summq.programs.text.reading import Reading, plain_words, why_illegible
from summq.programs.text.sentences import split_sentences
from summq.programs.text.stems import first_words, length_of, words
from summq.programs.text.words import can_segment, count_words

CHINESE = "港口委员会购买了旧桥。委员会修理了旧桥。"
HINDI = "समिति ने पुराना पुल खरीदा। लोगों ने पुल देखा।"
needs_icu = pytest.mark.skipif(not can_segment(), reason="extra `scripts` is not installed")


@pytest.mark.parametrize(
    ("text", "count"),
    [(CHINESE, 18), ("The old pier stands.", 4), (HINDI, 9), ("สะพานเก่า", 8), ("Мост упал в мае.", 4), ("", 0)],
)
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    assert count_words(text) == count


@pytest.mark.parametrize(
    "text",
    [
        CHINESE,
        HINDI,
        "Мост упал в мае. Его починили.",
        "سقط الجسر في مايو. تم إصلاحه.",
        "پل گر گیا۔ اسے ٹھیک کیا گیا۔",
        "ድልድዩ ወደቀ። ተጠገነ።",
    ],
)
def test_sentences_end_at_the_marks_of_the_script(text: str) -> None:
    assert len(split_sentences(text)) == 2


def test_marks_belong_to_their_letters() -> None:
    assert [word.text for word in words("हिन्दी किताब")] == ["हिन्दी", "किताब"]


@needs_icu
def test_words_without_spaces_are_told_apart() -> None:
    assert [word.text for word in words("港口 旧桥1994年")] == ["港口", "旧", "桥", "1994", "年"]
    assert length_of("港口委员会购买了旧桥。") < count_words("港口委员会购买了旧桥。")
    assert "委员" in [word.text for word in plain_words(CHINESE)]


def test_a_text_is_cut_after_so_many_words() -> None:
    assert first_words(CHINESE, 4) == "港口委员"
    assert first_words("It cost — all told — 30,000 pounds.", 5) == "It cost — all told —"  # the number counts as two


@pytest.mark.parametrize("quote", ["港口委员会购买了旧桥", "委员会修理了", "पुराना पुल खरीदा"])
def test_quotes_are_found_in_every_script(quote: str) -> None:
    passage = excerpt(f"{CHINESE}\n\n{HINDI}", [quote])
    assert passage is not None
    assert quote in passage


@pytest.mark.parametrize("text", [HINDI, "Комитет города купил старый мост.", "The old pier stands there still."])
def test_prose_of_known_scripts_is_legible(text: str) -> None:
    assert why_illegible(text) == ""
    assert any(sentence.prose for sentence in Reading(text).sentences)


def test_a_text_without_sentences_is_refused_with_a_reason() -> None:
    reason = why_illegible("so we went down to the harbour and then we saw the bridge and nobody knew " * 20)
    assert reason.startswith("finds no sentences in this text")
    assert "--backbone" in reason
