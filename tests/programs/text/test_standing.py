"""Which sentences can be understood without those before them, and what of a sentence is one by itself."""

import pytest

from summq.programs.text.reading import read
from summq.programs.text.standing import main_clause

ALONE = [
    "Two people died: Tomas Arkwright, a lorry driver aged 51, and Helen Sorley, a district nurse.",
    "Mr Pellow admitted that he had not seen the pins since 2012.",
    "Kestrel Harbour Company employed 46 people when it took over the harbour.",
    "There are four lifeboats in the harbour of Meerholm today.",
    "Those who signed the sheets were never asked about the grease.",
    "The families of Mr Arkwright and Ms Sorley attended, and they read a letter.",
    "This report finds three causes of the collapse.",
    "The Welsh Government gives evidence to the committee this afternoon.",
]
LEANING = [
    "The Inquiry accepts that she meant this.",
    "Its engineer, Beatrix Holm, noticed in May 2016 that two reports were the same.",
    "By 2016 it carried vehicles of 44 tonnes.",
    "In that year the council sold the harbour for 11.4 million pounds.",
    "But nobody asked the designers.",
    "Four of them matter most.",
    "For example, the pins were never greased.",
    "The one at Berth 2 was 38 metres long.",
    "The Inquiry finds that this decision saved at least five lives.",
    'He wrote that the bridge was "settling.',
    "The council replied to them in March.",
]


@pytest.mark.parametrize("sentence", ALONE)
def test_what_names_its_things_stands_alone(sentence: str) -> None:
    text = read(f"The harbour is old. {sentence}")

    assert text.stretch(text.sentences[1]) == [text.sentences[1]]


@pytest.mark.parametrize("sentence", LEANING)
def test_what_points_back_is_read_with_the_sentence_before(sentence: str) -> None:
    text = read(f"The harbour is old and wet. Ms Ann Lee runs the ferry. {sentence}")
    *_, last = text.sentences

    assert text.stretch(last)[-1:] != [last] or len(text.stretch(last)) > 1


def test_nothing_helps_a_paragraph_that_opens_with_a_pronoun() -> None:
    text = read("The harbour is old and wet.\n\nIt was rebuilt in the year of the storm.")

    assert text.stretch(text.sentences[1]) == []


def test_a_thing_that_was_named_just_now_is_read_with_its_naming() -> None:
    text = read("Mr Lyle asked for an engineer to be hired. The request was refused by the finance director.")

    assert text.stretch(text.sentences[1]) == text.sentences


@pytest.mark.parametrize(
    ("sentence", "main"),
    [
        (
            "By 2016 the bridge served 19 crossings a day, because the timetable had been extended.",
            "By 2016 the bridge served 19 crossings a day.",
        ),
        (
            "Twenty-three people were thrown into the dock; the water was cold.",
            "Twenty-three people were thrown into the dock.",
        ),
        ("When the bridge that he had built fell, although nobody was on it, he wept.", None),
        ('He said: "The pin that I saw broke; the rope held."', None),
        ("He wept, because it fell.", None),
    ],
)
def test_the_main_clause_is_a_whole_sentence_or_the_sentence_itself(sentence: str, main: str | None) -> None:
    assert main_clause(sentence) == (main or sentence)
